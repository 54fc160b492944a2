package import Access
package import Goals
package import Questions
package import Schedules
import Text

/// A search over all kinds, read and checked.
package struct FindQuestion: Sendable {
    /// The longest text in bytes: one that a person types into a box.
    package static let maxBytes = 2000

    /// The text as it was sent.
    package let written: String
    /// Its operators.
    package let operators: OperatorQuery
    /// The text without operators; empty when it has only filters.
    package let text: String
    /// The words that carry the text, with those of phrases and choices.
    package let words: [FindWord]
    /// What kinds without a ranking look for: groups of which each has one text that must be there.
    package let groups: [[String]]
    /// The earliest and the latest time in seconds since 1970; nil for an open end.
    package let since: Int64?
    package let until: Int64?
    /// The caller, for a fair share and the payer for the query's vector.
    package let account: TokenAccount

    /// - Parameters:
    ///   - written: At most ``maxBytes``.
    ///   - rule: The person's days.
    ///   - firstWeekday: The first day of a week, 0 for Sunday.
    package init(
        _ written: String, rule: DayRule, firstWeekday: Int, now: Instant, account: TokenAccount = .local
    ) {
        let today = rule.day(of: now)
        self.written = written
        self.account = account
        operators = OperatorReader.read(written, CalendarPlaces(today: today, firstWeekday: firstWeekday))
        text = operators.text(of: written)
        since = operators.days?.first.map { rule.instants(of: $0).lowerBound.seconds }
        until = operators.days?.last.map { rule.instants(of: $0).upperBound.seconds - 1 }
        var (words, seen) = ([FindWord](), Set<String>())
        for term in operators.terms + operators.choices.flatMap(\.self) {
            let isPhrase = if case .phrase = term { true } else { false }
            // A mark at the end of a word belongs to the sentence.
            let text = isPhrase ? term.text : Self.bare(term.text)
            guard text.contains(where: { !$0.isPunctuation }), seen.insert(TextFolding.folded(text)).inserted else {
                continue
            }
            words.append(FindWord(text, weight: isPhrase || Self.carries(text, today) ? 1 : FindWord.commonWeight))
        }
        self.words = Array(words.prefix(FindWord.most))
        groups = Self.groups(operators, words: self.words)
    }

    /// Whether a word carries the text: it is no word such as "the" or "yesterday". A single character counts when it may be a
    /// whole word, as those of Chinese are.
    private static func carries(_ word: String, _ today: LocalDay) -> Bool {
        if word.count == 1 { return word.utf8.count > 2 }
        return !QuestionAnalysis(word, today: today).keywords.isEmpty
    }

    /// What must be there: phrases, one of each choice, and the words that carry the text, or all words when none does.
    private static func groups(_ operators: OperatorQuery, words: [FindWord]) -> [[String]] {
        let choices = operators.choices.map { $0.map { bare($0.text) } }
        let phrases = Set(operators.phrases)
        let chosen = Set(choices.flatMap(\.self))
        let single = words.filter { !phrases.contains($0.text) && !chosen.contains($0.text) }
        let carrying = single.filter { $0.weight == 1 }
        let needed = carrying.isEmpty && phrases.isEmpty && choices.isEmpty ? single : carrying
        return operators.phrases.map { [$0] } + choices + needed.map { [$0.text] }
    }

    /// A word without the marks of a sentence around it; the word itself when nothing else is left.
    private static func bare(_ word: String) -> String {
        let marks = ".,;:!?()[]{}'’…"
        var text = word[...].drop { marks.contains($0) }
        while let last = text.last, marks.contains(last) { text.removeLast() }
        return text.isEmpty ? word : String(text)
    }
}
