import GatewayAPI
import Inference
import Storage

/// Withholds private notes from embedding models on other machines.
struct WithheldNotes: Sendable {
    private let notes: any BackfillNotes
    private let models: EmbeddingModels
    private let isPrivate: @Sendable (Note) -> Bool

    init(notes: any BackfillNotes, models: EmbeddingModels, _ isPrivate: @escaping @Sendable (Note) -> Bool) {
        (self.notes, self.models, self.isPrivate) = (notes, models, isPrivate)
    }

    /// Returns the notes among leased ones that must not be sent to a space's model. A note that is gone is among them.
    ///
    /// - Throws: ``StorageError``.
    func among(_ items: [QueueItem], for space: StoredSpace) async throws -> Set<Int64> {
        guard !items.isEmpty, !models.isLocal(space.space.model) else { return [] }
        let ids = items.map(\.note.id)
        let found = try await notes.find(ids: ids, maxBytes: 64 << 20)
        return Set(ids).subtracting(found.filter { !isPrivate($0) }.map(\.id))
    }
}
