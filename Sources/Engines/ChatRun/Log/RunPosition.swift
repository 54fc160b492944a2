/// A place in the log of a run: after so many bytes of text, and after so many events at that byte.
///
/// Its text is the id of a server-sent event. That of a delta is the byte offset alone: `120`. Events that follow at the same
/// byte are `120.1`, `120.2`. A run that was continued after an interruption has a new life, written `120@1`, for text of the
/// life before may be lost.
package struct RunPosition: Sendable, Hashable {
    /// Continuations before this one; 0 for a run that was never interrupted.
    package let life: Int
    /// UTF-8 bytes of text before this place.
    package let offset: Int
    /// Events at this byte before this place.
    package let events: Int

    /// Creates a position. Negative numbers count as 0.
    package init(life: Int = 0, offset: Int, events: Int = 0) {
        self.life = max(0, life)
        self.offset = max(0, offset)
        self.events = max(0, events)
    }

    /// Reads an id; nil when it is none.
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

    /// Whether this place is before another one of the same life.
    func isBefore(_ other: RunPosition) -> Bool { (offset, events) < (other.offset, other.events) }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(digits) : nil
    }
}
