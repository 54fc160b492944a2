import Finding
import GatewayAPI
import Retrieval
import Text

extension FindHit {
    /// The most places in a text that are marked, and those that a snippet is chosen by.
    private static let maxMarks = 32
    /// The longest part of a text around its passage in which a snippet is looked for, in bytes.
    private static let maxSearched = 256 << 10

    /// A hit as the reply has it.
    init(_ ranked: FindRanking.Ranked, _ question: FindQuestion) {
        let (candidate, evidence) = (ranked.candidate, ranked.evidence)
        let words = question.words.filter { $0.weight == 1 }.map(\.text)
        let terms = words.isEmpty ? question.words.map(\.text) : words
        let passage = candidate.passage ?? 0..<candidate.text.utf8.count
        let part = UTF8Border.part(
            of: candidate.text, passage.lowerBound..<min(passage.upperBound, passage.lowerBound + Self.maxSearched))
        let matches = MatchSpan.find(terms, in: part.text, limit: Self.maxMarks).map { span in
            let start = part.range.lowerBound + span.range.lowerBound
            return Snippet.Match(range: start..<start + span.range.count, term: span.term)
        }
        let snippet = Snippet.line(
            of: candidate.text, title: candidate.title, matches: matches, passage: candidate.passage)
        self.init(
            kind: ranked.kind, id: candidate.id, title: candidate.title, snippet: snippet,
            highlights: Self.marks(terms, snippet), titleHighlights: Self.marks(terms, candidate.title),
            place: candidate.place, createdAt: candidate.createdAt,
            score: (ranked.score * 10_000).rounded() / 10_000, more: ranked.more,
            why: Reason(
                rank: evidence.rank, words: evidence.words, coverage: (evidence.coverage * 1000).rounded() / 1000,
                title: (evidence.title * 1000).rounded() / 1000, isExactTitle: evidence.isExactTitle))
    }

    /// The places of words in a line, those that touch as one.
    private static func marks(_ terms: [String], _ text: String) -> [Range] {
        MatchSpan.find(terms, in: text, limit: maxMarks).reduce(into: []) { marks, span in
            if let last = marks.last, span.range.lowerBound <= last.end {
                marks[marks.count - 1].end = max(last.end, span.range.upperBound)
            } else {
                marks.append(Range(start: span.range.lowerBound, end: span.range.upperBound))
            }
        }
    }
}
