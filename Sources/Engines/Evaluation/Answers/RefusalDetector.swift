/// Recognises answers such as "The notes do not say."
///
/// An answer is a refusal when one of its sentences says that the notes, or the model, have no answer, and the answer has
/// no supported claim. The rule knows English and German; other phrases can be added.
package struct RefusalDetector: Sendable {
    private let phrases: [String]
    private static let sources = [
        "note", "passage", "excerpt", "the text", "context", "notiz", "aufzeichnung", "textstelle",
    ]
    private static let denials = [
        " not ", "n't ", " no ", " none ", " nothing ", "cannot ", " without ", " nicht", " kein", " nichts",
    ]
    private static let verbs = [
        "say", "said", "hold", "contain", "mention", "include", "tell", "answer", "information", "specif", "state",
        "provide", "find", "found", "cover", "record", "describe", "indicate", "sagen", "sagt", "steh", "enth",
        "erwähn",
        "antwort", "hinweis", "angabe", "finde", "information",
    ]
    private static let own = [
        "i do not know", "i don't know", "i cannot find", "i can't find", "i could not find", "i couldn't find",
        "i cannot answer", "i can't answer", "there is no answer", "no answer in", "ich weiß es nicht",
        "das weiß ich nicht", "dazu steht nichts",
    ]

    /// Creates the rule.
    ///
    /// - Parameter phrases: Further phrases that make a sentence a refusal, case ignored.
    package init(phrases: [String] = []) {
        self.phrases = Self.own + phrases.map(Self.folded).filter { !$0.isEmpty }
    }

    /// Whether a text has a sentence of refusal.
    package func isIn(_ text: String) -> Bool {
        text.split { ".!?\n。！？".contains($0) }.contains { sentence in
            let sentence = " " + Self.folded(String(sentence)) + " "
            if phrases.contains(where: { sentence.contains($0) }) { return true }
            func has(_ words: [String]) -> Bool { words.contains { sentence.contains($0) } }
            return has(Self.sources) && has(Self.denials) && has(Self.verbs)
        }
    }

    private static func folded(_ text: String) -> String {
        text.lowercased().replacing("’", with: "'").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
