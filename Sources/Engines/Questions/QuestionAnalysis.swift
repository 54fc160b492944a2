package import Goals
import Language

/// What a question is about, read from its words without a model.
package struct QuestionAnalysis: Sendable, Hashable {
    /// What kind of answer a question wants.
    package enum Kind: String, Sendable, CaseIterable {
        /// Something that the notes say.
        case lookup
        /// When something was, or what was in a stretch of time.
        case time
        /// What comes back again and again.
        case pattern
        case summary
        /// How things differ.
        case comparison
        /// Something that is true beside the notes.
        case knowledge
    }

    /// A thread or a book that the question names.
    package struct Name: Sendable, Hashable {
        /// The row's id.
        package var id: Int64
        /// The thread's name or the book's title.
        package var text: String

        package init(id: Int64, text: String) {
            self.id = id
            self.text = text
        }
    }

    /// What kind of answer the question wants.
    package var kind: Kind
    /// The days that the question is about; nil for any time.
    package var stretch: CalendarStretch?
    /// The words that carry the question, in order, each once.
    package var keywords: [String]
    /// Texts between quotation marks.
    package var phrases: [String]
    /// What the answer must not be about.
    package var excluded: [String]
    package var threads: [Name] = []
    package var books: [Name] = []
    /// The question without its words of time and without what is excluded; the question itself when nothing else is left.
    package var rest: String

    /// Reads a question. The same question gives the same analysis.
    ///
    /// - Parameters:
    ///   - question: The first 2,000 bytes are read.
    ///   - today: The person's current day.
    ///   - firstWeekday: The first day of a week, 0 for Sunday.
    ///   - threads: The threads that may be named.
    ///   - books: The books that may be named.
    package init(
        _ question: String, today: LocalDay, firstWeekday: Int = 1, threads: [Name] = [], books: [Name] = []
    ) {
        let text = question.utf8.count <= 2000 ? question : String(decoding: question.utf8.prefix(2000), as: UTF8.self)
        let words = TextWord.words(of: text[...], limit: 200)
        let quotes = Quotes.find(in: text)
        // What is quoted is looked for as it is written.
        let isQuoted = words.map { word in quotes.contains { $0.range.overlaps(word.range) } }
        phrases = quotes.map(\.text)
        let places = CalendarPlaces(today: today, firstWeekday: firstWeekday)
        let time = TimeScopeReader(words: words, places: places).read().flatMap { found in
            found.range.contains { isQuoted[$0] } ? nil : found
        }
        let exclusions = Exclusions.find(in: words, isQuoted: isQuoted, time: time?.range)
        excluded = exclusions.flatMap(\.texts)
        stretch = time?.stretch
        self.threads = Self.named(threads, in: words, after: ["thread", "threads", "faden", "fäden", "thema"])
        self.books = Self.named(books, in: words, after: ["book", "buch", "novel", "roman"])

        var used = Set(exclusions.flatMap { Array($0.range) })
        if let time { used.formUnion(time.range) }
        keywords = Keywords.find(in: words, without: used)
        kind = QuestionKind.of(words, text: text, hasTime: time != nil, keywords: keywords, phrases: phrases)
        let kept = Self.text(text, without: used, words)
        rest = used.isEmpty || !kept.contains { $0.isLetter || $0.isNumber } ? question : kept
    }

    /// The names whose words stand in the question one after the other. A name of one word has to be capitalised or stand
    /// beside a word such as "thread".
    private static func named(_ names: [Name], in words: [TextWord], after marks: Set<String>) -> [Name] {
        guard !names.isEmpty else { return [] }
        let starts = WordStarts(words)
        return names.filter { name in
            guard starts.mayHave(name.text) else { return false }
            let parts = TextWord.words(of: name.text.prefix(200), limit: 20).map(\.text)
            guard let first = parts.first else { return false }
            return words.indices.contains { index in
                guard words[index].text == first, words.has(parts, at: index) else { return false }
                if parts.count > 1 { return true }
                let isMarked = marks.contains(words.word(index - 1)) || marks.contains(words.word(index + 1))
                return isMarked || index > 0 && words[index].isCapital && first.count > 3
            }
        }
    }

    /// A text without some of its words and the spaces that they leave.
    private static func text(_ text: String, without used: Set<Int>, _ words: [TextWord]) -> String {
        var result = ""
        var place = text.startIndex
        for index in used.sorted() {
            result += text[place..<words[index].range.lowerBound]
            place = words[index].range.upperBound
        }
        result += text[place...]
        return result.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
