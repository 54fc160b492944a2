package import Storage

extension BackfillService {
    /// Returns the space for vectors of texts that are no notes: the active one while Ollama has its model, else the space
    /// of the model, which becomes active when no space is.
    ///
    /// - Throws: ``UpstreamError``, ``StorageError``.
    package func space() async throws -> StoredSpace {
        let wanted = try await target.find(BackfillRetryPolicy(attempts: 1))
        if let active = await target.active(besides: wanted) { return active }
        if try await database.spaces.active() == nil { try await database.spaces.activate(wanted.id) }
        return wanted
    }
}
