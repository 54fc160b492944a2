import Language
import Text

/// What a value of a rule looks like.
enum ValueShape: Sendable, Equatable {
    /// Capitalised words.
    case name
    /// Capitalised words, with an article or `upon` between them.
    case place
    /// A name, or an article with some words.
    case organisation
    /// At most so many words, up to the next mark or conjunction.
    case phrase(Int)
    /// Everything up to the end of the sentence.
    case rest
    /// A word or several of a list.
    case listed(String)
    /// At most three words, the last of which is in a list.
    case ending(String)
    /// A day of the year, with or without a year.
    case date
    case number
    /// One word that begins or ends with letters: `lieblings*`, `*allergie`.
    case stem(String)

    init(_ text: String) {
        let parts = text.split(separator: ":")
        let argument = parts.count > 1 ? String(parts[1]) : ""
        switch parts.first {
        case "name": self = .name
        case "place": self = .place
        case "org": self = .organisation
        case "rest": self = .rest
        case "in": self = .listed(argument)
        case "ending": self = .ending(argument)
        case "date": self = .date
        case "number": self = .number
        case "stem": self = .stem(argument)
        default: self = .phrase(Int(argument) ?? 6)
        }
    }

    /// Whether a word that is usually skipped begins the value.
    func takes(_ word: String) -> Bool {
        if case .rest = self { return true }
        return false
    }
}

/// A value in a sentence.
struct ReadValue: Sendable {
    /// The tokens that it takes.
    var tokens: Range<Int>
    /// The text as written.
    var text: String
    /// The text for comparison.
    var folded: String
}

/// Reads values from the words of a sentence.
struct ValueReader {
    let source: Substring

    private static let stops = WordList.plain(
        """
        and but because so which who that since while when although though until or than now any currently these \
        nowadays lately recently today i we where instead already anyway however then last letztes letzten und aber \
        weil denn dass obwohl seit ich wir oder jetzt damit sondern nun inzwischen mittlerweile deshalb sowie als doch
        """)
    private static let trailing = WordList.plain(
        """
        too very much a lot so sehr auch gern gerne besonders most best really right ab um there here dort da am \
        meisten as well at the moment for me with in im of zu mit an on to over own more this week again
        """)
    private static let articles: Set<String> = [
        "a", "an", "the", "my", "our", "some", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen",
        "einem",
        "einer", "mein", "meine", "meinen", "meinem", "meiner", "unser", "unsere",
    ]
    /// Words that begin no value: what they stand for is elsewhere.
    private static let pronouns = WordList.plain(
        """
        it this these those you your him her them he she they how what when why not no never nothing something \
        everything anything me myself one ones there all is was are be done been both to notes more mehr notizen es \
        dies diese dieser dieses diesen du dich dein deine deinen ihn sie ihnen wie was wann nicht kein keine keinen \
        nichts etwas alles mich mir uns wo ob welche welcher solche einfach man
        """)
    private static let negations: Set<String> = ["not", "never", "no", "nicht", "kein", "keine", "keinen", "nie"]
    /// Things of the conversation, not of the person's life.
    private static let ofConversation: Set<String> = [
        "answer", "idea", "version", "draft", "text", "suggestion", "summary", "antwort", "idee", "fassung", "entwurf",
        "vorschlag", "zusammenfassung", "response", "approach", "title", "titel",
    ]
    private static let joiners = WordList.plain("am an of upon the der de von van bei im la le")

    /// Reads a value at a token.
    ///
    /// - Parameter ends: Words of the pattern that follow the value.
    func read(_ shape: ValueShape, _ tokens: [TextWord], at start: Int, ends: [String]) -> ReadValue? {
        guard start < tokens.count else { return nil }
        switch shape {
        case .name: return name(tokens, start, joins: ["de", "von", "van"], ends)
        case .place:
            let isArticle = ["der", "den", "the", "dem"].contains(tokens[start].text)
            return name(tokens, isArticle ? start + 1 : start, joins: Self.joiners, ends)
        case .organisation:
            if let found = name(tokens, start, joins: ["of", "for", "the", "und", "and", "für", "der"], ends) {
                return found
            }
            let articles: Set = ["a", "an", "the", "einer", "einem", "der", "dem", "our", "unserer"]
            guard articles.contains(tokens[start].text) else { return nil }
            return phrase(tokens, start, 5, ends + ["as", "als", "in", "for", "where", "with", "für"])
        case .phrase(let limit): return phrase(tokens, start, limit, ends)
        case .rest: return value(tokens, start..<tokens.count)
        case .listed(let list):
            for length in [3, 2, 1] where start + length <= tokens.count {
                let text = (start..<start + length).map { tokens[$0].text }.joined(separator: " ")
                if let folded = FactWords.list(list)[text] {
                    return value(tokens, start..<start + length).map {
                        ReadValue(tokens: $0.tokens, text: $0.text, folded: folded)
                    }
                }
            }
            return nil
        case .ending(let list):
            for length in 1...4 where start + length <= tokens.count {
                let range = start..<start + length
                guard range.dropFirst().allSatisfy({ !tokens[$0].followsMark && !Self.stops.contains(tokens[$0].text) })
                else { return nil }
                let last = tokens[start + length - 1].text
                if FactWords.list(list)[last] != nil, FactWords.list(list)[tokens.word(start + length)] == nil {
                    return value(tokens, range)
                }
            }
            return nil
        case .date: return date(tokens, start)
        case .number:
            let text = tokens[start].text
            guard let number = Int(text) ?? NumberWords.counts[text], (0...130).contains(number) else { return nil }
            return value(tokens, start..<start + 1).map {
                ReadValue(tokens: $0.tokens, text: $0.text, folded: String(number))
            }
        case .stem(let stem):
            let text = tokens[start].text
            let isEnd = stem.hasPrefix("*")
            let bare = isEnd ? stem.dropFirst() : stem.dropLast()
            guard text.count > bare.count + 1, isEnd ? text.hasSuffix(bare) : text.hasPrefix(bare) else { return nil }
            var rest = isEnd ? text.dropLast(bare.count) : text.dropFirst(bare.count)
            if rest.last == "-" { rest.removeLast() }
            return value(tokens, start..<start + 1).map {
                ReadValue(tokens: $0.tokens, text: String(rest), folded: String(rest))
            }
        }
    }

    /// Whether a sentence goes on with another value behind one: `tea and coffee`.
    func next(_ shape: ValueShape, _ tokens: [TextWord], after value: ReadValue) -> ReadValue? {
        var place = value.tokens.upperBound
        let hasConjunction = ["and", "und", "or", "oder", "sowie"].contains(tokens.word(place))
        guard hasConjunction || place < tokens.count && tokens[place].followsMark else { return nil }
        if hasConjunction { place += 1 }
        guard place < tokens.count, !tokens[place].followsMark || !hasConjunction else { return nil }
        if case .listed = shape {
            while place < value.tokens.upperBound + 4, Self.degrees.contains(tokens.word(place)) { place += 1 }
        }
        guard place < tokens.count, !Self.subjects.contains(tokens[place].text) else { return nil }
        guard let next = read(shape, tokens, at: place, ends: []) else { return nil }
        // A comma joins only what an "and" ends, and short values.
        let end = next.tokens.upperBound
        if !hasConjunction {
            guard next.tokens.count <= 2,
                ["and", "und"].contains(tokens.word(end)) || tokens.indices.contains(end) && tokens[end].followsMark
            else { return nil }
        }
        guard next.tokens.count <= 4 else { return nil }
        // Another clause, not another value: "and my sister is a nurse".
        let verbs: Set = [
            "is", "are", "am", "ist", "sind", "was", "has", "hat", "have", "heißt", "do", "does", "will", "can",
        ]
        guard !verbs.contains(tokens.word(end)),
            !next.folded.split(separator: " ").contains(where: { verbs.contains(String($0)) })
        else { return nil }
        return next
    }

    /// Words before a language: `a little French`.
    private static let degrees = WordList.plain(
        "a little some bit of basic good fluent etwas ein bisschen wenig gutes fließend")
    private static let subjects = WordList.plain(
        """
        i we he she they it you my our his her their ich wir er sie mein meine unser unsere das this that do am have \
        habe bin arbeite wohne mag work live hate love like not nicht also then dann spiele lerne spreche
        """)

    // MARK: Shapes

    private func name(_ tokens: [TextWord], _ start: Int, joins: Set<String>, _ ends: [String]) -> ReadValue? {
        guard start < tokens.count, tokens[start].isCapital, !tokens[start].followsMark, isNamePart(tokens[start], ends)
        else {
            return nil
        }
        var end = start + 1
        while end < tokens.count, end - start < 5, !tokens[end].followsMark {
            if tokens[end].isCapital, isNamePart(tokens[end], ends) {
                end += 1
            } else if joins.contains(tokens[end].text), end + 1 < tokens.count, tokens[end + 1].isCapital,
                isNamePart(tokens[end + 1], ends)
            {
                end += 2
            } else {
                break
            }
        }
        return value(tokens, start..<end)
    }

    private func isNamePart(_ token: TextWord, _ ends: [String]) -> Bool {
        token.text.count > 1 && !ends.contains(token.text) && !Self.pronouns.contains(token.text)
            && CalendarWords.months[token.text] == nil && CalendarWords.weekdays[token.text] == nil
            && !["i", "jahr", "woche", "monat", "my", "in", "for", "since", "ende", "anfang"].contains(token.text)
            && token.text.first?.isLetter == true
    }

    private func phrase(_ tokens: [TextWord], _ start: Int, _ limit: Int, _ ends: [String]) -> ReadValue? {
        var first = start
        while first < tokens.count, Self.articles.contains(tokens[first].text), first - start < 2 { first += 1 }
        guard first < tokens.count, !Self.pronouns.contains(tokens[first].text), !tokens[start].followsMark else {
            return nil
        }
        var end = first
        while end < tokens.count, end - first < limit {
            let token = tokens[end]
            if end > first, token.followsMark || Self.stops.contains(token.text) || ends.contains(token.text) { break }
            if end == first, Self.stops.contains(token.text) { return nil }
            end += 1
        }
        // A phrase that goes on would be cut in the middle.
        if end - first == limit, end < tokens.count, !tokens[end].followsMark, !Self.stops.contains(tokens[end].text),
            !ends.contains(tokens[end].text)
        {
            return nil
        }
        let bound = end
        while end > first, Self.trailing.contains(tokens[end - 1].text) { end -= 1 }
        guard end > first else { return nil }
        let words = (first..<end).map { tokens[$0].text }
        guard !words.contains(where: { Self.negations.contains($0) || Self.ofConversation.contains($0) }) else {
            return nil
        }
        return value(tokens, first..<end).map {
            ReadValue(tokens: start..<bound, text: $0.text, folded: $0.folded)
        }
    }

    private func date(_ tokens: [TextWord], _ start: Int) -> ReadValue? {
        let text = tokens[start].text
        let numbers = text.split(whereSeparator: { ".-/".contains($0) }).map(String.init)
        // 14.3. and 14.03.1985
        if numbers.count >= 2, let day = Int(numbers[0]), let month = Int(numbers[1]), (1...31).contains(day),
            (1...12).contains(month)
        {
            return value(tokens, start..<start + 1).map {
                ReadValue(tokens: $0.tokens, text: $0.text, folded: Self.day(month, day))
            }
        }
        var (day, month, end): (Int?, Int?, Int) = (nil, nil, start)
        while end < min(tokens.count, start + 5) {
            let word = tokens[end].text
            if let number = CalendarWords.months[word] {
                month = month ?? number
            } else if let number = Self.ordinal(word) {
                if day == nil, number <= 31 { day = number } else if !(1900...2100).contains(number) { break }
            } else if !["of", "the"].contains(word) {
                break
            }
            end += 1
        }
        guard let day, let month, end > start else { return nil }
        return value(tokens, start..<end).map {
            ReadValue(tokens: $0.tokens, text: $0.text, folded: Self.day(month, day))
        }
    }

    private static func ordinal(_ word: String) -> Int? {
        Int(word.prefix(while: \.isNumber)).flatMap { number in
            ["", "st", "nd", "rd", "th"].contains(String(word.drop(while: \.isNumber))) ? number : nil
        }
    }

    private static func day(_ month: Int, _ day: Int) -> String {
        (month < 10 ? "0" : "") + "\(month)-" + (day < 10 ? "0" : "") + "\(day)"
    }

    private func value(_ tokens: [TextWord], _ range: Range<Int>) -> ReadValue? {
        guard let first = range.first, let last = range.last, range.upperBound <= tokens.count else { return nil }
        let (lower, upper) = (tokens[first].range.lowerBound, tokens[last].range.upperBound)
        // Words that were moved stand in another order.
        guard lower < upper else { return nil }
        var text = String(source[lower..<upper])
        if text.hasSuffix("'s") || text.hasSuffix("’s") { text.removeLast(2) }
        let words = range.map { tokens[$0].text }.drop { Self.articles.contains($0) }
        guard !words.isEmpty else { return nil }
        let folded = TextFolding.folded(words.filter { $0 != "'s" }.joined(separator: " "))
        return ReadValue(
            tokens: range, text: text.split(whereSeparator: \.isWhitespace).joined(separator: " "), folded: folded)
    }
}
