import Foundation

/// Reads queries in TREC's forms.
enum TopicFile {
    typealias Topic = (query: EvaluationCollection.Query, line: TextLines.Line)

    /// Reads `<top>` blocks when the file has one, else `qid TAB text` lines. Each topic has the line where its query
    /// begins.
    ///
    /// - Throws: `EvaluationError` with file and line.
    static func read(_ url: URL) throws -> [Topic] {
        let lines = try TextLines(contentsOf: url).lines
        guard !lines.isEmpty else { throw EvaluationError(at: url.path, "there are no queries") }
        let isMarkedUp = lines.contains { $0.text.trimmed.lowercased().hasPrefix("<top>") }
        return isMarkedUp ? try blocks(lines) : try lines.map(tabbed)
    }

    private static func tabbed(_ line: TextLines.Line) throws -> Topic {
        let fields = line.text.split(separator: "\t", maxSplits: 1).map { String($0).trimmed }
        guard fields.count == 2, !fields[0].isEmpty, !fields[1].isEmpty else {
            throw line.error("expected `qid TAB text`")
        }
        return (EvaluationCollection.Query(id: fields[0], text: fields[1]), line)
    }

    private static func blocks(_ lines: [TextLines.Line]) throws -> [Topic] {
        var topics: [Topic] = []
        var start: TextLines.Line?
        var text = ""
        for line in lines {
            let word = line.text.trimmed.lowercased()
            if word.hasPrefix("<top>") {
                if let start { throw start.error("this <top> has no </top>") }
                (start, text) = (line, "")
            }
            text += line.text + "\n"
            guard word.hasSuffix("</top>"), let begin = start else { continue }
            topics.append((try query(text, begin), begin))
            start = nil
        }
        if let start { throw start.error("this <top> has no </top>") }
        return topics
    }

    private static func query(_ block: String, _ line: TextLines.Line) throws -> EvaluationCollection.Query {
        guard let id = field("num", label: "Number:", in: block) else { throw line.error("this <top> has no <num>") }
        guard let title = field("title", label: "Topic:", in: block) else {
            throw line.error("this <top> has no <title>")
        }
        return EvaluationCollection.Query(id: id, text: title)
    }

    /// The text after a tag, up to the next tag. Only newer files have closing tags.
    private static func field(_ tag: String, label: String, in block: String) -> String? {
        guard let open = block.range(of: "<\(tag)>", options: .caseInsensitive) else { return nil }
        let rest = block[open.upperBound...]
        let end = rest.range(of: "<[/A-Za-z]", options: .regularExpression)?.lowerBound ?? rest.endIndex
        var text = String(rest[..<end]).trimmed
        if text.lowercased().hasPrefix(label.lowercased()) { text = String(text.dropFirst(label.count)) }
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            text = text.replacingOccurrences(of: entity, with: character)
        }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : words
    }
}
