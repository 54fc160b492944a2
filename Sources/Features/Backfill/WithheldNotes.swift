import GatewayAPI
import Inference
import Storage
import Transport

/// Withholds private notes from embedding models on other machines.
struct WithheldNotes: Sendable {
    private let notes: any BackfillNotes
    private let models: EmbeddingModels
    private let isPrivate: @Sendable (Note) -> Bool

    init(notes: any BackfillNotes, models: EmbeddingModels, _ isPrivate: @escaping @Sendable (Note) -> Bool) {
        (self.notes, self.models, self.isPrivate) = (notes, models, isPrivate)
    }

    /// Whether a space's model runs on another machine.
    ///
    /// - Throws: ``UpstreamError`` when Ollama does not say where the model runs.
    func isElsewhere(_ space: StoredSpace) async throws(UpstreamError) -> Bool {
        try await !models.isLocal(space.space.model)
    }

    /// Returns the notes among leased ones that must not be sent to another machine. A note that is gone is among them.
    ///
    /// - Throws: ``StorageError``.
    func among(_ items: [QueueItem]) async throws -> Set<Int64> {
        guard !items.isEmpty else { return [] }
        let ids = items.map(\.note.id)
        let found = try await notes.find(ids: ids, maxBytes: 64 << 20)
        return Set(ids).subtracting(found.filter { !isPrivate($0) }.map(\.id))
    }
}
