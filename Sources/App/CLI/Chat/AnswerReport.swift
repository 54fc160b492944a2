import GatewayAPI

/// What is said below an answer: the cited notes with verdicts, unsupported sentences, and what was left out.
enum AnswerReport {
    /// The most sentences that are named.
    private static let maxSentences = 5
    /// The size in bytes from which a sentence without a citation is taken for a claim, as by the gateway.
    static let claimBytes = 24

    static func lines(of run: ChatRun) -> [SafeText] {
        guard let record = run.record else { return [] }
        var lines = citedNotes(record)
        if !record.passages.isEmpty {
            if run.strict { lines.append(strictness(record.sentences)) }
            lines += unsupported(record.sentences, in: run.text ?? "")
        }
        return lines + remarks(record, model: run.model)
    }

    // MARK: Citations

    /// One line for each cited number, in the order of the first citations.
    private static func citedNotes(_ record: ChatRecord) -> [SafeText] {
        var numbers: [Int] = []
        for citation in record.citations where !numbers.contains(citation.number) { numbers.append(citation.number) }
        return numbers.map { number in
            guard let passage = record.passages.first(where: { $0.number == number }) else {
                return "[\(number)] invented: there is no such note"
            }
            let worth = worth(of: record.citations.filter { $0.number == number }, record)
            return "\(PassageText.title(passage)) · \(worth)"
        }
    }

    /// The verdicts on the citations of one number, each said once.
    static func worth(of citations: [ChatCitation], _ record: ChatRecord) -> String {
        var words: [String] = []
        for verdict in ChatVerdict.allCases {
            for citation in citations where citation.verdict == verdict {
                let said = self.words(for: citation, record)
                if !words.contains(said) { words.append(said) }
            }
        }
        return words.joined(separator: "; ")
    }

    private static func words(for citation: ChatCitation, _ record: ChatRecord) -> String {
        switch citation.verdict {
        case .supported:
            return citation.marker.first == citation.marker.last ? "supported, cited by the gateway" : "supported"
        case .misattributed:
            return "not what the note says" + (citation.belongsTo.map { ": belongs to [\($0)]" } ?? "")
        case .altered:
            let differences = sentence(of: citation, record)?.differences ?? []
            return "altered" + (differences.isEmpty ? "" : ": " + differences.joined(separator: ", "))
        case .unsupported:
            let isJudged = sentence(of: citation, record)?.differences.contains("judged") ?? false
            return isJudged ? "unsupported, says \(record.judgement?.model ?? "another model")" : "unsupported"
        case .invented, .uncited: return citation.verdict.rawValue
        }
    }

    /// The sentence that a citation belongs to; a citation that the gateway added is at its end.
    static func sentence(of citation: ChatCitation, _ record: ChatRecord) -> ChatSentence? {
        guard let start = citation.marker.first, let end = citation.marker.last else { return nil }
        return record.sentences.first { sentence in
            guard let first = sentence.range.first, let last = sentence.range.last else { return false }
            return first <= start && end <= last
        }
    }

    // MARK: Sentences

    private static func strictness(_ sentences: [ChatSentence]) -> SafeText {
        let supported = sentences.count { $0.verdict == .supported }
        return "strict: \(supported) of \(sentences.count) sentences are supported and count as the answer"
    }

    private static func unsupported(_ sentences: [ChatSentence], in text: String) -> [SafeText] {
        let named = sentences.filter { sentence in
            switch sentence.verdict {
            case .unsupported, .invented: true
            case .uncited: sentence.support == nil && (text.part(sentence.range)?.utf8.count ?? 0) >= claimBytes
            case .supported, .misattributed, .altered: false
            }
        }.compactMap { text.part($0.range) }
        var lines = named.prefix(maxSentences).map { "unsupported: \(PassageText.quoted($0))" as SafeText }
        if named.count > maxSentences {
            let more = named.count - maxSentences
            lines.append("unsupported: \(more) more \(more == 1 ? "sentence" : "sentences")")
        }
        return lines
    }

    // MARK: Search and prompt

    private static func remarks(_ record: ChatRecord, model: String) -> [SafeText] {
        var lines: [SafeText] = []
        if let search = record.search {
            if search.rewritten { lines.append("searched for \(PassageText.quoted(search.query[...]))") }
            if search.source == "keyword_fallback" {
                lines.append("notes by keywords only: \(SafeText(oneLine: search.fallbackReason ?? "no vectors"))")
            }
        }
        if let judgement = record.judgement, let error = judgement.error {
            lines.append("not judged by \(SafeText(oneLine: judgement.model)): \(SafeText(oneLine: error))")
        }
        let compressed = record.leftOut.filter { $0.part == "compressed" }
        if !compressed.isEmpty { lines.append("in the prompt as a summary: \(leftOut(compressed))") }
        let missing = record.leftOut.filter { $0.part != "compressed" }
        if !missing.isEmpty { lines.append("left out of the prompt: \(leftOut(missing))") }
        if !record.withheld.isEmpty {
            let count = record.withheld.count
            lines.append("withheld from \(SafeText(oneLine: model)): \(count) private \(count == 1 ? "note" : "notes")")
        }
        return lines
    }

    private static func leftOut(_ parts: [ChatLeftOut]) -> String {
        var counts: [(part: String, count: Int)] = []
        for part in parts {
            if let known = counts.firstIndex(where: { $0.part == part.part }) {
                counts[known].count = counts[known].count.addingReportingOverflow(part.count).partialValue
            } else {
                counts.append((part.part, part.count))
            }
        }
        return counts.map { part, count in
            switch part {
            case "history", "compressed": "\(count) earlier \(count == 1 ? "message" : "messages")"
            case "passage": "\(count) \(count == 1 ? "passage" : "passages")"
            case "summary": "the summary of the conversation"
            default: part
            }
        }.joined(separator: ", ")
    }
}
