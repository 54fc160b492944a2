import Language
import Text

/// The title and the day of a note: what a sentence says of them needs no support by the note's text.
package struct PassageHeading: Sendable, Hashable {
    /// The title; empty for none.
    package var title: String
    /// The day as `YYYY-MM-DD`, perhaps with a time behind it; empty for none.
    package var date: String

    package init(title: String, date: String) { (self.title, self.date) = (title, date) }

    static let none = PassageHeading(title: "", date: "")
}

/// Finds in a sentence the words that tell a note's title or day, in the usual forms of English and German, with the words that lead
/// to them: `On 16 August 2026 …`, `Your note of 2026-08-16 says that …`, `**Tide (16.8.2026):** …`, `Laut deiner Notiz vom 16. August …`.
struct HeadingReader {
    /// Words that lead from a title or a day to what a note says, in the fold of ``TextFolding``.
    private static let leads = WordList.plain(
        """
        on in at of from dated by for as the a an your my this that one note notes entry diary journal called titled \
        named according to per says say said states stated mentions mentioned notes noted records recorded wrote write \
        written you it reads shows describes explains reports was is created about date title day am vom von im der \
        die das den dem des deine deiner deinem meine meiner eine einer notiz notizen eintrag tagebuch laut nach \
        gemass gemäß gemäss zufolge steht stand sagt besagt heisst heißt hieß hiess es dass du hast schreibst \
        schriebst geschrieben notiert notiertest erwahnt erwähnt erwähntest erwahntest datiert mit titel datum tag s \
        st nd rd th
        """)

    /// A day that a heading has.
    private struct Day {
        var year: Int
        var month: Int
        var day: Int

        init?(_ text: String) {
            let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            guard text.utf8.count >= 10, parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2])
            else { return nil }
            (year, month, day) = (parts[0], parts[1], parts[2])
        }

        /// 0 for Sunday, by Sakamoto's method.
        var weekday: Int {
            let year = month < 3 ? year - 1 : year
            let shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1]
            return (year + year / 4 - year / 100 + year / 400 + shift + day) % 7
        }
    }

    private let title: [String]
    private let day: Day?
    /// Whether the passage speaks of days itself: then one within the sentence is compared with those.
    private let hasDays: Bool

    init(_ heading: PassageHeading, passage: String) {
        let text = ScalarText(heading.title, maxBytes: 1024)
        title = Self.words(Lexeme.lexemes(of: text, in: 0..<text.scalars.count)).map(\.folded)
        day = Day(heading.date)
        let body = ScalarText(passage, maxBytes: CitationLimits.maxPassageBytes)
        let lexemes = Lexeme.lexemes(of: body, in: 0..<body.scalars.count)
        hasDays = Self.hasDays(lexemes)
    }

    private static func words(_ lexemes: [Lexeme]) -> [Lexeme] { lexemes.filter { $0.kind != .sign } }

    /// Whether words name a day, perhaps another one than the note's: a month beside a number, numbers between dots, dashes or
    /// slashes, a weekday, `tomorrow`, `next week`. `today` is the note's own day.
    private static func hasDays(_ lexemes: [Lexeme]) -> Bool {
        for (place, lexeme) in lexemes.enumerated() {
            if lexeme.kind == .word, isOtherDay(at: place, in: lexemes) { return true }
            if lexeme.kind == .word, month(lexeme.folded) != nil {
                let near = lexemes[max(0, place - 3)..<min(lexemes.count, place + 3)]
                if near.contains(where: { $0.kind == .digits }) { return true }
            }
            if lexeme.kind == .digits, place + 2 < lexemes.count, lexemes[place + 2].kind == .digits,
                [".", "-", "/"].contains(lexemes[place + 1].folded), place + 3 < lexemes.count,
                [".", "-", "/"].contains(lexemes[place + 3].folded)
            {
                return true
            }
        }
        return false
    }

    /// Whether a weekday, or words that count from the note's day, stand at a place.
    private static func isOtherDay(at place: Int, in lexemes: [Lexeme]) -> Bool {
        let word = lexemes[place].folded
        if CalendarWords.weekdays[word] != nil || Self.relative.contains(word) { return true }
        // "Am Morgen" is a time of the day.
        if word == "morgen" {
            return place == 0 || !["am", "guten", "heute", "jeden"].contains(lexemes[place - 1].folded)
        }
        guard Self.beside.contains(word), place + 1 < lexemes.count else { return false }
        let next = lexemes[place + 1].folded
        return CalendarWords.units[next] != nil || month(next) != nil || ["weekend", "wochenende"].contains(next)
    }

    /// Words for days beside the note's day.
    private static let relative = WordList.plain("yesterday tomorrow tmrw gestern vorgestern übermorgen")
    /// Words that make a unit of the calendar another one than that of the note's day.
    private static let beside: Set<String> = [
        "next", "last", "coming", "following", "previous", "nächste", "nächsten", "nächster", "nächstes", "kommende",
        "kommenden", "kommender", "kommendes", "folgende", "folgenden", "letzte", "letzten", "letzter", "letztes",
        "vorige", "vorigen", "vergangene", "vergangenen",
    ]

    /// The number of a month by its name or its short name.
    private static func month(_ word: String) -> Int? {
        CalendarWords.months[word] ?? (["mrz", "mär"].contains(word) ? 3 : nil)
    }

    /// The lexemes of a sentence without those of its citations.
    ///
    /// - Parameter markers: Characters of the sentence's citations, in their order.
    static func lexemes(of text: ScalarText, in sentence: Range<Int>, markers: [Range<Int>]) -> [Lexeme] {
        var rest = markers[...]
        return Lexeme.lexemes(of: text, in: sentence).filter { lexeme in
            while let first = rest.first, first.upperBound <= lexeme.range.lowerBound { rest.removeFirst() }
            return rest.first?.contains(lexeme.range.lowerBound) != true
        }
    }

    /// The characters of a sentence that tell the title or the day and what leads to them. Empty when it tells neither.
    ///
    /// - Parameters:
    ///   - sentence: The characters of the sentence.
    ///   - lexemes: Those of the sentence without its citations.
    func ranges(in sentence: Range<Int>, _ lexemes: [Lexeme]) -> [Range<Int>] {
        guard day != nil || !title.isEmpty, !lexemes.isEmpty else { return [] }
        // By lexeme: where a phrase that begins there ends.
        var ends = [Int?](repeating: nil, count: lexemes.count)
        for place in lexemes.indices { ends[place] = phrase(at: place, in: lexemes) }
        var found: [Range<Int>] = []
        let beginning = self.beginning(of: lexemes, ends)
        if beginning > 0 { found.append(sentence.lowerBound..<lexemes[beginning - 1].range.upperBound) }
        var place = beginning
        while place < lexemes.count {
            guard let end = ends[place] else {
                place += 1
                continue
            }
            if !hasDays || isTitle(at: place, in: lexemes) != nil {
                // The preposition goes with it.
                let isLed =
                    place > beginning
                    && ["on", "of", "from", "dated", "am", "vom", "von"].contains(lexemes[place - 1].folded)
                let first = isLed ? place - 1 : place
                found.append(lexemes[first].range.lowerBound..<lexemes[end - 1].range.upperBound)
            }
            place = end
        }
        return found
    }

    /// How many of the first lexemes only lead to the note: its title, its day, and words such as `your note of … says that`.
    private func beginning(of lexemes: [Lexeme], _ ends: [Int?]) -> Int {
        var place = 0
        var hasPhrase = false
        while place < lexemes.count {
            if let end = ends[place] {
                hasPhrase = true
                place = end
            } else if lexemes[place].kind == .sign || Self.leads.contains(lexemes[place].folded) {
                place += 1
            } else {
                break
            }
        }
        return hasPhrase ? place : 0
    }

    /// Where a phrase that begins at a lexeme ends; nil when none begins there.
    private func phrase(at place: Int, in lexemes: [Lexeme]) -> Int? {
        let end = [isTitle(at: place, in: lexemes), day.flatMap { Self.day($0, at: place, in: lexemes) }].compactMap {
            $0
        }.max()
        return end
    }

    /// A title of one word counts only in quotation marks or bold.
    private func isTitle(at place: Int, in lexemes: [Lexeme]) -> Int? {
        guard let first = title.first, lexemes[place].folded == first else { return nil }
        var index = place
        for word in title {
            while index > place, index < lexemes.count, lexemes[index].kind == .sign { index += 1 }
            guard index < lexemes.count, lexemes[index].folded == word else { return nil }
            index += 1
        }
        if title.count > 1 { return index }
        let marks = ["\"", "“", "”", "„", "'", "‘", "’", "*", "_", "«", "»", "`"]
        let isMarked =
            place > 0 && marks.contains(lexemes[place - 1].folded) && index < lexemes.count
            && (marks.contains(lexemes[index].folded) || lexemes[index].folded == "(" || lexemes[index].folded == ":")
        let isNamed =
            place > 0 && ["note", "notiz", "titled", "called", "entry", "eintrag"].contains(lexemes[place - 1].folded)
        return isMarked || isNamed ? index : nil
    }

    /// The end of a day that begins at a lexeme, perhaps with its weekday; nil when none begins there.
    private static func day(_ day: Day, at start: Int, in lexemes: [Lexeme]) -> Int? {
        let word = lexemes[start]
        guard word.kind == .word, isWeekday(word.folded, day.weekday) else { return date(day, at: start, in: lexemes) }
        var next = start + 1
        while next < lexemes.count, Self.afterWeekday.contains(lexemes[next].folded) { next += 1 }
        if let end = date(day, at: next, in: lexemes) { return end }
        return word.folded.utf8.count > 3 ? start + 1 : nil
    }

    private static let afterWeekday: Set<String> = [",", ".", "the", "den", "dem", "der"]

    /// Whether a word is the name of a weekday, or its first two or three letters.
    private static func isWeekday(_ word: String, _ number: Int) -> Bool {
        if (2...3).contains(word.utf8.count) {
            return CalendarWords.weekdays.contains { $0.value == number && $0.key.hasPrefix(word) }
        }
        return CalendarWords.weekdays[word] == number
    }

    /// The end of a date without a weekday; nil when none begins at a lexeme.
    private static func date(_ day: Day, at start: Int, in lexemes: [Lexeme]) -> Int? {
        var place = start
        func lexeme(_ index: Int) -> Lexeme? { lexemes.indices.contains(index) ? lexemes[index] : nil }
        func isWord(_ index: Int, _ words: Set<String>) -> Bool {
            lexeme(index).map { words.contains($0.folded) } ?? false
        }
        func number(_ index: Int) -> Int? { lexeme(index).flatMap { $0.kind == .digits ? Int($0.folded) : nil } }
        func isYear(_ index: Int) -> Bool {
            number(index) == day.year || number(index) == day.year % 100 && lexeme(index)?.range.count == 2
        }
        /// Skips signs and small words between parts.
        func past(_ index: Int, _ small: Set<String>) -> Int {
            var index = index
            while isWord(index, small) { index += 1 }
            return index
        }
        if isWord(place, ["the"]) { place += 1 }
        let separators: Set<String> = [".", "/", "-", "–", "‑"]
        // 2026-08-16, 20260816
        if number(place) == day.year {
            if isWord(place + 1, separators), number(place + 2) == day.month {
                let hasDay = isWord(place + 3, separators) && number(place + 4) != nil
                if hasDay { return number(place + 4) == day.day ? place + 5 : nil }
                return place + 3
            }
            return nil
        }
        if number(place) == day.year * 10_000 + day.month * 100 + day.day { return place + 1 }
        // 16.8.2026, 8/16/2026, 16.8.
        if let first = number(place), isWord(place + 1, separators), let second = number(place + 2) {
            let isSlash = isWord(place + 1, ["/"])
            let isDay = first == day.day && second == day.month || isSlash && first == day.month && second == day.day
            if isDay {
                if isWord(place + 3, separators), number(place + 4) != nil {
                    return isYear(place + 4) ? place + 5 : nil
                }
                return isWord(place + 1, ["."]) && isWord(place + 3, ["."]) ? place + 4 : isSlash ? place + 3 : nil
            }
            if first == day.month, number(place + 2) == day.year { return place + 3 }
            return nil
        }
        // 16 August 2026, 16th of August, 16. August
        let ordinals: Set<String> = ["st", "nd", "rd", "th", ".", "of", "-", "ten", "te"]
        if number(place) == day.day {
            let named = past(place + 1, ordinals)
            guard let word = lexeme(named), word.kind == .word, month(word.folded) == day.month else { return nil }
            return yearEnd(past(named + 1, [".", ",", "of"]), after: named + 1, number, isYear)
        }
        // August 16, 2026; August 2026
        if let word = lexeme(place), word.kind == .word, month(word.folded) == day.month {
            let next = past(place + 1, [".", "the"])
            if number(next) == day.day {
                let after = past(next + 1, ["st", "nd", "rd", "th"])
                return yearEnd(past(after, [",", "of"]), after: after, number, isYear)
            }
            if number(next) == day.year { return next + 1 }
        }
        return nil
    }

    /// The end of a date whose year may follow; nil when another year follows.
    private static func yearEnd(_ place: Int, after end: Int, _ number: (Int) -> Int?, _ isYear: (Int) -> Bool) -> Int?
    {
        if isYear(place) { return place + 1 }
        if let other = number(place), other >= 1000 { return nil }
        return end
    }
}
