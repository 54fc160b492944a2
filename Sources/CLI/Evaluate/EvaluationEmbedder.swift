import Evaluation
struct EvaluationEmbedder {
    init(_ options: CollectionOptions, collection: EvaluationCollection) throws {}
    func vectors() async throws -> EvaluationSubject.Vectors { throw EvaluationError("no vectors") }
}
