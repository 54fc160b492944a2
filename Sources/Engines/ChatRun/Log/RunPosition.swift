/// A position in the log of a run: a number of text bytes, and a number of events at that byte.
///
/// Its text is the id of a server-sent event. A delta's id is the byte offset alone: `120`. Events at the same byte are
/// `120.1`, `120.2`. A run continued after an interruption has a new life, written `120@1`, because text of the earlier
/// life may be lost.
package struct RunPosition: Sendable, Hashable {
    /// The number of continuations before this position; 0 for a run that was never interrupted.
    package let life: Int
    /// UTF-8 bytes of text before this position.
    package let offset: Int
    /// Events at this byte before this position.
    package let events: Int

    /// Creates a position. Negative numbers count as 0.
    package init(life: Int = 0, offset: Int, events: Int = 0) {
        self.life = max(0, life)
        self.offset = max(0, offset)
        self.events = max(0, events)
    }

    /// Parses an id; nil when it is invalid.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let lives = text.split(separator: "@", omittingEmptySubsequences: false)
        let places = lives.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard (1...2).contains(lives.count), (1...2).contains(places.count),
            let offset = places.first.flatMap(Self.number),
            let events = Self.number(places.count > 1 ? places[1] : "0"),
            let life = Self.number(lives.count > 1 ? lives[1] : "0")
        else { return nil }
        self.init(life: life, offset: offset, events: events)
    }

    /// The position as an id.
    package var text: String {
        "\(offset)" + (events > 0 ? ".\(events)" : "") + (life > 0 ? "@\(life)" : "")
    }

    /// Whether this position precedes another one of the same life.
    func isBefore(_ other: RunPosition) -> Bool { (offset, events) < (other.offset, other.events) }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(digits) : nil
    }
}
