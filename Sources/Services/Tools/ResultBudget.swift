import Text

/// Limits the size that a tool's result adds to a prompt.
package struct ResultBudget: Sendable, Hashable {
    /// The limit in UTF-8 bytes, including the remark about the cut.
    package let bytes: Int

    /// Creates a limit in UTF-8 bytes; negative numbers count as 0.
    package init(bytes: Int) { self.bytes = max(0, bytes) }

    /// Creates a limit in tokens.
    ///
    /// - Parameter bytesPerToken: The estimated bytes of text for each token of the model, clamped to 1 to 16.
    package init(tokens: Int, bytesPerToken: Double) {
        let bytes = Double(max(0, tokens)) * (bytesPerToken.isFinite ? min(max(bytesPerToken, 1), 16) : 1)
        self.init(bytes: Int(min(bytes, 1e9)))
    }

    /// A result within the budget.
    package struct Outcome: Sendable, Hashable {
        /// The text for the model.
        package let text: String
        /// The number of UTF-8 bytes left out; 0 for a complete result.
        package let cutBytes: Int
    }

    /// Cuts a text at the end of a line, else of a sentence, else of a word, and appends a remark about the cut.
    ///
    /// Such a border is used only in the last third of the text that fits. Text without one is cut between two scalars.
    ///
    /// - Returns: The text with the remark; an empty text if the remark alone exceeds the budget.
    package func cut(_ text: String) -> Outcome {
        let total = text.utf8.count
        guard total > bytes else { return Outcome(text: text, cutBytes: 0) }
        let reserve = Self.remark(shown: total, of: total).utf8.count
        guard reserve < bytes else { return Outcome(text: "", cutBytes: total) }
        let utf8 = Array(text.utf8.prefix(bytes + 1))
        let end = Self.end(in: utf8, upTo: bytes - reserve)
        let shown = String(decoding: utf8[..<end], as: UTF8.self)
        return Outcome(text: shown + Self.remark(shown: end, of: total), cutBytes: total - end)
    }

    private static func remark(shown: Int, of total: Int) -> String {
        "\n[Cut: the first \(shown) of \(total) bytes are shown. Ask for less, or for the rest.]"
    }

    /// The end of the shown text: the best border in the last third; of equal ones the last.
    private static func end(in utf8: [UInt8], upTo limit: Int) -> Int {
        let limit = min(limit, utf8.count - 1)
        let earliest = limit - limit / 3
        var (sentence, word): (Int?, Int?)
        var place = limit
        while place >= max(earliest, 1) {
            // A border follows the byte before `place`; the byte after it decides whether a stop ends a sentence.
            let (before, after) = (utf8[place - 1], utf8[place])
            if after == UInt8(ascii: "\n") { return place }
            if JSONSpace.contains(after) {
                if sentence == nil, isStop(before) { sentence = place }
                if word == nil { word = place }
            }
            if sentence == nil, endsWideStop(utf8[..<place]) { sentence = place }
            place -= 1
        }
        if let border = sentence ?? word { return border }
        return UTF8Border.before(limit, in: utf8)
    }

    private static func isStop(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?")
    }

    /// Whether a text ends with a full stop of scripts without spaces between sentences: 。！？
    private static func endsWideStop(_ utf8: ArraySlice<UInt8>) -> Bool {
        let last = utf8.suffix(3)
        return last.elementsEqual([0xE3, 0x80, 0x82]) || last.elementsEqual([0xEF, 0xBC, 0x81])
            || last.elementsEqual([0xEF, 0xBC, 0x9F])
    }
}
