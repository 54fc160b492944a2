package import Inference
import Transport

/// Embeds memories, for near duplicates and for the search.
///
/// With a model on another machine nothing is embedded: what a person says stays on machines of the user.
package struct MemoryEmbedder: Sendable {
    /// The caller of all calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("chat.memories", .batch)

    private let work: @Sendable ([String]) async throws -> [[Float]?]

    /// Creates an embedder from its call.
    package init(_ work: @escaping @Sendable ([String]) async throws -> [[Float]?]) { self.work = work }

    /// Creates the embedder of a gateway.
    ///
    /// - Parameters:
    ///   - model: The model that embeds queries for memories, too.
    ///   - isLocal: Whether texts for a model stay on machines of the user.
    package init(
        _ lane: EmbeddingLane, model: String,
        isLocal: @escaping @Sendable (_ model: String) async throws -> Bool
    ) {
        self.init { texts in
            guard try await isLocal(model) else { return [] }
            let profile = ModelProfile(model: model)
            let answer = try await lane.embed(
                texts.map { profile.prepared($0, kind: .document) }, with: EmbeddingModel(name: model), as: Self.caller)
            if let outage = answer.outage { throw outage }
            return answer.results.map { try? $0.get() }
        }
    }

    /// The vectors of texts; nil each when there is no embedder now.
    func vectors(_ texts: [String]) async throws -> [[Float]?] {
        guard !texts.isEmpty else { return [] }
        do {
            let found = try await work(texts)
            try Task.checkCancellation()
            guard found.count == texts.count else { return texts.map { _ in nil } }
            return found.map { $0.flatMap { $0.contains { $0 != 0 } && $0.allSatisfy(\.isFinite) ? $0 : nil } }
        } catch {
            try Task.checkCancellation()
            return texts.map { _ in nil }
        }
    }
}
