@testable import Evaluation

/// The message of the `EvaluationError` that something throws; empty when it throws none.
func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch let error as EvaluationError {
        return error.message
    } catch {
        return "another error: \(error)"
    }
}

/// A ranking whose scores fall from the first document to the last.
func ranking(_ ids: String...) -> [ScoredDocument] {
    ids.enumerated().map { ScoredDocument(id: $1, score: Double(ids.count - $0)) }
}

extension RankedRun {
    /// The run with every ranking in the order that the evaluator uses.
    func sortedLikeTREC() -> RankedRun {
        RankedRun(name: name, rankings: rankings.mapValues { $0.sorted { $0.isAbove($1) } })
    }
}
