extension KeyStore {
    /// Whether there is a key that was not revoked.
    package func hasLiveKey() async throws -> Bool { try await all().contains { $0.revokedAt == nil } }

    /// Whether there is a key that was not revoked, or the server that has the keys is away.
    ///
    /// - Throws: ``StorageError`` when the keys of a file cannot be read, `CancellationError`.
    package func mayHaveLiveKey() async throws -> Bool {
        do {
            return try await hasLiveKey()
        } catch let error as StorageError {
            throw error
        } catch {
            try Task.checkCancellation()
            return true
        }
    }
}
