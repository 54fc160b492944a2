/// Writes JSON text part by part: members stay in the order of the calls.
package struct JSONWriter: Sendable {
    /// The text so far.
    package private(set) var json: [UInt8]
    /// Whether a comma precedes what comes next.
    private var continues = false

    /// - Parameter capacity: The number of bytes to reserve.
    package init(reserving capacity: Int = 512) {
        json = []
        json.reserveCapacity(capacity)
    }

    /// Writes one object.
    package static func object(
        reserving capacity: Int = 512, _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        writer.object(members)
        return writer.json
    }

    /// Writes one object whose first members are written already.
    ///
    /// - Parameter start: An object with at least one member, without its closing brace.
    package static func object(after start: [UInt8], _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: start.count + 256)
        writer.json += start
        writer.continues = true
        members(&writer)
        writer.json.append(UInt8(ascii: "}"))
        return writer.json
    }

    // MARK: Elements

    /// Adds an object to an array, or writes the outermost one.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        enclose("{", "}", members)
    }

    /// Adds an array to an array, or writes the outermost one.
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        separate()
        enclose("[", "]", elements)
    }

    /// Adds a value to an array.
    package mutating func element(_ value: some JSONWritable) {
        separate()
        value.write(to: &json)
        continues = true
    }

    // MARK: Members

    /// Adds a member to an object; nothing for nil.
    package mutating func member<Value: JSONWritable>(_ name: String, _ value: Value?) {
        guard let value else { return }
        begin(name)
        value.write(to: &json)
        continues = true
    }

    /// Adds a member with an object.
    package mutating func member(_ name: String, object members: (inout JSONWriter) -> Void) {
        begin(name)
        enclose("{", "}", members)
    }

    /// Adds a member with an array.
    package mutating func member(_ name: String, array elements: (inout JSONWriter) -> Void) {
        begin(name)
        enclose("[", "]", elements)
    }

    /// Adds a member without a value.
    package mutating func null(_ name: String) {
        begin(name)
        json += "null".utf8
        continues = true
    }

    private mutating func begin(_ name: String) {
        separate()
        JSONBytes.append(name, to: &json)
        json.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if continues { json.append(UInt8(ascii: ",")) }
        continues = false
    }

    private mutating func enclose(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ content: (inout JSONWriter) -> Void
    ) {
        json.append(UInt8(ascii: open))
        content(&self)
        json.append(UInt8(ascii: close))
        continues = true
    }
}

/// A value that ``JSONWriter`` writes.
package protocol JSONWritable {
    /// Appends the value as JSON.
    func write(to json: inout [UInt8])
}

extension String: JSONWritable {
    package func write(to json: inout [UInt8]) { JSONBytes.append(self, to: &json) }
}

extension Bool: JSONWritable {
    package func write(to json: inout [UInt8]) { json += (self ? "true" : "false").utf8 }
}

extension Int: JSONWritable {
    package func write(to json: inout [UInt8]) { json += String(self).utf8 }
}

extension Int64: JSONWritable {
    package func write(to json: inout [UInt8]) { json += String(self).utf8 }
}

extension Double: JSONWritable {
    package func write(to json: inout [UInt8]) { JSONBytes.append(.number(self), to: &json) }
}

extension JSONValue: JSONWritable {
    package func write(to json: inout [UInt8]) { JSONBytes.append(self, to: &json) }
}

extension JSONSource: JSONWritable {
    package func write(to json: inout [UInt8]) { json += self.json }
}
