public import GatewayAPI

/// Earlier versions of notes, and deleted notes.
extension RemoteDataService {
    /// `GET /api/notes/deleted`: returns deleted notes, the last deleted first; 100 to a page.
    public func deletedNotes(_ page: PageRequest) async throws -> DeletedNotesResponse {
        try await connection.send(Call("GET", "/api/notes/deleted").with(page))
    }

    /// `GET /api/notes/:id/history`: returns the versions of a note that were replaced, newest first, without their texts.
    public func noteHistory(_ id: Int64) async throws -> NoteHistoryResponse {
        try await connection.send(Call("GET", "/api/notes/\(id)/history"))
    }

    /// `GET /api/notes/:id/history/:version`: returns a version with its text.
    public func noteVersion(_ version: Int64, of id: Int64) async throws -> NoteVersion {
        try await connection.send(Call("GET", "/api/notes/\(id)/history/\(version)"))
    }

    /// `POST /api/notes/:id/restore`: brings a deleted note back, or gives a note the text of an earlier version.
    public func restoreNote(_ id: Int64, _ restore: NoteRestore = NoteRestore()) async throws -> Note {
        try await connection.send(Call("POST", "/api/notes/\(id)/restore", restore, .never))
    }

    /// `DELETE /api/notes/:id/history`: erases the earlier versions of a note, and with them a deleted note for good.
    public func eraseNoteHistory(_ id: Int64) async throws -> ErasedHistoryResponse {
        try await connection.send(Call("DELETE", "/api/notes/\(id)/history"))
    }
}
