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
