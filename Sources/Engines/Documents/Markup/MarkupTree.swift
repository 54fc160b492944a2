/// A parsed XML or HTML document: elements and texts in document order.
///
/// A parent's index is smaller than its children's, so that one pass over the nodes in either direction replaces recursion.
/// Names of elements and attributes of the namespaces that documents use have fixed prefixes, whatever prefixes the file
/// uses (``MarkupNamespaces``); XHTML, OPF, NCX and container names have none.
package struct MarkupTree {
    /// An element or a text.
    package struct Node {
        /// The name; empty for text.
        package var name: String
        /// The text; empty for an element.
        package var text: String = ""
        var attributes: [(name: String, value: String)] = []
        /// The index of the parent, -1 for the root.
        var parent: Int
        var firstChild: Int?
        var nextSibling: Int?

        /// Whether the node is a text.
        package var isText: Bool { name.isEmpty }

        /// The value of an attribute; nil when the element has none of that name.
        package subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

        /// The words of an attribute, lower case.
        func words(_ attribute: String) -> [String] {
            self[attribute]?.split { $0 == " " || $0 == "\n" || $0 == "\t" }.map { $0.lowercased() } ?? []
        }
    }

    var nodes: [Node] = []
    /// Whether the parser stopped before the end of the document because of a limit.
    var isCut = false
    /// Whether the document is not well formed, so that a part of it may be missing.
    package internal(set) var isDamaged = false

    /// The bytes of all texts, without white space.
    var textBytes: Int { nodes.reduce(0) { $0 + FlatMarkup.size($1.text.utf8) } }

    /// The index of the root element.
    package var root: Int? { nodes.isEmpty ? nil : 0 }

    /// A node by its index.
    package subscript(index: Int) -> Node { nodes[index] }

    /// One step of a walk.
    package enum Step {
        case enter(Int)
        case exit(Int)
    }

    /// Walks a subtree in document order without recursion.
    ///
    /// - Parameter visit: Returns whether to go into an element that was entered; without that, it is not exited either.
    package func walk(_ start: Int, _ visit: (Step) -> Bool) {
        var index = start
        while true {
            let goesIn = visit(.enter(index))
            if goesIn, let child = nodes[index].firstChild {
                index = child
                continue
            }
            if goesIn { _ = visit(.exit(index)) }
            while nodes[index].nextSibling == nil || index == start {
                if index == start { return }
                index = nodes[index].parent
                _ = visit(.exit(index))
                if index == start { return }
            }
            guard let next = nodes[index].nextSibling else { return }
            index = next
        }
    }

    /// The child elements.
    package func children(_ index: Int) -> [Int] {
        var (result, next): ([Int], Int?) = ([], nodes[index].firstChild)
        while let child = next {
            if !nodes[child].isText { result.append(child) }
            next = nodes[child].nextSibling
        }
        return result
    }

    /// The first child element of a name.
    package func child(_ index: Int, _ name: String) -> Int? { children(index).first { nodes[$0].name == name } }

    /// The elements of a name in the whole tree, in document order.
    package func all(_ name: String) -> [Int] { nodes.indices.filter { nodes[$0].name == name } }

    /// The first element of a name in the whole tree.
    package func first(_ name: String) -> Int? { nodes.firstIndex { $0.name == name } }

    /// The texts directly below an element, as they are.
    package func text(_ index: Int) -> String {
        var (text, next) = ("", nodes[index].firstChild)
        while let child = next {
            text += nodes[child].text
            next = nodes[child].nextSibling
        }
        return text
    }

    /// The texts of a subtree as one line, at most about 4,000 bytes.
    package func line(_ index: Int) -> String {
        var text = ""
        walk(index) { step in
            if case .enter(let node) = step, nodes[node].isText, text.utf8.count < 4000 { text += nodes[node].text }
            return true
        }
        return CanonicalText.line(text)
    }
}
