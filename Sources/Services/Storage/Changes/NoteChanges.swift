/// Follows which notes change, wherever they are. Nothing is held for a follower, which keeps a position.
package protocol NoteChanges: Sendable {
    /// How often a follower looks.
    var interval: Duration { get }
    /// The position after all changes so far.
    func end() async throws -> NotePosition
    /// Returns the notes that changed since a position, and moves it on; nothing when none did.
    func ids(since position: inout NotePosition) async throws -> Set<Int64>
    /// The position after all changes so far, as a number to keep.
    func mark() async throws -> Int64
    /// The notes that changed between two numbers; nil when the log does not reach back.
    func ids(since start: Int64, until end: Int64) async throws -> Set<Int64>?

    // MARK: For an index

    /// Returns the end of the log and the active space.
    func changeState() async throws -> DatabaseChangeState
    /// Returns the changes since a cursor, of about `limit` entries. Call again with the returned cursor while there are more.
    ///
    /// - Parameter space: The space whose vectors to read; no vectors when nil.
    func since(_ cursor: ChangeCursor, in space: StoredSpace?, limit: Int) async throws -> ChangeBatch
    /// Reads every note in batches, in the order of their ids. All changes up to the returned cursor are in them.
    func readAll(
        in space: StoredSpace?, batchSize: Int, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor
    /// Reads the next `limit` notes after an id, in batches. Returns the last id that was read; nil when none is left.
    func read(
        after id: Int64?, limit: Int, in space: StoredSpace?, batchSize: Int,
        _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> Int64?
    /// Returns the notes from an id on and some further ones, the newest first up to `limit` notes or about 32 MB.
    func newestNotes(
        from id: Int64, and known: [Int64], in space: StoredSpace?, limit: Int
    ) async throws -> [IndexedNote]
    /// Whether there are at least so many notes. Time grows with the limit, not with the notes.
    func hasNotes(atLeast limit: Int) async throws -> Bool
    /// The name of the store. That of another one differs.
    func identity() async throws -> String
    /// Returns a name for the store and its log up to a cursor. It differs for an older copy that has diverged since.
    func name(at cursor: ChangeCursor) async throws -> String
}

extension NoteChanges {
    package func since(_ cursor: ChangeCursor, in space: StoredSpace?) async throws -> ChangeBatch {
        try await since(cursor, in: space, limit: 5000)
    }

    package func readAll(
        in space: StoredSpace?, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor {
        try await readAll(in: space, batchSize: 1000, body)
    }

    package func read(
        after id: Int64?, limit: Int, in space: StoredSpace?,
        _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> Int64? {
        try await read(after: id, limit: limit, in: space, batchSize: 1000, body)
    }

    package func newestNotes(
        from id: Int64, and known: [Int64], in space: StoredSpace?
    ) async throws -> [IndexedNote] {
        try await newestNotes(from: id, and: known, in: space, limit: 5000)
    }

    /// The hash of a name: FNV-1a over the last changed notes.
    package func tailHash(_ notes: [Int64]) -> String {
        let hash = notes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64(bitPattern: $1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}

/// A position among the changes of notes, of one store.
package struct NotePosition: Sendable, Hashable {
    /// What tells whether anything changed: a version of the file, or the number of a transaction.
    package var version: Int64
    /// The number of an entry of the log.
    package var entry: Int64

    package init(version: Int64, entry: Int64) { (self.version, self.entry) = (version, entry) }
}

extension ChangeLog: NoteChanges {
    package func mark() async throws -> Int64 { try await changeState().cursor.position }

    package func ids(since start: Int64, until end: Int64) async throws -> Set<Int64>? {
        let end = ChangeCursor(position: end)
        var cursor = ChangeCursor(position: start)
        guard try await !since(cursor, in: nil, limit: 1).needsReload else { return nil }
        var found = Set<Int64>()
        while cursor < end {
            try Task.checkCancellation()
            let part = try await ids(since: cursor)
            guard part.cursor > cursor else { break }
            found.formUnion(part.ids)
            cursor = part.cursor
        }
        return found
    }

    package var interval: Duration { .milliseconds(40) }

    package func end() async throws -> NotePosition {
        // The version first: a change between the two looks is looked for again.
        let version = try await dataVersion()
        return NotePosition(version: version, entry: try await changeState().cursor.position)
    }

    package func ids(since position: inout NotePosition) async throws -> Set<Int64> {
        let version = try await dataVersion()
        guard version != position.version else { return [] }
        let changed = try await ids(since: ChangeCursor(position: position.entry))
        position = NotePosition(version: version, entry: changed.cursor.position)
        return changed.ids
    }
}
