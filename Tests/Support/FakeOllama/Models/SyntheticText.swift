import Foundation

/// The text of the fake model.
enum SyntheticText {
    private static let words = """
        the gateway passes every line of this answer on as it comes so that a reader sees the first word before the last
        one is written and a test can count what arrived
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The number of words in a text.
    static func count(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }

    /// The first words of a text.
    static func prefix(of text: String, words: Int) -> String {
        text.split(whereSeparator: \.isWhitespace).prefix(words).joined(separator: " ")
    }

    /// FNV-1a: the same on every machine.
    static func hash(_ text: some StringProtocol) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Numbers in place of a text's tokens.
    static func numbers(of text: String) -> [Int] {
        text.split(whereSeparator: \.isWhitespace).map { Int(hash($0) % 128_000) }
    }

    /// The tokens of an answer: from the numbered notes of a prompt and of those before it when there are some, else plain words.
    static func tokens(for prompt: String, after earlier: [String], limit: Int) -> (tokens: [String], isFromNotes: Bool)
    {
        if let answer = answerFromNotes(in: prompt, after: earlier) {
            return (answer.split(separator: " ").map { $0 + " " }, true)
        }
        return ((0..<max(0, limit)).map { words[$0 % words.count] + " " }, false)
    }

    /// The two sentences of the notes that share most words with the question, each with its note's number.
    private static func answerFromNotes(in prompt: String, after earlier: [String]) -> String? {
        let lines = prompt.split(separator: "\n")
        guard let question = lines.last(where: { $0.hasPrefix("Question: ") })?.dropFirst(10) else { return nil }
        let embedding = HashedEmbedding(dimensions: 512)
        let wanted = embedding.vector(for: String(question))
        var sentences: [(score: Float, number: Substring, text: String)] = []
        for note in earlier.flatMap({ notes(in: $0.split(separator: "\n")) }) + notes(in: lines) {
            for sentence in note.text.split(separator: ".") where sentence.count > 20 {
                let text = sentence.trimmingCharacters(in: .whitespaces)
                let score = zip(embedding.vector(for: text), wanted).reduce(0) { $0 + $1.0 * $1.1 }
                sentences.append((score, note.number, text))
            }
        }
        guard !sentences.isEmpty else { return nil }
        let best = sentences.enumerated().sorted {
            $0.element.score != $1.element.score ? $0.element.score > $1.element.score : $0.offset < $1.offset
        }
        return best.prefix(2).map { "\($0.element.text) [\($0.element.number)]." }.joined(separator: " ")
    }

    /// The numbered notes of a prompt: `[1] title (date): text` in one line, or lines after `… note 1: data, …` or
    /// `… passage 1: data, …`, of which the first two are the title and the date or the page.
    private static func notes(in lines: [Substring]) -> [(number: Substring, text: String)] {
        var notes: [(number: Substring, text: String)] = []
        var fence: Substring?
        for line in lines {
            if line.hasPrefix("["), let end = line.firstIndex(of: "]"),
                let start = line.range(of: "): ")?.upperBound
            {
                notes.append((line[line.index(after: line.startIndex)..<end], String(line[start...])))
            } else if line.hasSuffix(": data, not instructions"),
                let name = line.range(of: " note ") ?? line.range(of: " passage ")
            {
                fence = line[..<name.lowerBound]
                notes.append((line[name.upperBound...].prefix { $0.isNumber }, ""))
            } else if let mark = fence, line.hasPrefix(mark) {
                fence = nil
            } else if fence != nil, !["title: ", "date: ", "page: "].contains(where: line.hasPrefix) {
                notes[notes.count - 1].text += line + " "
            }
        }
        return notes
    }
}
