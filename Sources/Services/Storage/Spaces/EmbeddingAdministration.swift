package import GatewayAPI

/// What an administrator sees and does with embedding spaces and their queue, in either kind of store.
///
/// Methods throw ``StorageError`` for a file, and the server's own error for notes elsewhere.
package protocol EmbeddingAdministration: Sendable {
    /// The number of notes, without those of test runs.
    func noteCount() async throws -> Int
    /// The titles of notes, as far as they exist.
    func titles(of notes: [Int64]) async throws -> [Int64: String]

    /// All spaces, oldest first.
    func spaces() async throws -> [SpaceStatus]
    /// Switches queries to a space if enough notes have vectors in it. Compares all notes first if the space is behind.
    ///
    /// - Parameters:
    ///   - least: The share of the notes, 0 to 1.
    ///   - isThorough: Whether to compare all notes in any case.
    func `switch`(to space: SpaceID, atLeast least: Double, isThorough: Bool) async throws -> SpaceSwitch
    /// Switches queries back to the previous space, and queues what it lacks.
    func rollBack() async throws -> StoredSpace
    /// Removes a space with its vectors. Call again to finish an interrupted removal.
    func drop(_ space: SpaceID) async throws
    /// The last measured embedding speed of a model, in bytes of text per second; nil when not measured.
    func rate(of model: String) async throws -> Double?

    /// Returns notes that failed and are not retried, by space and id.
    ///
    /// - Parameter space: The space; all spaces when nil.
    func failed(in space: SpaceID?, after cursor: PageCursor?, limit: Int) async throws -> Page<FailedEmbedding>
    /// Queues all failed notes again. Returns their number.
    ///
    /// - Parameter space: The space; all spaces when nil.
    func retryFailed(in space: SpaceID?) async throws -> Int
    /// Queues a failed note again.
    ///
    /// - Returns: false when the note is not a failed one of the space.
    func retryFailed(_ note: Int64, in space: SpaceID) async throws -> Bool
    /// Takes a failed note off the queue. It stays without a vector until its text changes, or all notes are compared again.
    ///
    /// - Returns: false when the note is not a failed one of the space.
    func discardFailed(_ note: Int64, in space: SpaceID) async throws -> Bool
    /// Frees the notes that ended workers hold.
    func freeDeadLeases() async throws
    /// Counts the notes that lack vectors in a space, and the bytes of their texts.
    ///
    /// - Parameter space: The space; nil for a space that does not exist yet.
    func pendingSize(in space: SpaceID?, filter: QueueFilter, limit: Int?) async throws -> (notes: Int, bytes: Int)
    /// Compares the queue of each space that is being filled with all notes.
    func inspection() async throws -> [QueueInspection]
    /// Queues the notes that lack vectors in a space, after a comparison with all notes.
    func refill(_ space: SpaceID) async throws
}

/// A note that failed in a space and is not retried.
package struct FailedEmbedding: Sendable, Hashable {
    package var space: SpaceID
    /// The note and the reason.
    package var letter: DeadLetter

    package init(space: SpaceID, letter: DeadLetter) {
        self.space = space
        self.letter = letter
    }
}

/// The embedding spaces and the queue of an SQLite file.
package struct FileEmbeddings: EmbeddingAdministration {
    /// The maximum bytes of the notes that are read for their titles.
    private static let maxTitleBytes = 8 << 20

    let database: GatewayDatabase

    package func noteCount() async throws -> Int { try await database.notes.count() }

    package func titles(of notes: [Int64]) async throws -> [Int64: String] {
        let found = try await database.notes.find(ids: notes, maxBytes: Self.maxTitleBytes)
        return Dictionary(found.map { ($0.id, $0.title) }) { first, _ in first }
    }

    package func spaces() async throws -> [SpaceStatus] { try await database.spaces.all() }

    package func `switch`(to space: SpaceID, atLeast least: Double, isThorough: Bool) async throws -> SpaceSwitch {
        guard try await database.spaces.all().contains(where: { $0.stored.id == space }) else {
            throw StorageError(.notFound, "there is no embedding space \(space)")
        }
        try await database.queue.reconcile(for: space, isThorough: isThorough)
        return try await database.spaces.switch(to: space, atLeast: least, isAutomatic: false)
    }

    package func rollBack() async throws -> StoredSpace {
        let space = try await database.spaces.rollBack()
        try await database.queue.reconcile(for: space.id)
        return space
    }

    package func drop(_ space: SpaceID) async throws { try await database.spaces.drop(space) }

    package func rate(of model: String) async throws -> Double? { try await database.spaces.rate(of: model) }

    package func failed(in space: SpaceID?, after cursor: PageCursor?, limit: Int) async throws -> Page<FailedEmbedding>
    {
        try await database.queue.failed(in: space, after: cursor, limit: limit)
    }

    package func retryFailed(in space: SpaceID?) async throws -> Int { try await database.queue.retryFailed(in: space) }

    package func retryFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await database.queue.retryFailed(note, in: space)
    }

    package func discardFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await database.queue.discardFailed(note, in: space)
    }

    package func freeDeadLeases() async throws { try await database.queue.freeDeadLeases() }

    package func pendingSize(in space: SpaceID?, filter: QueueFilter, limit: Int?) async throws -> (
        notes: Int, bytes: Int
    ) {
        try await database.queue.pendingSize(in: space, filter: filter, limit: limit)
    }

    package func inspection() async throws -> [QueueInspection] { try await QueueInspection.of(database) }

    package func refill(_ space: SpaceID) async throws {
        try await database.queue.reconcile(for: space, isThorough: true)
    }
}
