package import BookRoom
import Database
import GatewayAPI
package import Inference
package import Logging
package import Storage
import Transport

/// Embeds the passages of a book that have no vector, batch by batch. Each batch is stored before the next one, so a killed
/// process loses at most one call.
package struct BookEmbedding: Sendable {
    /// The caller of all embedding calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("books", .batch)
    /// The passages of one call.
    static let batch = 32
    /// The tries of a passage that the model refuses with a passing error.
    static let maxTries = 3
    /// The longest context line in front of a passage, in bytes.
    static let maxContextBytes = 240

    /// The space that passages are embedded in. Throws ``UpstreamError`` while Ollama is unavailable.
    package typealias SpaceSource = @Sendable () async throws -> StoredSpace

    /// How far the work is.
    package struct Progress: Sendable, Hashable {
        /// Passages of this run that have a vector now.
        package var done = 0
        /// Why the work waits; nil while it goes on.
        package var pause: String?
    }

    private let store: BookRoom
    private let lane: EmbeddingLane
    private let space: SpaceSource
    private let isLocal: @Sendable (String) async throws -> Bool
    private let logger: Logger

    /// - Parameter isLocal: Whether texts for a model stay on machines of the user; others get no private book.
    package init(
        store: BookRoom, lane: EmbeddingLane, space: @escaping SpaceSource,
        isLocal: @escaping @Sendable (_ model: String) async throws -> Bool = { _ in true },
        logger: Logger
    ) {
        self.store = store
        self.lane = lane
        self.space = space
        self.isLocal = isLocal
        self.logger = logger
    }

    /// The space that passages are embedded in now.
    ///
    /// - Throws: ``UpstreamError`` while Ollama is unavailable, ``StorageError``.
    func target() async throws -> StoredSpace { try await space() }

    /// Embeds everything that is pending of a book.
    ///
    /// While Ollama is unavailable it waits and tries again, up to half a minute apart. A private book stays without vectors
    /// while the model is on another machine.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait during an outage; else it throws.
    ///   - account: The account to charge; nil charges nobody.
    ///   - report: Called after each batch and when a wait begins.
    /// - Throws: ``StorageError``, `CancellationError`; ``UpstreamError`` unless it waits.
    package func run(
        _ id: Int64, title: String, account: EmbeddingAccount?, waits: Bool, _ report: (Progress) async -> Void
    ) async throws {
        var progress = Progress()
        var outage: Outage?
        var tries: [Int: Int] = [:]
        while true {
            try Task.checkCancellation()
            do {
                let target = try await space()
                while true {
                    try Task.checkCancellation()
                    // Asked before each batch, since a book may become private meanwhile.
                    if try await !isLocal(target.space.model), try await store.find(id).isPrivate { return }
                    let batch = try await store.pending(in: target.id, of: id, limit: Self.batch)
                    if batch.isEmpty { return }
                    progress.done += try await embed(batch, in: target, title, account, &tries)
                    progress.pause = nil
                    outage = nil
                    await report(progress)
                }
            } catch let error where !(error is CancellationError || error is any TransientError) {
                try Task.checkCancellation()
                guard waits else { throw error }
                let reason = error as? UpstreamError ?? UpstreamError(.failed, "\(error)")
                if outage == nil { outage = Outage(reason, now: .now) } else { outage?.failed(reason, now: .now) }
                if progress.pause != reason.message {
                    logger.notice("a book's passages wait for Ollama", metadata: ["reason": "\(reason.message)"])
                }
                progress.pause = reason.message
                await report(progress)
                try await Task.sleep(until: outage?.until ?? .now, clock: .continuous)
            }
        }
    }

    /// Embeds and stores a batch.
    ///
    /// - Returns: The number of passages that are done.
    private func embed(
        _ batch: [BookPassageText], in space: StoredSpace, _ title: String, _ account: EmbeddingAccount?,
        _ tries: inout [Int: Int]
    ) async throws -> Int {
        try await account?.check()
        let cost = EmbeddingCost()
        defer { account?.charge(cost.tokens, space.space.model) }
        let texts = batch.map { space.space.documentPrefix + Self.context(title, $0.heading) + $0.text }
        let model = EmbeddingModel(name: space.space.model, digest: space.space.digest)
        let answer = try await lane.embed(texts, with: model, as: Self.caller, cost: cost)
        if let outage = answer.outage { throw outage }
        let dimensions = space.space.dimensions
        let faults = answer.results.map { $0.fault(dimensions: dimensions, of: space.space.model) }
        // If no passage has a vector, another text tells whether these are at fault, or the model is.
        if let first = faults.first ?? nil, faults.allSatisfy({ $0.map { $0.status != 400 } ?? false }),
            try await !lane.works(model, dimensions: dimensions, as: Self.caller)
        {
            throw first
        }
        var vectors: [BookVector] = []
        for ((passage, result), fault) in zip(zip(batch, answer.results), faults) {
            var vector: [Float] = []
            if let fault {
                let count = tries[passage.passage.number, default: 0] + 1
                tries[passage.passage.number] = count
                guard fault.status == 400 || count >= Self.maxTries else { continue }
                logger.warning(
                    "a passage cannot be embedded",
                    metadata: [
                        "book": "\(passage.book)", "passage": "\(passage.passage.number)", "reason": "\(fault.message)",
                    ])
            } else if case .success(let found) = result, found.contains(where: { $0 != 0 }) {
                vector = found
            }
            vectors.append(BookVector(book: passage.book, number: passage.passage.number, vector: vector))
        }
        try await store.store(vectors, in: space.id, dimensions: dimensions)
        return vectors.count
    }

    /// The line in front of a passage: it costs no model call and tells where the passage is from.
    static func context(_ title: String, _ heading: String?) -> String {
        let line = [title, heading ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        guard !line.isEmpty else { return "" }
        var cut = ""
        var bytes = 0
        for character in line {
            bytes += character.utf8.count
            guard bytes <= maxContextBytes else { break }
            cut.append(character)
        }
        return cut + "\n"
    }
}
