import Console
import Evaluation
import Foundation
import Retrieval

/// A collection that a command measures, with bars of progress.
struct CommandSubject: Sendable {
    let subject: EvaluationSubject

    var collection: EvaluationCollection { subject.collection }
    var notes: [String] { subject.notes }
    var documentCount: Int { subject.documentCount }

    /// Loads and indexes a collection with its vectors.
    static func open(_ options: CollectionOptions) async throws -> CommandSubject {
        let folder = URL(filePath: options.collection)
        let collection = try EvaluationCollection.load(folder)
        let vectors: EvaluationSubject.Vectors
        if !options.embed, let files = try ReadyVectors.find(in: folder, named: options.vectors) {
            vectors = try EvaluationSubject.Vectors(files)
        } else {
            vectors = try await EvaluationEmbedder(options, collection: collection).vectors()
        }
        var bar = ProgressBar("index", unit: "documents")
        let subject = try await EvaluationSubject(collection, vectors: vectors) { bar.update(done: $0, total: $1) }
        bar.finish()
        return CommandSubject(subject: subject)
    }

    /// Runs all judged queries, one after another.
    ///
    /// - Returns: As ``EvaluationSubject/run(_:depth:progress:)``.
    func run(
        _ setting: RetrievalSetting, depth: Int
    ) async throws -> (run: RankedRun, milliseconds: [Double], unranked: [String: String]) {
        var bar = ProgressBar(setting.name, unit: "queries")
        let measured = try await subject.run(setting, depth: depth) { bar.update(done: $0, total: $1) }
        bar.finish()
        return measured
    }
}
