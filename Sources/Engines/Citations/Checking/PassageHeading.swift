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
    private static let english = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let german = [
        "januar", "februar", "marz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
        "dezember",
    ]
    private static let weekdays = [
        ["sunday", "sonntag"], ["monday", "montag"], ["tuesday", "dienstag"], ["wednesday", "mittwoch"],
        ["thursday", "donnerstag"], ["friday", "freitag"], ["saturday", "samstag", "sonnabend"],
    ]
    /// Words that lead from a title or a day to what a note says, in the fold of ``TextFolding``.
    private static let leads: Set<String> = [
        "on", "in", "at", "of", "from", "dated", "by", "for", "as", "the", "a", "an", "your", "my", "this", "that",
        "one", "note",
        "notes", "entry", "diary", "journal", "called", "titled", "named", "according", "to", "per", "says", "say",
        "said",
        "states", "stated", "mentions", "mentioned", "notes", "noted", "records", "recorded", "wrote", "write",
        "written", "you",
        "it", "reads", "shows", "describes", "explains", "reports", "was", "is", "created", "about", "date", "title",
        "day",
        "am", "vom", "von", "im", "der", "die", "das", "den", "dem", "des", "deine", "deiner", "deinem", "meine",
        "meiner", "eine",
        "einer", "notiz", "notizen", "eintrag", "tagebuch", "laut", "nach", "gemass", "gemäß", "gemäss", "zufolge",
        "steht", "stand", "sagt", "besagt",
        "heisst", "heißt", "hieß", "hiess", "es", "dass", "du", "hast", "schreibst", "schriebst", "geschrieben",
        "notiert", "notiertest", "erwahnt", "erwähnt", "erwähntest",
        "erwahntest", "datiert", "mit", "titel", "datum", "tag", "s", "st", "nd", "rd", "th",
    ]

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

    /// Whether words name a day: a month beside a number, or numbers between dots, dashes or slashes.
    private static func hasDays(_ lexemes: [Lexeme]) -> Bool {
        for (place, lexeme) in lexemes.enumerated() {
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

    /// The number of a month by its name or its beginning of at least three letters.
    private static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        if word == "sept" || word == "sep" { return 9 }
        for names in [english, german] {
            for (index, name) in names.enumerated() where name == word || word.utf8.count <= 4 && name.hasPrefix(word) {
                return index + 1
            }
        }
        return ["märz", "maerz", "mrz", "mär"].contains(word) ? 3 : nil
    }

    /// The characters of a sentence that tell the title or the day and what leads to them. Empty when it tells neither.
    ///
    /// - Parameter markers: Characters of the sentence's citations.
    func ranges(in text: ScalarText, _ sentence: Range<Int>, markers: [Range<Int>]) -> [Range<Int>] {
        guard day != nil || !title.isEmpty else { return [] }
        let lexemes = Lexeme.lexemes(of: text, in: sentence).filter { lexeme in
            !markers.contains { $0.contains(lexeme.range.lowerBound) }
        }
        guard !lexemes.isEmpty else { return [] }
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

    private static func day(_ day: Day, at start: Int, in lexemes: [Lexeme]) -> Int? {
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
        if let word = lexeme(place), word.kind == .word,
            weekdays[day.weekday].contains(where: {
                $0 == word.folded
                    || word.folded.utf8.count >= 2 && word.folded.utf8.count <= 3 && $0.hasPrefix(word.folded)
            })
        {
            let next = past(place + 1, [",", ".", "the", "den", "dem", "der"])
            if let end = Self.day(day, at: next, in: lexemes), next > place { return end }
            return word.folded.utf8.count > 3 ? place + 1 : nil
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
