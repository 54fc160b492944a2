public import GatewayAPI

/// Notes and all that belongs to them, behind a gateway.
///
/// Every method throws ``GatewayClientError``. What can be done twice without harm is sent again when the connection breaks
/// or the gateway is busy; what stores something new each time (``createNote(_:)``, ``capture(_:)``, ``createMemory(_:)``,
/// ``addMessage(_:toSession:)``) is never. A deletion whose reply was lost is sent again and then answers 404.
public struct RemoteDataService: Sendable {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Notes

    /// `GET /api/notes`: all notes, newest first; 100 to a page.
    public func notes(_ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes").with(page))
    }

    /// `GET /api/notes/:id`: one note.
    public func note(_ id: Int64) async throws -> Note {
        try await connection.send(Call("GET", "/api/notes/\(id)"))
    }

    /// `POST /api/notes/search`: notes that contain a text, whatever its case.
    public func searchNotes(_ request: NoteSearchRequest) async throws -> NotesResponse {
        try await connection.send(Call("POST", "/api/notes/search", request, .always))
    }

    /// `GET /api/notes/recent`: notes of the last `days` (7 when nil), newest first; 10 to a page.
    public func recentNotes(days: Double?, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/recent").with("days", days).with(page))
    }

    /// `GET /api/notes/since/:date`: notes since a date (`YYYY-MM-DD` or ISO 8601), newest first; 20 to a page.
    public func notes(since date: String, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/since/\(Call.segment(date))").with(page))
    }

    /// `POST /api/notes/retrieve`: notes by meaning and by word, best first.
    public func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse {
        try await connection.send(Call("POST", "/api/notes/retrieve", request, .always, patience: .model))
    }

    /// `GET /api/notes/:id/related`: the notes that are nearest to one, by stored vectors; 10 when `limit` is nil, 100
    /// at most.
    public func relatedNotes(to id: Int64, limit: Int?) async throws -> RelatedResponse {
        try await connection.send(Call("GET", "/api/notes/\(id)/related").with("limit", limit))
    }

    /// `POST /api/notes/thread-assignments`: the threads of some notes, 1000 at most.
    public func threadAssignments(of ids: [Int64]) async throws -> ThreadAssignmentsResponse {
        let request = ThreadAssignmentsRequest(noteIds: ids)
        return try await connection.send(Call("POST", "/api/notes/thread-assignments", request, .always))
    }

    /// `POST /webhook/api/drafts`: stores a note; one with the same title and content is no error, but a `duplicate`.
    public func capture(_ note: NewNote) async throws -> CaptureResponse {
        try await connection.send(Call("POST", "/webhook/api/drafts", note, .never))
    }

    /// `POST /api/notes`: stores a note and gives it back; one with the same title and content is an error.
    public func createNote(_ note: NewNote) async throws -> Note {
        try await connection.send(Call("POST", "/api/notes", note, .never))
    }

    /// `PUT /api/notes/:id`: changes a note; absent fields stay.
    public func updateNote(_ id: Int64, _ update: NoteUpdate) async throws -> Note {
        try await connection.send(Call("PUT", "/api/notes/\(id)", update, .always))
    }

    /// `DELETE /api/notes/:id`: deletes a note with its vectors.
    public func deleteNote(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/notes/\(id)"))
    }

    /// `POST /webhook/api/export-obsidian`: writes one note, or all, as Markdown into the provider's export folder.
    /// Doing it again changes nothing.
    public func exportNotes(_ request: ExportRequest) async throws -> ExportResponse {
        // Many files take longer than an answer from the database.
        try await connection.send(Call("POST", "/webhook/api/export-obsidian", request, .always, patience: .model))
    }

    // MARK: Threads

    /// `GET /api/threads`: active threads, those with the most momentum first; 10 to a page.
    public func activeThreads(_ page: PageRequest) async throws -> ThreadsResponse {
        try await connection.send(Call("GET", "/api/threads").with(page))
    }

    /// `GET /api/threads/:id`: a thread with a page of its notes, newest first; 20 to a page.
    public func thread(_ id: Int64, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/\(id)").with(page))
    }

    /// `GET /api/threads/search/:name`: the thread whose name is nearest to a name as one remembers it, with a page of
    /// its notes.
    public func thread(named name: String, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/search/\(Call.segment(name))").with(page))
    }

    /// `GET /api/threads/:id/tasks`: a thread's tasks, newest first; 100 to a page.
    public func tasks(ofThread id: Int64, _ page: PageRequest) async throws -> ThreadTasksResponse {
        try await connection.send(Call("GET", "/api/threads/\(id)/tasks").with(page))
    }

    // MARK: Sessions

    /// `GET /api/sessions`: chat sessions, the latest first; 100 to a page.
    public func sessions(_ page: PageRequest) async throws -> SessionsResponse {
        try await connection.send(Call("GET", "/api/sessions").with(page))
    }

    /// `GET /api/sessions/:id`: one chat session.
    public func session(_ id: String) async throws -> Session {
        try await connection.send(Call("GET", "/api/sessions/\(Call.segment(id))"))
    }

    /// `PUT /api/sessions/:id`: makes a session, or changes one; absent fields stay.
    public func saveSession(_ id: String, _ update: SessionUpdate) async throws -> Session {
        try await connection.send(Call("PUT", "/api/sessions/\(Call.segment(id))", update, .always))
    }

    /// `PATCH /api/sessions/:id/pin`: says whether a session stays on top of lists.
    public func pinSession(_ id: String, _ isPinned: Bool) async throws -> Session {
        let request = PinRequest(isPinned: isPinned)
        return try await connection.send(Call("PATCH", "/api/sessions/\(Call.segment(id))/pin", request, .always))
    }

    /// `DELETE /api/sessions/:id`: deletes a session with its messages.
    public func deleteSession(_ id: String) async throws -> DeletedSessionResponse {
        try await connection.send(Call("DELETE", "/api/sessions/\(Call.segment(id))"))
    }

    /// `GET /api/sessions/:id/messages`: a session's messages, oldest first; 100 to a page.
    public func messages(ofSession id: String, _ page: PageRequest) async throws -> MessagesResponse {
        try await connection.send(Call("GET", "/api/sessions/\(Call.segment(id))/messages").with(page))
    }

    /// `POST /api/sessions/:id/messages`: adds a message to a session that exists.
    public func addMessage(_ message: NewMessage, toSession id: String) async throws -> Message {
        try await connection.send(Call("POST", "/api/sessions/\(Call.segment(id))/messages", message, .never))
    }

    /// `GET /api/messages/recent`: the latest messages over all sessions, newest first; 10 to a page.
    public func recentMessages(_ page: PageRequest) async throws -> MessagesResponse {
        try await connection.send(Call("GET", "/api/messages/recent").with(page))
    }

    // MARK: Memories

    /// `GET /api/memories`: memories, the surest first; 50 to a page.
    ///
    /// - Parameter embeddings: Whether their vectors travel, too.
    public func memories(embeddings: Bool, _ page: PageRequest) async throws -> MemoriesResponse {
        try await connection.send(Call("GET", "/api/memories").with("embeddings", embeddings ? true : nil).with(page))
    }

    /// `POST /api/memories`: stores a memory.
    public func createMemory(_ memory: NewMemory) async throws -> Memory {
        try await connection.send(Call("POST", "/api/memories", memory, .never))
    }

    /// `PUT /api/memories/:id`: changes a memory; absent fields stay.
    public func updateMemory(_ id: Int64, _ update: MemoryUpdate) async throws -> Memory {
        try await connection.send(Call("PUT", "/api/memories/\(id)", update, .always))
    }

    /// `DELETE /api/memories/:id`: deletes a memory.
    public func deleteMemory(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/memories/\(id)"))
    }

    /// `POST /api/memories/touch`: says that memories were of use just now; 1 to 1000 of them.
    public func touchMemories(_ ids: [Int64]) async throws -> TouchResponse {
        try await connection.send(Call("POST", "/api/memories/touch", TouchRequest(ids: ids), .always))
    }

    /// `POST /api/memories/retrieve`: memories by meaning, best first.
    public func retrieveMemories(_ request: MemoryRetrieveRequest) async throws -> MemoryRetrieveResponse {
        try await connection.send(Call("POST", "/api/memories/retrieve", request, .always, patience: .model))
    }

    // MARK: Briefing and devices

    /// `GET /api/briefing/associations`: pairs of notes that are near to each other, nearest first, each pair once; 10
    /// to a page.
    ///
    /// - Parameters:
    ///   - minSimilarity: The least cosine; 0.7 when nil.
    ///   - recentDays: Only pairs with a note of the last so many days; 7 when nil.
    public func associations(
        minSimilarity: Double?, recentDays: Double?, _ page: PageRequest
    ) async throws -> AssociationsResponse {
        try await connection.send(
            Call("GET", "/api/briefing/associations").with("minSimilarity", minSimilarity)
                .with("recentDays", recentDays).with(page))
    }

    /// `POST /api/devices/register`: makes a device known for pushes; doing it again changes nothing.
    public func registerDevice(_ device: DeviceRequest) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/register", device, .always))
    }

    /// `POST /api/devices/unregister`: forgets a device; one that is not known is no error.
    public func unregisterDevice(_ token: String) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/unregister", DeviceRequest(token: token), .always))
    }
}
