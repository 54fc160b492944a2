import Citations
import GatewayAPI

/// Checks the citations of an answer while it is written, and puts the verdicts into wire form.
///
/// Each sentence is checked once, as soon as it is complete.
struct AnswerCheck: Sendable {
    /// The passages that the answer may cite.
    let passages: [ChatPassage]
    /// The citations of the sentences so far, in the order of the text.
    private(set) var citations: [ChatCitation] = []
    /// The sentences so far, in their order.
    private(set) var sentences: [ChatSentence] = []
    private let check: CitationCheck
    /// The sentence to go on from.
    private var next = 0

    /// Prepares the passages.
    init(_ passages: [ChatPassage]) {
        self.passages = passages
        check = CitationCheck(
            passages: passages.map(\.text), numbers: passages.map(\.number), headings: passages.map(\.heading))
    }

    /// The check after more of the answer.
    ///
    /// - Parameters:
    ///   - known: The check of the call before; nil for the first one, and when the passages changed.
    ///   - answer: The answer so far; it begins with the text of the call before.
    ///   - isWhole: Whether nothing follows; else the last sentence, which may go on, waits.
    @concurrent static func advanced(
        _ known: AnswerCheck?, of passages: [ChatPassage], to answer: String, isWhole: Bool
    ) async -> AnswerCheck {
        (known ?? AnswerCheck(passages)).advanced(to: answer, isWhole: isWhole)
    }

    private func advanced(to answer: String, isWhole: Bool) -> AnswerCheck {
        var advanced = self
        let (checked, next) = check.check(answer, from: next, isWhole: isWhole)
        advanced.next = next
        for sentence in checked { advanced.add(sentence) }
        return advanced
    }

    private mutating func add(_ sentence: CheckedSentence) {
        let (verdict, number) = sentence.verdict.onWire
        sentences.append(
            ChatSentence(
                range: sentence.sentence.range, verdict: verdict, support: verdict == .uncited ? number : nil,
                score: Double(sentence.score), differences: sentence.differences.map(\.kind.rawValue).unique))
        for citation in sentence.citations {
            let (verdict, other) = citation.verdict.onWire
            let evidence = sentence.evidence.filter { $0.passage == citation.number || $0.passage == other }
            let passage = passages.first { $0.number == citation.number }
            citations.append(
                ChatCitation(
                    marker: citation.marker, number: citation.number,
                    note: passage?.note, book: passage?.book, verdict: verdict,
                    belongsTo: verdict == .misattributed ? other : nil,
                    evidence: evidence.map { found in
                        let passage = passages.first { $0.number == found.passage }
                        return .init(number: found.passage, range: found.range, place: passage?.place(of: found.range))
                    }))
        }
    }

    /// The citations with those that the gateway added, and the sentences that these support.
    func supported(by added: [ChatCitation]) -> (citations: [ChatCitation], sentences: [ChatSentence]) {
        let ends = Set(added.compactMap(\.marker.first))
        let sentences = sentences.map { sentence in
            var sentence = sentence
            if let end = sentence.range.last, ends.contains(end) { sentence.verdict = .supported }
            return sentence
        }
        return (citations + added, sentences)
    }

    /// Takes support from sentences that a model judged not to be what their passages say.
    ///
    /// - Parameter ranges: The ranges of the sentences.
    static func withdrawing(
        _ ranges: Set<[Int]>, from citations: [ChatCitation], _ sentences: [ChatSentence]
    ) -> (citations: [ChatCitation], sentences: [ChatSentence]) {
        guard !ranges.isEmpty else { return (citations, sentences) }
        let withdrawn = sentences.map { sentence in
            var sentence = sentence
            guard ranges.contains(sentence.range), sentence.verdict == .supported else { return sentence }
            sentence.verdict = .unsupported
            sentence.differences = ["judged"]
            return sentence
        }
        let others = citations.map { citation in
            var citation = citation
            let isInside = ranges.contains { range in
                range[0] <= citation.marker[0] && citation.marker[1] <= range[1]
            }
            if isInside, citation.verdict == .supported { citation.verdict = .unsupported }
            return citation
        }
        return (others, withdrawn)
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

extension ChatPassage {
    /// What a sentence may tell of the note without its text.
    var heading: PassageHeading { PassageHeading(title: title, date: date) }
}

extension ChatCitation {
    /// Whether the gateway added the citation, because the model did not cite.
    var isAdded: Bool { marker.first == marker.last }
}
