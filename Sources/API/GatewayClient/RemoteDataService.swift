public import GatewayAPI

/// Notes and all that belongs to them, behind a gateway.
///
/// Every method throws ``GatewayClientError``. What can be done twice without harm is sent again when the connection breaks
/// or the gateway is busy; what stores something new each time (``createNote(_:)``, ``capture(_:)``, ``createMemory(_:)``,
/// ``addMessage(_:toSession:)``) is never. A deletion whose reply was lost is sent again and then answers 404.
public struct RemoteDataService: DataProvider {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Notes

    /// `GET /api/notes`
    public func notes(_ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes").with(page))
    }

    /// `GET /api/notes/:id`
    public func note(_ id: Int64) async throws -> NoteFields {
        try await connection.send(Call("GET", "/api/notes/\(id)"))
    }

    /// `POST /api/notes/search`
    public func searchNotes(_ request: NoteSearchRequest) async throws -> NotesResponse {
        try await connection.send(Call("POST", "/api/notes/search", request, .always))
    }

    /// `GET /api/notes/recent`
    public func recentNotes(days: Double?, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/recent").with("days", days).with(page))
    }

    /// `GET /api/notes/since/:date`
    public func notes(since date: String, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/since/\(Call.segment(date))").with(page))
    }

    /// `POST /api/notes/retrieve`
    public func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse {
        try await connection.send(Call("POST", "/api/notes/retrieve", request, .always, patience: .model))
    }

    /// `GET /api/notes/:id/related`
    public func relatedNotes(to id: Int64, limit: Int?) async throws -> RelatedResponse {
        try await connection.send(Call("GET", "/api/notes/\(id)/related").with("limit", limit))
    }

    /// `POST /api/notes/thread-assignments`
    public func threadAssignments(of ids: [Int64]) async throws -> ThreadAssignmentsResponse {
        let request = ThreadAssignmentsRequest(noteIds: ids)
        return try await connection.send(Call("POST", "/api/notes/thread-assignments", request, .always))
    }

    /// `POST /webhook/api/drafts`
    public func capture(_ note: NewNote) async throws -> CaptureResponse {
        try await connection.send(Call("POST", "/webhook/api/drafts", note, .never))
    }

    /// `POST /api/notes`
    public func createNote(_ note: NewNote) async throws -> NoteFields {
        try await connection.send(Call("POST", "/api/notes", note, .never))
    }

    /// `PUT /api/notes/:id`
    public func updateNote(_ id: Int64, _ update: NoteUpdate) async throws -> NoteFields {
        try await connection.send(Call("PUT", "/api/notes/\(id)", update, .always))
    }

    /// `DELETE /api/notes/:id`
    public func deleteNote(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/notes/\(id)"))
    }

    /// `POST /webhook/api/export-obsidian`
    public func exportNotes(_ request: ExportRequest) async throws -> ExportResponse {
        // Many files take longer than an answer from the database.
        try await connection.send(Call("POST", "/webhook/api/export-obsidian", request, .always, patience: .model))
    }

    // MARK: Threads

    /// `GET /api/threads`
    public func activeThreads(_ page: PageRequest) async throws -> ThreadsResponse {
        try await connection.send(Call("GET", "/api/threads").with(page))
    }

    /// `GET /api/threads/:id`
    public func thread(_ id: Int64, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/\(id)").with(page))
    }

    /// `GET /api/threads/search/:name`
    public func thread(named name: String, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/search/\(Call.segment(name))").with(page))
    }

    /// `GET /api/threads/:id/tasks`
    public func tasks(ofThread id: Int64, _ page: PageRequest) async throws -> ThreadTasksResponse {
        try await connection.send(Call("GET", "/api/threads/\(id)/tasks").with(page))
    }

    // MARK: Sessions

    /// `GET /api/sessions`
    public func sessions(_ page: PageRequest) async throws -> SessionsResponse {
        try await connection.send(Call("GET", "/api/sessions").with(page))
    }

    /// `GET /api/sessions/:id`
    public func session(_ id: String) async throws -> SessionFields {
        try await connection.send(Call("GET", "/api/sessions/\(Call.segment(id))"))
    }

    /// `PUT /api/sessions/:id`
    public func saveSession(_ id: String, _ update: SessionUpdate) async throws -> SessionFields {
        try await connection.send(Call("PUT", "/api/sessions/\(Call.segment(id))", update, .always))
    }

    /// `PATCH /api/sessions/:id/pin`
    public func pinSession(_ id: String, _ isPinned: Bool) async throws -> SessionFields {
        let request = PinRequest(isPinned: isPinned)
        return try await connection.send(Call("PATCH", "/api/sessions/\(Call.segment(id))/pin", request, .always))
    }

    /// `DELETE /api/sessions/:id`
    public func deleteSession(_ id: String) async throws -> DeletedSessionResponse {
        try await connection.send(Call("DELETE", "/api/sessions/\(Call.segment(id))"))
    }

    /// `GET /api/sessions/:id/messages`
    public func messages(ofSession id: String, _ page: PageRequest) async throws -> MessagesResponse {
        try await connection.send(Call("GET", "/api/sessions/\(Call.segment(id))/messages").with(page))
    }

    /// `POST /api/sessions/:id/messages`
    public func addMessage(_ message: NewMessage, toSession id: String) async throws -> MessageFields {
        try await connection.send(Call("POST", "/api/sessions/\(Call.segment(id))/messages", message, .never))
    }

    /// `GET /api/messages/recent`
    public func recentMessages(_ page: PageRequest) async throws -> MessagesResponse {
        try await connection.send(Call("GET", "/api/messages/recent").with(page))
    }

    // MARK: Memories

    /// `GET /api/memories`
    public func memories(embeddings: Bool, _ page: PageRequest) async throws -> MemoriesResponse {
        try await connection.send(Call("GET", "/api/memories").with("embeddings", embeddings ? true : nil).with(page))
    }

    /// `POST /api/memories`
    public func createMemory(_ memory: NewMemory) async throws -> MemoryFields {
        try await connection.send(Call("POST", "/api/memories", memory, .never))
    }

    /// `PUT /api/memories/:id`
    public func updateMemory(_ id: Int64, _ update: MemoryUpdate) async throws -> MemoryFields {
        try await connection.send(Call("PUT", "/api/memories/\(id)", update, .always))
    }

    /// `DELETE /api/memories/:id`
    public func deleteMemory(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/memories/\(id)"))
    }

    /// `POST /api/memories/touch`
    public func touchMemories(_ ids: [Int64]) async throws -> TouchResponse {
        try await connection.send(Call("POST", "/api/memories/touch", TouchRequest(ids: ids), .always))
    }

    /// `POST /api/memories/retrieve`
    public func retrieveMemories(_ request: MemoryRetrieveRequest) async throws -> MemoryRetrieveResponse {
        try await connection.send(Call("POST", "/api/memories/retrieve", request, .always, patience: .model))
    }

    // MARK: Briefing and devices

    /// `GET /api/briefing/associations`
    public func associations(
        minSimilarity: Double?, recentDays: Double?, _ page: PageRequest
    ) async throws -> AssociationsResponse {
        try await connection.send(
            Call("GET", "/api/briefing/associations").with("minSimilarity", minSimilarity)
                .with("recentDays", recentDays).with(page))
    }

    /// `POST /api/devices/register`
    public func registerDevice(_ device: DeviceRequest) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/register", device, .always))
    }

    /// `POST /api/devices/unregister`
    public func unregisterDevice(_ token: String) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/unregister", DeviceRequest(token: token), .always))
    }
}
