package import GoalRoom
package import Inference
package import Storage
import Transport

/// Embeds the texts of goals and actions in the space that answers searches, for matching by meaning.
///
/// Without an active space, or with a model on another machine, no meanings are compared: texts of goals and actions stay on
/// machines of the user.
package struct GoalEmbedder: Sendable {
    /// The caller of all embedding calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("goals", .batch)
    /// The texts of one call.
    static let batch = 32
    /// The failed texts after which a run ends.
    static let mostFailed = 1000

    /// What a text has of the model.
    package enum Answer: Sendable {
        case vector([Float])
        /// The model refuses the text, whenever it is asked.
        case refused
        /// The call failed; the next one may not.
        case failed(any Error)
    }

    /// Embeds texts. Throws while the model is unavailable.
    package typealias Embed = @Sendable (_ texts: [String], _ space: StoredSpace) async throws -> [Answer]

    /// The space that answers searches.
    let active: @Sendable () async throws -> StoredSpace?
    private let isLocal: @Sendable (_ model: String) async throws -> Bool
    private let embed: Embed

    /// Creates an embedder from its calls.
    package init(
        space: @escaping @Sendable () async throws -> StoredSpace?,
        isLocal: @escaping @Sendable (_ model: String) async throws -> Bool = { _ in true }, embed: @escaping Embed
    ) {
        (active, self.isLocal, self.embed) = (space, isLocal, embed)
    }

    /// Creates the embedder of a gateway.
    ///
    /// - Parameters:
    ///   - space: The space that answers searches.
    ///   - isLocal: Whether texts for a model stay on machines of the user.
    package init(
        lane: EmbeddingLane, space: @escaping @Sendable () async throws -> StoredSpace?,
        isLocal: @escaping @Sendable (_ model: String) async throws -> Bool
    ) {
        self.init(space: space, isLocal: isLocal) { texts, space in
            let identity = space.space
            let model = EmbeddingModel(name: identity.model, digest: identity.digest)
            let answer = try await lane.embed(
                texts.map { identity.documentPrefix + $0 }, with: model, as: Self.caller)
            if let outage = answer.outage { throw outage }
            // If every text fails, another text tells whether these are at fault, or the model is. Vectors of another
            // length are those of another model: they are not asked for again.
            let failures = answer.results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
            if let first = failures.first, failures.count == texts.count, failures.allSatisfy({ $0.status != 400 }),
                try await !lane.works(model, dimensions: identity.dimensions, as: Self.caller)
            {
                throw first
            }
            return answer.results.map { result in
                switch result {
                case .success(let vector): vector.count == identity.dimensions ? .vector(vector) : .refused
                case .failure(let error) where error.code == .status && error.status != 400: .failed(error)
                case .failure: .refused
                }
            }
        }
    }

    /// Follows the active space, and embeds one batch of texts that have no vector.
    ///
    /// - Parameter failed: The texts whose calls failed in this run, by their hashes; they are left out, and others added.
    /// - Returns: Whether there may be more: texts were embedded, or rows wait to be matched, which may find some.
    package func work(_ store: GoalRoom, failed: inout [[UInt8]: any Error]) async throws -> Bool {
        let active = try await active()
        let space: StoredSpace? = if let active, try await isLocal(active.space.model) { active } else { nil }
        try await store.meanings.use(space.map { GoalSpace($0) })
        // Another space marks everything; without a worker this look matches a part of it, which finds texts.
        let waiting = try await store.matches.waiting()
        let missing =
            space == nil
            ? []
            : try await store.meanings.missing(limit: Self.batch + failed.count).filter { failed[$0.hash] == nil }
        guard let space, !missing.isEmpty else { return waiting > 0 }
        let answers = try await embed(missing.map(\.text), space)
        guard answers.count == missing.count else { return false }
        var found: [(hash: [UInt8], vector: [Float]?)] = []
        for (text, answer) in zip(missing, answers) {
            switch answer {
            case .vector(let vector): found.append((text.hash, vector))
            case .refused: found.append((text.hash, nil))
            case .failed(let error): failed[text.hash] = error
            }
        }
        try await store.meanings.store(found, in: GoalSpace(space))
        return failed.count < Self.mostFailed
    }
}

extension GoalSpace {
    fileprivate init(_ space: StoredSpace) { self.init(id: space.id, dimensions: space.space.dimensions) }
}
