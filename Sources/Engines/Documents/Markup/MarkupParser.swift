internal import CXML

/// Parses XML and HTML by libxml2, without network, external files or entities of the document's own.
///
/// libxml2's tree lives only during a call; the result is a copy in Swift.
package enum MarkupParser {
    static let maxNodes = 5_000_000
    /// Elements inside each other at most. The tree is parsed, copied, walked and freed without recursion.
    static let maxDepth: UInt32 = 10_000

    private static let isReady: Bool = {
        xmlInitParser()
        cxml_set_depth(maxDepth)
        // No document may load another one, whatever its options are.
        unsafe xmlSetExternalEntityLoader { _, _, _ in nil }
        return true
    }()

    /// Parses an XML document; nil when it is not well formed.
    ///
    /// - Parameter isLenient: Whether a damaged document gives what can be read of it.
    package static func xml(_ bytes: [UInt8], isLenient: Bool = false) -> MarkupTree? {
        guard isReady, bytes.count <= Int(Int32.max), let context = unsafe xmlNewParserCtxt() else { return nil }
        defer { unsafe xmlFreeParserCtxt(context) }
        var options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        options |= XML_PARSE_COMPACT.rawValue | XML_PARSE_NOCDATA.rawValue
        if isLenient { options |= XML_PARSE_RECOVER.rawValue }
        let document = unsafe bytes.withUnsafeBytes { raw in
            unsafe xmlCtxtReadMemory(
                context, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count), nil, nil,
                Int32(bitPattern: options))
        }
        guard let document = unsafe document else { return nil }
        defer { unsafe xmlFreeDoc(document) }
        guard let root = unsafe xmlDocGetRootElement(document) else { return nil }
        var tree = unsafe copy(root)
        if unsafe context.pointee.wellFormed == 0 { tree.isDamaged = true }
        return tree
    }

    /// Parses an HTML document; nil when it has no element.
    ///
    /// A document that is nested too deeply is read again without its nesting, so that no text is lost.
    ///
    /// - Parameter utf8: The document in UTF-8, whatever charset it declares.
    package static func html(_ utf8: [UInt8]) -> MarkupTree? {
        guard let tree = nested(utf8) else { return nil }
        guard tree.isCut, tree.nodes.count < maxNodes else { return tree }
        guard let flat = nested(FlatMarkup.html(utf8)), flat.textBytes >= tree.textBytes else { return tree }
        return flat
    }

    private static func nested(_ utf8: [UInt8]) -> MarkupTree? {
        guard isReady, utf8.count <= Int(Int32.max), let context = unsafe htmlNewParserCtxt() else { return nil }
        defer { unsafe htmlFreeParserCtxt(context) }
        var options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
        options |= HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_COMPACT.rawValue | HTML_PARSE_NODEFDTD.rawValue
        // The parser takes a NUL for the end.
        let clean = utf8.contains(0) ? utf8.map { $0 == 0 ? 0x20 : $0 } : utf8
        let document = unsafe clean.withUnsafeBytes { raw in
            unsafe htmlCtxtReadMemory(
                context, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count), nil, "UTF-8",
                Int32(bitPattern: options))
        }
        guard let document = unsafe document else { return nil }
        defer { unsafe xmlFreeDoc(document) }
        guard let root = unsafe xmlDocGetRootElement(document) else { return nil }
        var tree = unsafe copy(root)
        if unsafe context.pointee.disableSAX != 0 { tree.isCut = true }
        return tree
    }

    /// Copies an element with all below it, without recursion.
    private static func copy(_ root: xmlNodePtr) -> MarkupTree {
        var tree = MarkupTree()
        var names: [UnsafePointer<UInt8>: String] = unsafe [:]
        var node = unsafe root
        var (parent, previous): (Int, Int?) = (-1, nil)
        while true {
            var added: Int?
            if tree.nodes.count >= maxNodes {
                tree.isCut = true
                return tree
            }
            if let copied = unsafe self.node(node, parent, &names) {
                let index = tree.nodes.count
                tree.nodes.append(copied)
                if let previous {
                    tree.nodes[previous].nextSibling = index
                } else if parent >= 0 {
                    tree.nodes[parent].firstChild = index
                }
                previous = index
                added = index
            }
            if unsafe node.pointee.type == XML_ELEMENT_NODE, let added, let child = unsafe node.pointee.children {
                (parent, previous) = (added, nil)
                unsafe node = child
                continue
            }
            while unsafe node.pointee.next == nil || node == root {
                guard unsafe node != root, let above = unsafe node.pointee.parent else { return tree }
                unsafe node = above
                previous = parent
                parent = previous.map { tree.nodes[$0].parent } ?? -1
                if unsafe node == root { return tree }
            }
            guard let next = unsafe node.pointee.next else { return tree }
            unsafe node = next
        }
    }

    /// One element or text; nil for comments and the like.
    private static func node(
        _ node: xmlNodePtr, _ parent: Int, _ names: inout [UnsafePointer<UInt8>: String]
    ) -> MarkupTree.Node? {
        switch unsafe node.pointee.type {
        case XML_ELEMENT_NODE:
            guard let raw = unsafe node.pointee.name else { return nil }
            let name = unsafe qualified(raw, node.pointee.ns, &names)
            var result = MarkupTree.Node(name: name, parent: parent)
            var next = unsafe node.pointee.properties
            while let attribute = unsafe next {
                if let raw = unsafe attribute.pointee.name, result.attributes.count < 100 {
                    let name = unsafe qualified(raw, attribute.pointee.ns, &names)
                    unsafe result.attributes.append((name, value(attribute)))
                }
                unsafe next = attribute.pointee.next
            }
            return result
        case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
            guard let content = unsafe node.pointee.content else { return nil }
            return unsafe MarkupTree.Node(name: "", text: String(cString: content), parent: parent)
        case XML_ENTITY_REF_NODE:
            // The names of HTML count even when the document does not define them.
            guard let name = unsafe node.pointee.name, let entity = unsafe htmlEntityLookup(name),
                let scalar = unsafe Unicode.Scalar(entity.pointee.value)
            else { return nil }
            return MarkupTree.Node(name: "", text: String(Character(scalar)), parent: parent)
        default: return nil
        }
    }

    private static func value(_ attribute: xmlAttrPtr) -> String {
        guard let child = unsafe attribute.pointee.children else { return "" }
        if unsafe child.pointee.next == nil, unsafe child.pointee.type == XML_TEXT_NODE {
            return unsafe child.pointee.content.map { unsafe String(cString: $0) } ?? ""
        }
        guard let joined = unsafe xmlNodeListGetString(attribute.pointee.doc, child, 1) else { return "" }
        defer { unsafe cxml_free(joined) }
        return unsafe String(cString: joined)
    }

    /// A name with its fixed prefix. Most names are in the parser's dictionary, so that equal pointers mean equal names.
    private static func qualified(
        _ raw: UnsafePointer<UInt8>, _ namespace: UnsafeMutablePointer<xmlNs>?,
        _ names: inout [UnsafePointer<UInt8>: String]
    ) -> String {
        let local: String
        if let known = unsafe names[raw] {
            local = known
        } else {
            local = unsafe String(cString: raw)
            unsafe names[raw] = local
        }
        guard let namespace = unsafe namespace, let href = unsafe namespace.pointee.href else { return local }
        let prefix = unsafe MarkupNamespaces.prefix(of: String(cString: href))
        if let prefix { return prefix.isEmpty ? local : "\(prefix):\(local)" }
        guard let own = unsafe namespace.pointee.prefix else { return local }
        return unsafe "\(String(cString: own)):\(local)"
    }
}
