/// A fault that tests switch on: `KIND[=ARGS][@PATH][#COUNT]`.
///
/// `PATH` limits it to one path, `COUNT` to the first COUNT matching requests.
package struct Fault: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// No byte at all for a number of seconds.
        case stallFirst(Double)
        /// A pause of a number of seconds after N lines.
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
        /// First a line of a number of bytes.
        case giantLine(Int)
        /// A number of bytes at a time, heads and chunk sizes included, with a number of seconds between them.
        case drip(Int, Double)
        /// The reply is the request itself: method, target, headers and body as JSON.
        case echo
        /// A reply with this status.
        case status(Int)
        /// A reply with this status and a `Retry-After` of a number of seconds.
        case busy(Int, Int)
    }

    package var kind: Kind
    /// The only affected path; nil means any.
    package var path: String?
    /// The number of affected requests; nil means all.
    package var count: Int?

    /// Reads a fault; nil when the text is not one, for example because a number is missing, superfluous or negative.
    package init?(_ text: String) {
        var rest = text[...]
        if let mark = rest.lastIndex(of: "#") {
            guard let count = Self.whole(rest[rest.index(after: mark)...]), count > 0 else { return nil }
            self.count = count
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "@") {
            let path = rest[rest.index(after: mark)...]
            guard path.hasPrefix("/") else { return nil }
            self.path = String(path)
            rest = rest[..<mark]
        }
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let arguments = parts.count > 1 ? parts[1].split(separator: ":", omittingEmptySubsequences: false) : []
        guard let kind = Kind(String(parts[0]), arguments) else { return nil }
        self.kind = kind
    }

    /// Reads digits only: no sign, no space.
    fileprivate static func whole(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// Reads a time in seconds: digits with at most one point, so neither negative nor infinite; at most a day.
    fileprivate static func seconds(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let value = Double(text) else {
            return nil
        }
        return value <= 86_400 ? value : nil
    }
}

extension Fault.Kind {
    fileprivate init?(_ name: String, _ arguments: [Substring]) {
        if let plain = ["drop": Self.drop, "echo": .echo][name], arguments.isEmpty {
            self = plain
            return
        }
        guard let first = arguments.first else { return nil }
        switch (name, arguments.count) {
        case ("stall-first", 1):
            guard let seconds = Fault.seconds(first) else { return nil }
            self = .stallFirst(seconds)
        case ("stall-mid", 2):
            guard let lines = Fault.whole(first), let seconds = Fault.seconds(arguments[1]) else { return nil }
            self = .stallMid(lines, seconds)
        case ("drip", 2):
            guard let bytes = Fault.whole(first), bytes > 0, let seconds = Fault.seconds(arguments[1]) else {
                return nil
            }
            self = .drip(bytes, seconds)
        case ("busy", 2):
            guard let status = Fault.whole(first), (400...599).contains(status),
                let seconds = Fault.whole(arguments[1])
            else { return nil }
            self = .busy(status, seconds)
        case (_, 1):
            guard let number = Fault.whole(first) else { return nil }
            switch name {
            case "cut": self = .cut(number)
            case "reset", "rst": self = .reset(number)
            case "bad-json": self = .badJSON(number)
            case "error-line": self = .errorLine(number)
            case "giant-line": self = .giantLine(number)
            case "status" where (400...599).contains(number): self = .status(number)
            default: return nil
            }
        default: return nil
        }
    }
}
