import Citations
import GatewayAPI

/// Checks the citations of an answer and puts the verdicts into wire form.
enum AnswerCheck {
    struct Verdicts: Sendable {
        var citations: [ChatCitation]
        var sentences: [ChatSentence]

        /// Adds citations that the gateway found; their sentences become supported.
        mutating func support(by added: [ChatCitation]) {
            citations += added
            let ends = Set(added.compactMap(\.marker.first))
            for index in sentences.indices {
                if let end = sentences[index].range.last, ends.contains(end) { sentences[index].verdict = .supported }
            }
        }
    }

    /// - Parameter isWhole: Whether the answer is complete; else its last sentence, which may go on, is left out.
    @concurrent static func verdicts(of text: String, _ passages: [ChatPassage], isWhole: Bool) async -> Verdicts {
        var checked = CitationCheck(passages: passages.map(\.text)).check(text)
        if !isWhole, let last = checked.last, last.sentence.range.upperBound >= text.utf8.count { checked.removeLast() }
        var verdicts = Verdicts(citations: [], sentences: [])
        for sentence in checked {
            let (verdict, number) = sentence.verdict.onWire
            verdicts.sentences.append(
                ChatSentence(
                    range: sentence.sentence.range, verdict: verdict, support: verdict == .uncited ? number : nil,
                    score: Double(sentence.score), differences: sentence.differences.map(\.kind.rawValue).unique))
            for citation in sentence.citations {
                let (verdict, other) = citation.verdict.onWire
                let evidence = sentence.evidence.filter { $0.passage == citation.number || $0.passage == other }
                verdicts.citations.append(
                    ChatCitation(
                        marker: citation.marker, number: citation.number,
                        note: passages.first { $0.number == citation.number }?.note, verdict: verdict,
                        belongsTo: verdict == .misattributed ? other : nil,
                        evidence: evidence.map { .init(number: $0.passage, range: $0.range) }))
            }
        }
        return verdicts
    }
}

extension CitationVerdict {
    /// The verdict's word, and the passage that it names.
    fileprivate var onWire: (ChatVerdict, Int?) {
        switch self {
        case .supported: (.supported, nil)
        case .misattributed(let other): (.misattributed, other)
        case .altered: (.altered, nil)
        case .unsupported: (.unsupported, nil)
        case .invented: (.invented, nil)
        case .uncited(let support): (.uncited, support)
        }
    }
}

extension [String] {
    /// The strings without repetitions, in order.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

extension ChatCitation {
    /// Whether the gateway added the citation, because the model did not cite.
    var isAdded: Bool { marker.first == marker.last }
}
