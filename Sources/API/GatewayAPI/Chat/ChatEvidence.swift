/// A part of a note or a book that an answer may cite by its number.
public struct ChatPassage: Codable, Sendable, Hashable {
    /// The number in the prompt, from 1.
    public var number: Int
    /// The note's id; nil for a part of a book.
    public var note: Int64?
    /// The book's id; nil for a part of a note.
    public var book: Int64?
    /// The physical page of a book on which it begins, from 1.
    public var page: Int?
    /// The printed number of that page, if it is known.
    public var label: String?
    /// The physical page on which it ends.
    public var lastPage: Int?
    /// The title of the note or book.
    public var title: String
    /// The note's date, `YYYY-MM-DD`; for a book the page, such as `p. 42`.
    public var date: String
    /// The text that the model got.
    public var text: String
    /// The UTF-8 bytes in the note's content or the book's text: `[start, end]`, half-open.
    public var range: [Int]
    /// Where the bytes of ``text`` lie in the note or book, as pairs `[byte of text, byte there]` in order; each holds
    /// up to the next. Nil when the text is a plain copy from the start of ``range``.
    public var offsets: [[Int]]?
    /// The score in its search; comparable within one search only.
    public var score: Double?
    /// How the passage was ranked; absent for passages of tools that do not search.
    public var why: Why?
    /// ``search``, ``conversation``, or the name of the tool.
    public var source: String

    /// The source of passages that the question's own search found.
    public static let search = "search"
    /// The source of passages that an earlier question brought, and that the answer cites.
    public static let conversation = "conversation"

    /// How a passage was ranked.
    public struct Why: Codable, Sendable, Hashable {
        /// The cosine of the query's vector and the passage's; absent when meaning did not find it.
        public var meaning: Double?
        /// The rank by words; absent when no word occurs in it.
        public var words: Int?
        /// The words that occur in it.
        public var terms: [String]
        /// The reranker's score, and the rank before it; absent when it did not decide about this passage.
        public var rerank: RerankedPlace?

        /// Creates an explanation.
        public init(meaning: Double?, words: Int?, terms: [String], rerank: RerankedPlace? = nil) {
            self.rerank = rerank
            self.meaning = meaning
            self.words = words
            self.terms = terms
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case number, note, book, page, label
        case lastPage = "last_page"
        case title, date, text, range, offsets, score, why, source
    }

    /// Where bytes of ``text`` lie in the note or book.
    ///
    /// - Parameter part: UTF-8 bytes of ``text``.
    public func place(of part: Range<Int>) -> Range<Int> {
        let start = place(of: part.lowerBound)
        return start..<max(start, part.isEmpty ? start : place(of: part.upperBound - 1) + 1)
    }

    private func place(of byte: Int) -> Int {
        let (first, end) = (range.first ?? 0, range.last ?? 0)
        let pair = offsets?.last { $0.count == 2 && $0[0] <= byte } ?? [0, first]
        let (distance, isTooFar) = byte.subtractingReportingOverflow(pair[0])
        let (place, overflows) = pair[1].addingReportingOverflow(distance)
        return isTooFar || overflows ? end : min(max(first, place), max(first, end))
    }

    /// Creates a part of a note.
    public init(
        number: Int, note: Int64, title: String, date: String, text: String, range: Range<Int>, score: Double? = nil,
        why: Why? = nil, source: String
    ) {
        self.number = number
        self.note = note
        self.title = title
        self.date = date
        self.text = text
        self.range = [range.lowerBound, range.upperBound]
        self.score = score
        self.why = why
        self.source = source
    }

    /// Creates a part of a book.
    public init(
        number: Int, book: Int64, page: Int, label: String?, lastPage: Int, title: String, text: String,
        range: Range<Int>, offsets: [[Int]]?, score: Double? = nil, why: Why? = nil, source: String
    ) {
        self.number = number
        self.book = book
        self.page = page
        self.label = label
        self.lastPage = lastPage
        self.title = title
        date = "p. \(label ?? String(page))"
        self.text = text
        self.range = [range.lowerBound, range.upperBound]
        self.offsets = offsets
        self.score = score
        self.why = why
        self.source = source
    }
}

/// The worth of a citation, or of a sentence.
public enum ChatVerdict: String, Codable, Sendable, Hashable, CaseIterable {
    /// The cited passages say it.
    case supported
    /// Another passage says it, not the cited ones.
    case misattributed
    /// The cited passages say nearly this; something differs.
    case altered
    /// No passage is known to say it.
    case unsupported
    /// No passage has the number.
    case invented
    /// The sentence cites nothing.
    case uncited
}

/// A citation in an answer.
public struct ChatCitation: Codable, Sendable, Hashable {
    /// The UTF-8 bytes of the marker in the answer, half-open. Empty at the end of a sentence for a citation that the
    /// gateway added.
    public var marker: [Int]
    /// The cited number.
    public var number: Int
    /// The note of the passage with that number; absent for an invented one and for a book's.
    public var note: Int64?
    /// The book of the passage with that number; absent for an invented one and for a note's.
    public var book: Int64?
    /// What the citation is worth.
    public var verdict: ChatVerdict
    /// The passage that says it instead, with `misattributed`.
    public var belongsTo: Int?
    /// Where the passages say it, or nearly.
    public var evidence: [Evidence]

    /// A part of a passage.
    public struct Evidence: Codable, Sendable, Hashable {
        /// The passage's number.
        public var number: Int
        /// UTF-8 bytes of the passage's text, half-open.
        public var range: [Int]
        /// The same in the note's content or the book's text; nil from an older gateway.
        public var place: [Int]?

        /// Creates evidence.
        ///
        /// - Parameters:
        ///   - range: UTF-8 bytes of the passage's text.
        ///   - place: The same in the note's content or the book's text.
        public init(number: Int, range: Range<Int>, place: Range<Int>? = nil) {
            self.number = number
            self.range = [range.lowerBound, range.upperBound]
            self.place = place.map { [$0.lowerBound, $0.upperBound] }
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case marker, number, note, book, verdict
        case belongsTo = "belongs_to"
        case evidence
    }

    /// Creates a citation.
    public init(
        marker: Range<Int>, number: Int, note: Int64?, book: Int64? = nil, verdict: ChatVerdict,
        belongsTo: Int? = nil, evidence: [Evidence] = []
    ) {
        self.marker = [marker.lowerBound, marker.upperBound]
        self.number = number
        self.note = note
        self.book = book
        self.verdict = verdict
        self.belongsTo = belongsTo
        self.evidence = evidence
    }
}

/// A sentence of an answer with the worth of its citations.
public struct ChatSentence: Codable, Sendable, Hashable {
    /// The UTF-8 bytes in the answer, half-open.
    public var range: [Int]
    /// What its citations are worth.
    public var verdict: ChatVerdict
    /// The passage that says it although it is not cited; absent when none does.
    public var support: Int?
    /// How much of the sentence the passages say, 0 to 1.
    public var score: Double
    /// What differs from the passages, such as `number`.
    public var differences: [String]

    /// Creates a sentence.
    public init(range: Range<Int>, verdict: ChatVerdict, support: Int?, score: Double, differences: [String]) {
        self.range = [range.lowerBound, range.upperBound]
        self.verdict = verdict
        self.support = support
        self.score = score
        self.differences = differences
    }
}

/// A call of a tool.
public struct ChatToolUse: Codable, Sendable, Hashable {
    /// The call's id, unique within the run.
    public var id: String
    /// The tool's name.
    public var name: String
    /// The arguments.
    public var arguments: JSONValue?
    /// `running`, `done`, `failed`, `refused` or `repeated`.
    public var state: State
    /// What came of it, in a line.
    public var summary: String
    /// The size of the result in bytes, as the model got it.
    public var bytes: Int

    /// The state of a call.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        case running, done, failed, refused, repeated
    }

    /// Creates a use.
    public init(id: String, name: String, arguments: JSONValue?, state: State, summary: String = "", bytes: Int = 0) {
        self.id = id
        self.name = name
        self.arguments = arguments
        self.state = state
        self.summary = summary
        self.bytes = bytes
    }
}
