import GatewayAPI

/// Formats passages for a person.
enum PassageText {
    private static let previewCharacters = 240
    private static let quotedCharacters = 160

    /// The number, title, date or page, and note or book of a passage.
    static func title(_ passage: ChatPassage) -> SafeText {
        let source = passage.note.map { " · note \($0)" } ?? passage.book.map { " · book \($0)" } ?? ""
        return
            "[\(passage.number)] \(SafeText(oneLine: passage.title))  \(SafeText(oneLine: passage.date))\(SafeText(oneLine: source))"
    }

    /// A passage with why it was found and the beginning of its text.
    static func listed(_ passage: ChatPassage) -> SafeText {
        var about: [String] = []
        if let cosine = passage.why?.meaning { about.append("meaning \(Int(min(max(cosine, -1), 1) * 100))%") }
        if let rank = passage.why?.words {
            let terms = passage.why?.terms.map { "“\($0)”" }.joined(separator: " ") ?? ""
            about.append("words #\(rank)" + (terms.isEmpty ? "" : " \(terms)"))
        }
        if passage.source != "search" { about.append("by \(passage.source)") }
        let why = about.isEmpty ? "" : " · " + about.joined(separator: ", ")
        return SafeText.lines([
            title(passage) + Terminal.dim(SafeText(oneLine: why)),
            SafeText(oneLine: cut(passage.text[...], previewCharacters)).indented(by: 4),
        ])
    }

    /// A passage with what the answer cites of it: the parts that say it are marked, then come the sentences of the
    /// answer with their verdicts.
    static func cited(_ passage: ChatPassage, in run: ChatRun) -> SafeText {
        let record = run.record ?? ChatRecord()
        let evidence = record.citations.flatMap(\.evidence).filter { $0.number == passage.number }.map(\.range)
        var lines = [title(passage), marked(passage.text, evidence).indented(by: 4)]
        for citation in record.citations where citation.number == passage.number {
            let sentence = AnswerReport.sentence(of: citation, record).flatMap { (run.text ?? "").part($0.range) }
            let worth = AnswerReport.worth(of: [citation], record)
            lines.append(Terminal.dim("\(sentence.map(quoted) ?? "the answer") · \(worth)"))
        }
        return SafeText.lines(lines)
    }

    /// A text with parts of it in bold, or between `»` and `«` where there is no bold.
    ///
    /// - Parameter ranges: UTF-8 bytes, in any order; invalid ones are left out.
    static func marked(_ text: String, _ ranges: [[Int]], isBold: Bool = Terminal.hasColour) -> SafeText {
        var (result, place): (SafeText, Int) = ("", 0)
        let valid = ranges.filter { text.part($0)?.isEmpty == false }.sorted { $0[0] < $1[0] }
        for range in valid {
            let start = max(place, range[0])
            guard start < range[1], let before = text.part([place, start]), let part = text.part([start, range[1]])
            else { continue }
            result = result + String(before)
            result = result + (isBold ? SafeText(String(part)).styled("\u{1B}[1m", "\u{1B}[0m") : "»\(part)«")
            place = range[1]
        }
        return result + String(text.part([place, text.utf8.count]) ?? "")
    }

    /// A text on one line, in quotation marks, cut where it is long.
    static func quoted(_ text: Substring) -> SafeText { "“\(SafeText(oneLine: cut(text, quotedCharacters)))”" }

    private static func cut(_ text: Substring, _ count: Int) -> String {
        let part = text.prefix(count)
        return part.endIndex < text.endIndex ? part + "…" : String(part)
    }
}

extension String {
    /// The part between two UTF-8 offsets `[start, end]`; nil when they are not borders of characters in this text.
    func part(_ range: [Int]) -> Substring? {
        guard range.count == 2, 0 <= range[0], range[0] <= range[1], range[1] <= utf8.count else { return nil }
        let start = utf8.index(startIndex, offsetBy: range[0])
        let end = utf8.index(startIndex, offsetBy: range[1])
        guard start.samePosition(in: unicodeScalars) != nil, end.samePosition(in: unicodeScalars) != nil else {
            return nil
        }
        return self[start..<end]
    }
}
