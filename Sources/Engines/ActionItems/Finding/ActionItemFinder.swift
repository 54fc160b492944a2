import Citations
package import Goals
import Language

/// Finds what a note or an answer says is to be done: `call the surveyor by Friday`, `bis Freitag den Gutachter anrufen`.
///
/// English and German, without a model. What was done, what somebody else has to do, questions, conditions and negations
/// are no items. The same text and day give the same items.
package struct ActionItemFinder: Sendable {
    private let days: DueDayReader

    /// - Parameters:
    ///   - day: The person's day on which the text was written.
    ///   - firstWeekday: The first day of a week, 0 for Sunday.
    package init(writtenOn day: LocalDay, firstWeekday: Int = 1) {
        days = DueDayReader(today: day, firstWeekday: firstWeekday)
    }

    /// Returns the items in the order of the text, at most ``ActionItem/maxItems``.
    package func find(in text: String) -> [ActionItem] {
        let bytes = text.utf8
        var found: [ActionItem] = []
        for sentence in Sentence.sentences(ofAnswer: text, maxBytes: ActionItem.maxTextBytes) {
            guard found.count < ActionItem.maxItems else { break }
            guard sentence.range.count <= ActionItem.maxSentenceBytes, sentence.range.upperBound <= bytes.count else {
                continue
            }
            let start = bytes.index(bytes.startIndex, offsetBy: sentence.range.lowerBound)
            let end = bytes.index(start, offsetBy: sentence.range.count)
            let source = text[start..<end]
            guard
                let (title, due, isBox) = item(ListMark.before(start, in: text) + source, isHeading: sentence.isHeading)
            else {
                continue
            }
            found.append(
                ActionItem(title: title, due: due, range: sentence.range, source: String(source), isBox: isBox))
        }
        return found
    }

    /// The item of a sentence.
    private func item(_ text: String, isHeading: Bool) -> (title: String, due: LocalDay?, isBox: Bool)? {
        let mark = ListMark(text)
        let body = mark.body
        guard mark.box != .done else { return nil }
        let words = TextWord.words(of: body, limit: 200, joiners: ".-")
        guard !words.isEmpty else { return nil }
        var clause: TaskClause?
        let dues = days.read(words)
        let due = dues.first(where: \.isDeadline) ?? dues.first
        let sentence = ItemSentence(words: words, due: due?.range, hasDue: due.map { $0.day > days.today } ?? false)
        if let label = Labels.end(words, body) {
            clause = TaskClause(words: sentence.kept(from: label))
        } else if mark.box == .open {
            clause = TaskClause(words: sentence.kept(from: 0))
        } else {
            guard !isHeading, !body.contains("?") else { return nil }
            clause = EnglishReader(sentence).read() ?? GermanReader(sentence).read()
        }
        guard let clause, let title = TitleText.text(of: clause, words: words, in: body) else { return nil }
        return (title, due?.day, mark.box == .open)
    }
}

/// The words of a sentence and those of its due day.
struct ItemSentence {
    let words: [TextWord]
    /// The words that name the due day.
    let due: Range<Int>?
    /// Whether there is a due day after today.
    let hasDue: Bool

    /// The places of the words from one on, without those of the due day.
    func kept(from start: Int) -> [Int] {
        words.indices.filter { $0 >= start && !(due?.contains($0) ?? false) }
    }
}

/// The words of a sentence that say what to do.
struct TaskClause {
    /// Their places in the sentence, in order.
    var words: [Int]
    /// What stands for the first or the last of them: `Submit` for a passive, `anrufen` for `anzurufen`.
    var opening: String?
    var closing: String?
}

/// The bullet and the box before an entry of a list.
private struct ListMark {
    enum Box { case open, done }
    var box: Box?
    var body: Substring

    /// The bullet and the box between the start of a line and a place; empty when a word is there.
    static func before(_ place: String.Index, in text: String) -> String {
        let line = text[..<place].suffix(16).split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        return line.allSatisfy { " \t-*+•[]xX.)".contains($0) || $0.isNumber } ? String(line) : ""
    }

    init(_ text: String) {
        body = text[...].drop(while: \.isWhitespace)
        if let first = body.first, "-*+•".contains(first), body.dropFirst().first?.isWhitespace == true {
            body = body.dropFirst().drop(while: \.isWhitespace)
        } else if let end = body.firstIndex(where: { !$0.isNumber }), end > body.startIndex, ".)".contains(body[end]) {
            let rest = body[end...].dropFirst()
            if rest.first?.isWhitespace == true { body = rest.drop(while: \.isWhitespace) }
        }
        if body.hasPrefix("[ ]") {
            box = .open
        } else if body.hasPrefix("[x]") || body.hasPrefix("[X]") {
            box = .done
        }
        if box != nil { body = body.dropFirst(3).drop(while: \.isWhitespace) }
    }
}

/// Words before a task: `TODO:`, `Nächster Schritt:`.
private enum Labels {
    private static let labels = WordList.phrases(
        """
        todo; to-do; to do; action item; action; task; next step; next action; aufgabe; nächster schritt; \
        zu erledigen; erledigen; zu tun
        """)

    /// The place behind the label; nil without one.
    static func end(_ words: [TextWord], _ text: Substring) -> Int? {
        guard let label = labels.first(where: { words.has($0, at: 0) }), words.count > label.count else { return nil }
        let last = words[label.count - 1]
        if text[last.range.upperBound...].first == ":" { return label.count }
        return text[words[0].range] == "TODO" ? 1 : nil
    }
}

/// The title of a task.
private enum TitleText {
    /// Words that nothing is lost without at the start of a task.
    private static let fillers = WordList.plain(
        """
        also then and so but please just still really finally dann und noch auch endlich bitte unbedingt dringend \
        außerdem aber first zuerst mal now jetzt wieder soon bald urgently definitely
        """)

    static func text(of clause: TaskClause, words: [TextWord], in body: Substring) -> String? {
        var places = clause.words[...]
        while let first = places.first, fillers.contains(words[first].text), clause.opening == nil {
            places.removeFirst()
        }
        guard let first = places.first else { return nil }
        var text = clause.opening.map { $0 + " " } ?? ""
        var previous = first
        for place in places {
            if place > previous {
                if place == previous + 1 {
                    text += body[words[previous].range.upperBound..<words[place].range.lowerBound]
                } else {
                    text += " "
                }
            }
            text +=
                place == places.last
                ? clause.closing ?? String(body[words[place].range]) : String(body[words[place].range])
            previous = place
        }
        if let last = places.last, last + 1 >= words.count || last == words.count - 1 {
            // Closing brackets and quotation marks belong to the last word.
            text += body[words[last].range.upperBound...].prefix { ")]\"“”»'".contains($0) }
        }
        var title = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        while let last = title.last, ",;:–—-.! ".contains(last) { title.removeLast() }
        guard title.contains(where: \.isLetter), title.count > 2 else { return nil }
        while title.utf8.count > ActionItem.maxTitleBytes { title.removeLast() }
        return title.prefix(1).uppercased() + title.dropFirst()
    }
}
