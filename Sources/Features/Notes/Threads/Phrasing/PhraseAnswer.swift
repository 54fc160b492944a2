import Citations
import GatewayAPI
import Language
import Text

/// What is of use in a model's answer: names that are of the notes' words, and sentences that notes support.
struct PhraseAnswer: Sendable, Hashable {
    /// Words of a name.
    private static let maxWords = 8
    /// Characters of a name.
    private static let maxName = 60
    /// UTF-8 bytes of a sentence.
    private static let sentenceBytes = 12...320
    /// Letters by which a word of a name is found in the notes.
    private static let stem = 4

    /// The names, in their order; nil unless all of them are of use.
    private(set) var names: [String]?
    /// The sentences that their notes support.
    private(set) var sentences: [ThreadPhrasing.Sentence] = []

    /// Reads and checks an answer. One that is not as asked has nothing.
    ///
    /// - Parameter taken: The folded names that threads and other proposals have.
    init(_ answer: String, to question: PhraseQuestion, taken: Set<String>) {
        guard let value = (try? JSONDocument(parsing: Array(answer.utf8)))?.value, case .object(let members) = value
        else { return }
        if !question.names.isEmpty, case .array(let items)? = members["names"] {
            names = Self.names(items, question, taken)
        }
        guard case .array(let items)? = members["sentences"] else { return }
        let check = CitationCheck(passages: question.notes.map(\.text))
        var seen: Set<String> = []
        for item in items.prefix(PhraseModel.maxSentences) {
            guard case .object(let fields) = item, case .string(let text)? = fields["text"],
                case .array(let numbers)? = fields["notes"],
                let sentence = Self.sentence(text, numbers, question, check),
                seen.insert(TextFolding.folded(sentence.text)).inserted
            else { continue }
            sentences.append(sentence)
        }
    }

    // MARK: Names

    private static func names(_ items: [JSONValue], _ question: PhraseQuestion, _ taken: Set<String>) -> [String]? {
        guard items.count == question.names.count else { return nil }
        var taken = taken
        var names: [String] = []
        for (item, numbers) in zip(items, question.names) {
            guard case .string(let text) = item,
                let name = name(text, of: numbers.map { question.notes[$0 - 1].text }),
                taken.insert(TextFolding.folded(name)).inserted
            else { return nil }
            names.append(name)
        }
        return names
    }

    /// A name on one line without marks around it; nil for one that is too long, or not of the notes' words.
    private static func name(_ text: String, of notes: [String]) -> String? {
        guard text.utf8.count <= 512 else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let name = String(words.drop(while: isAround).reversed().drop(while: isAround).reversed())
        guard (2...maxName).contains(name.count), name.unicodeScalars.allSatisfy(isPlain) else { return nil }
        let found = TextWord.words(of: name[...], limit: maxWords + 1)
        let long = found.filter { $0.text.count >= stem }
        guard (1...maxWords).contains(found.count), !long.isEmpty else { return nil }
        let known = Set(
            notes.flatMap { note in
                TextWord.words(of: note[...], limit: 2000).map { String(TextFolding.folded($0.text).prefix(stem)) }
            })
        let ofNotes = long.filter { known.contains(String(TextFolding.folded($0.text).prefix(stem))) }
        return ofNotes.count * 2 > long.count ? name : nil
    }

    private static func isAround(_ character: Character) -> Bool {
        "\"'“”„‚‘’«»*_#`.:; ".contains(character)
    }

    /// Whether a character may stand in a name: no control, no mark of Markdown or of a citation, none that turns the writing.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: !"[]{}<>|`\\".unicodeScalars.contains(scalar)
        }
    }

    // MARK: Sentences

    /// A sentence with the notes that support it; nil when they do not.
    private static func sentence(
        _ text: String, _ numbers: [JSONValue], _ question: PhraseQuestion, _ check: CitationCheck
    ) -> ThreadPhrasing.Sentence? {
        var line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard sentenceBytes.contains(line.utf8.count), line.unicodeScalars.allSatisfy(isPlain) else { return nil }
        if let last = line.last, !".!?…".contains(last) { line += "." }
        var cited: [Int] = []
        for number in numbers.prefix(CitationLimits.maxCited) {
            guard case .integer(let number) = number, let number = Int(exactly: number),
                (1...question.notes.count).contains(number)
            else { return nil }
            if !cited.contains(number) { cited.append(number) }
        }
        guard !cited.isEmpty else { return nil }
        // The sentence as an answer would cite it: its markers before the full stop.
        let end = line.removeLast()
        let checked = check.check(line + " " + cited.map { "[\($0)]" }.joined() + String(end))
        guard checked.count == 1, let only = checked.first, only.verdict == .supported else { return nil }
        let supporting = Set(only.evidence.map(\.passage))
        let notes = cited.filter(supporting.contains).map { question.notes[$0 - 1].id }
        return notes.isEmpty ? nil : ThreadPhrasing.Sentence(text: line + String(end), notes: notes)
    }
}
