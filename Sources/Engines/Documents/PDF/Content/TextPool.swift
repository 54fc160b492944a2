/// Texts of glyphs as one number each: a scalar, or the place of a longer text.
final class TextPool {
    /// Marks the place of a longer text.
    private static let isLong: UInt32 = 1 << 31
    private static let maxTexts = 1 << 20

    private var texts: [[UInt32]] = []
    private var places: [[UInt32]: UInt32] = [:]

    /// A character that shows nothing and means nothing.
    static let nothing = UInt32.max

    /// Returns the number of a text; 0 for an empty one.
    func number(_ text: [UInt32]) -> UInt32 {
        if text.count == 1 { return text[0] }
        guard let first = text.first else { return 0 }
        if let place = places[text] { return place | Self.isLong }
        guard texts.count < Self.maxTexts else { return first }
        let place = UInt32(texts.count)
        texts.append(text)
        places[text] = place
        return place | Self.isLong
    }

    /// Returns the number of a text; 0 for an unknown one, ``nothing`` for an empty one.
    func number(known text: [UInt32]?) -> UInt32 {
        guard let text else { return 0 }
        return text.isEmpty ? Self.nothing : number(text)
    }

    func forEachScalar(_ number: UInt32, _ body: (UInt32) -> Void) {
        guard number & Self.isLong != 0 else {
            if number > 0 { body(number) }
            return
        }
        let place = Int(number & ~Self.isLong)
        if place < texts.count { texts[place].forEach(body) }
    }
}
