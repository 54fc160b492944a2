/// A value of a ``JSONDocument``, read where it lies: nothing is copied until it is asked for.
package struct JSONPlace: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONDocument.Node { document.nodes[index] }

    /// The value of an object's member, the first if the name repeats; nil when the value is no object or lacks it.
    package subscript(name: String) -> JSONPlace? {
        guard node.kind == .object else { return nil }
        var places = document.children(of: index)
        while let place = places.next(), let member = places.next() {
            if isName(name, at: place) { return JSONPlace(document: document, index: member) }
        }
        return nil
    }

    /// The text of a string; nil for any other value, and for a string that is not valid Unicode.
    package var text: String? { document.text(at: index) }

    /// The value of `true` or `false`; nil for any other value.
    package var flag: Bool? { node.kind == .yes ? true : node.kind == .no ? false : nil }

    /// A whole number that is not negative; nil for any other value.
    package var count: Int? { document.integer(Int.self, at: index).flatMap { $0 < 0 ? nil : $0 } }

    /// A whole number; nil for any other value.
    package var integer: Int? { document.integer(Int.self, at: index) }

    /// A number; nil for any other value, and for one that does not fit.
    package var number: Double? { document.float(Double.self, at: index) }

    /// The elements of an array; nil for any other value.
    package var elements: [JSONPlace]? {
        guard node.kind == .array else { return nil }
        return document.children(of: index).map { JSONPlace(document: document, index: $0) }
    }

    /// The names of an object's members in their order; empty for any other value.
    package var names: [String] {
        guard node.kind == .object else { return [] }
        var (names, places): ([String], JSONDocument.Children) = ([], document.children(of: index))
        while let place = places.next(), places.next() != nil {
            if let name = document.text(at: place) { names.append(name) }
        }
        return names
    }

    package var isObject: Bool { node.kind == .object }
    package var isNull: Bool { node.kind == .null }

    /// The value with its descendants, whose members lose their order; nil as for ``JSONDocument/value``.
    package var value: JSONValue? { document.value(at: index) }

    /// The bytes of the value as the document has them.
    var source: ArraySlice<UInt8> {
        let isText = node.kind == .plain || node.kind == .escaped
        return document.bytes[(Int(node.start) - (isText ? 1 : 0))..<(Int(node.end) + (isText ? 1 : 0))]
    }

    private func isName(_ name: String, at place: Int) -> Bool {
        let node = document.nodes[place]
        guard node.kind == .plain else { return document.text(at: place) == name }
        let length = Int(node.end) - Int(node.start)
        guard length == name.utf8.count else { return false }
        return document.bytes[Int(node.start)..<Int(node.end)].elementsEqual(name.utf8)
    }
}

extension JSONDocument {
    /// The whole text as a place.
    package var root: JSONPlace { JSONPlace(document: self, index: 0) }

    /// Whether every string is valid Unicode, so that no text is missed where a place is read.
    package var isUnicode: Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        return nodes.allSatisfy {
            $0.kind != .escaped || JSONEscapes.resolve(bytes[Int($0.start)..<Int($0.end)]) != nil
        }
    }
}

/// A JSON value as its author wrote it: members keep their order.
///
/// A schema is carried this way, because a model writes the members of its answer in the order of the schema.
package struct JSONSource: Sendable, Hashable {
    /// The text. It has no line ends, so that it fits into one line of a stream.
    package let json: [UInt8]

    package init(_ value: JSONValue) { json = value.json }

    /// The source of a part of a document.
    package init(_ place: JSONPlace) { json = Self.withoutLineEnds(place.source) }

    /// Validates a text; nil when it is not JSON.
    package init?(parsing text: String, limits: JSONLimits = JSONLimits()) {
        guard let document = try? JSONDocument(parsing: Array(text.utf8), limits: limits) else { return nil }
        self.init(document.root)
    }

    private init(_ json: [UInt8]) { self.json = json }

    /// The text as a string.
    package var text: String { String(decoding: json, as: UTF8.self) }

    /// The value, whose members lose their order; nil as for ``JSONDocument/value``.
    package var value: JSONValue? { (try? JSONDocument(parsing: json))?.value }

    /// An object with another member before all others; unchanged when it has a member of this name or is no object.
    package func leading(with name: String, _ value: JSONValue) -> JSONSource {
        guard let document = try? JSONDocument(parsing: json), document.root.isObject, document.root[name] == nil,
            let brace = json.firstIndex(of: UInt8(ascii: "{"))
        else { return self }
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        JSONBytes.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONBytes.append(value, to: &bytes)
        if !document.root.names.isEmpty { bytes.append(UInt8(ascii: ",")) }
        return JSONSource(bytes + json[(brace + 1)...])
    }

    /// Within strings the grammar allows no line ends, so those that exist are white space between tokens.
    private static func withoutLineEnds(_ source: ArraySlice<UInt8>) -> [UInt8] {
        guard source.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return Array(source) }
        var (json, isInString, isEscaped): ([UInt8], Bool, Bool) = ([], false, false)
        json.reserveCapacity(source.count)
        for byte in source {
            if isInString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte <= 0x20 {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            }
            json.append(byte)
        }
        return json
    }
}
