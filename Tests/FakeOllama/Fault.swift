/// A fault that is switched on from outside: `KIND[=ARGS][@PATH][#COUNT]`.
///
/// `PATH` limits it to one path, `COUNT` to the first so many matching requests.
public struct Fault: Sendable, Hashable {
    /// What happens.
    public enum Kind: Sendable, Hashable {
        /// No byte at all for so many seconds.
        case stallFirst(Double)
        /// A pause of so many seconds after N lines.
        case stallMid(Int, Double)
        /// The connection is closed after N lines.
        case cut(Int)
        /// The connection is reset after N lines.
        case reset(Int)
        /// The connection is closed without any reply.
        case drop
        /// Line N + 1 is not valid JSON.
        case badJSON(Int)
        /// An error line after N lines, then a clean end.
        case errorLine(Int)
        /// One line of so many bytes, first.
        case giantLine(Int)
        /// A reply with this status.
        case status(Int)
    }

    /// What happens.
    public var kind: Kind
    /// The one path that it happens to; any path when nil.
    public var path: String?
    /// How many requests it happens to; all when nil.
    public var count: Int?

    /// Reads a fault; nil when the text is not one.
    public init?(_ text: String) {
        var rest = text[...]
        if let mark = rest.lastIndex(of: "#") {
            guard let count = Int(rest[rest.index(after: mark)...]), count > 0 else { return nil }
            self.count = count
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "@") {
            path = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        let parts = rest.split(separator: "=", maxSplits: 1).map(String.init)
        let arguments = parts.count > 1 ? parts[1].split(separator: ":").map(String.init) : []
        let first = arguments.first
        let number = first.flatMap { Int($0) } ?? 0
        switch parts.first {
        case "stall-first": kind = .stallFirst(first.flatMap { Double($0) } ?? 30)
        case "stall-mid":
            guard arguments.count == 2, let seconds = Double(arguments[1]) else { return nil }
            kind = .stallMid(number, seconds)
        case "cut": kind = .cut(number)
        case "reset": kind = .reset(number)
        case "drop": kind = .drop
        case "bad-json": kind = .badJSON(number)
        case "error-line": kind = .errorLine(number)
        case "giant-line": kind = .giantLine(number)
        case "status":
            guard (400...599).contains(number) else { return nil }
            kind = .status(number)
        default: return nil
        }
    }
}
