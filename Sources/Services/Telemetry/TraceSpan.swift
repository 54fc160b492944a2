/// A finished span: a name, a time and attributes.
package struct TraceSpan: Sendable, Equatable {
    /// The kinds that the gateway reports, with OTLP's numbers.
    package enum Kind: Int, Sendable {
        /// An answered request.
        case server = 2
        /// A call of another server.
        case client = 3
    }

    /// The value of an attribute.
    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int)
        case number(Double)
        case flag(Bool)
    }

    /// The longest text of an attribute or a name, in bytes.
    package static let maxTextBytes = 256

    package let trace: TraceID
    package let id: SpanID
    package let parent: SpanID?
    /// Whether the parent is a span of another program.
    package let isParentRemote: Bool
    package let state: String?
    package let kind: Kind
    package let name: String
    /// Nanoseconds since 1970.
    package let start: UInt64
    package let end: UInt64
    /// The names are unique.
    package private(set) var attributes: [(name: String, value: Value)] = []
    /// Whether the operation failed.
    package var isFailed = false

    /// Creates a span without attributes. An end before the start becomes the start.
    package init(
        trace: TraceID, id: SpanID, parent: SpanID?, isParentRemote: Bool, state: String?, kind: Kind, name: String,
        start: UInt64, end: UInt64
    ) {
        (self.trace, self.id, self.parent, self.isParentRemote) = (trace, id, parent, isParentRemote)
        (self.state, self.kind, self.name, self.start) = (state, kind, Self.cut(name), start)
        self.end = max(start, end)
    }

    /// Adds an attribute; nothing for nil. Long text is cut.
    package mutating func set(_ name: String, _ text: String?) {
        if let text { attributes.append((name, .text(Self.cut(text)))) }
    }

    /// Adds an attribute; nothing for nil.
    package mutating func set(_ name: String, _ number: Int?) {
        if let number { attributes.append((name, .integer(number))) }
    }

    /// Adds an attribute; nothing for false.
    package mutating func set(_ name: String, _ flag: Bool) {
        if flag { attributes.append((name, .flag(flag))) }
    }

    /// Adds an attribute in seconds; nothing for nil.
    package mutating func set(_ name: String, _ duration: Duration?) {
        if let duration { attributes.append((name, .number(duration / .seconds(1)))) }
    }

    /// The value of an attribute.
    package subscript(_ name: String) -> Value? { attributes.first { $0.name == name }?.value }

    package static func == (one: TraceSpan, other: TraceSpan) -> Bool {
        one.id == other.id && one.trace == other.trace
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= maxTextBytes ? text : String(decoding: text.utf8.prefix(maxTextBytes), as: UTF8.self)
    }
}
