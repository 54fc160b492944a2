package import Foundation

/// A document that a search found, with its score.
package struct ScoredDocument: Sendable, Hashable {
    package var id: String
    /// Higher is better.
    package var score: Double

    package init(id: String, score: Double) {
        self.id = id
        self.score = score
    }

    /// Whether this document ranks above another in `trec_eval`, which compares scores in single precision. Equal
    /// scores are ordered by the bytes of their ids, descending.
    func isAbove(_ other: ScoredDocument) -> Bool {
        let (mine, theirs) = (trecScore, other.trecScore)
        return mine != theirs ? mine > theirs : other.id.utf8.lexicographicallyPrecedes(id.utf8)
    }

    private var trecScore: Float { score.isNaN ? -.infinity : Float(score) }
}

/// The ranked documents of one system for every query.
package struct RankedRun: Sendable, Hashable {
    /// The system's name: the tag of a TREC run.
    package var name: String
    /// The documents by query id.
    package var rankings: [String: [ScoredDocument]]

    package init(name: String, rankings: [String: [ScoredDocument]]) {
        self.name = name
        self.rankings = rankings
    }

    /// Reads a TREC run: `qid Q0 docid rank score tag` in each line. The order of lines is kept; the rank is ignored,
    /// as in `trec_eval`.
    ///
    /// - Throws: `EvaluationError` with file and line: for a malformed line, a score that is not a finite number, and a
    ///   document that appears twice for a query.
    package init(contentsOf url: URL) throws {
        name = url.deletingPathExtension().lastPathComponent
        rankings = [:]
        var seen: [String: Set<String>] = [:]
        for (index, line) in try TextLines(contentsOf: url).lines.enumerated() {
            let words = line.words
            guard words.count == 6 else {
                throw line.error("expected `qid Q0 docid rank score tag`, found \(words.count) fields")
            }
            guard let score = Double(words[4]), score.isFinite else {
                throw line.error("the score `\(words[4])` is not a number")
            }
            let (query, document) = (String(words[0]), String(words[2]))
            guard seen[query, default: []].insert(document).inserted else {
                throw line.error("document \(document) appears twice for query \(query)")
            }
            if index == 0 { name = String(words[5]) }
            rankings[query, default: []].append(ScoredDocument(id: document, score: score))
        }
    }

    /// Returns the run as a TREC file: queries by id, documents in their order with ranks from 1, scores that read back
    /// to the same value. White space inside an id or a name is written as `%20` and so on, because the form cannot
    /// hold it.
    package func trecText() -> String {
        let tag = Self.field(name.isEmpty ? "run" : name)
        var text = ""
        for query in rankings.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let queryField = Self.field(query)
            for (index, document) in (rankings[query] ?? []).enumerated() {
                text += "\(queryField) Q0 \(Self.field(document.id)) \(index + 1) \(document.score) \(tag)\n"
            }
        }
        return text
    }

    private static func field(_ text: String) -> String {
        guard text.contains(where: \.isWhitespace) else { return text }
        return text.addingPercentEncoding(withAllowedCharacters: .whitespacesAndNewlines.inverted) ?? text
    }
}
