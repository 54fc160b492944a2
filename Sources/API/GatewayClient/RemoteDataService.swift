public import GatewayAPI

/// Calls the data routes of a gateway: notes, threads, sessions, memories, associations and devices.
///
/// Every method throws ``GatewayClientError``. Idempotent calls are retried when the connection breaks or the gateway
/// is busy. Calls that store something new each time are never retried: ``createNote(_:)``, ``capture(_:)``,
/// ``createMemory(_:)`` and ``addMessage(_:toSession:)``. A retried deletion whose first reply was lost answers 404.
public struct RemoteDataService: Sendable {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Notes

    /// `GET /api/notes`: returns all notes, newest first; 100 to a page.
    public func notes(_ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes").with(page))
    }

    /// `GET /api/notes/:id`: returns one note.
    public func note(_ id: Int64) async throws -> Note {
        try await connection.send(Call("GET", "/api/notes/\(id)"))
    }

    /// `POST /api/notes/search`: returns the notes that contain a text, ignoring case.
    public func searchNotes(_ request: NoteSearchRequest) async throws -> NotesResponse {
        try await connection.send(Call("POST", "/api/notes/search", request, .always))
    }

    /// `GET /api/notes/recent`: returns the notes of the last `days` (7 when nil), newest first; 10 to a page.
    public func recentNotes(days: Double?, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/recent").with("days", days).with(page))
    }

    /// `GET /api/notes/since/:date`: returns notes since a date (`YYYY-MM-DD` or ISO 8601), newest first; 20 to a page.
    public func notes(since date: String, _ page: PageRequest) async throws -> NotesResponse {
        try await connection.send(Call("GET", "/api/notes/since/\(Call.segment(date))").with(page))
    }

    /// `POST /api/notes/retrieve`: searches notes by meaning and by word, best first.
    public func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse {
        try await connection.send(Call("POST", "/api/notes/retrieve", request, .always, timeout: .model))
    }

    /// `GET /api/find`: finds in notes, books, chats, memories, threads and goals; 20 to a page.
    ///
    /// - Parameters:
    ///   - text: What to look for, with operators.
    ///   - kinds: The kinds to search; all when empty.
    public func find(_ text: String, kinds: [FindKind] = [], _ page: PageRequest = PageRequest()) async throws
        -> FindResponse
    {
        let names = kinds.isEmpty ? nil : kinds.map(\.rawValue).joined(separator: ",")
        var call = Call("GET", "/api/find").with("q", text).with("kinds", names).with(page)
        call.timeout = .model
        return try await connection.send(call)
    }

    /// `GET /api/notes/:id/related`: returns the nearest notes to a note by stored vectors; 10 when `limit` is nil, at
    /// most 100.
    public func relatedNotes(to id: Int64, limit: Int?) async throws -> RelatedResponse {
        try await connection.send(Call("GET", "/api/notes/\(id)/related").with("limit", limit))
    }

    /// `POST /api/notes/thread-assignments`: returns the threads of at most 1000 notes.
    public func threadAssignments(of ids: [Int64]) async throws -> ThreadAssignmentsResponse {
        let request = ThreadAssignmentsRequest(noteIds: ids)
        return try await connection.send(Call("POST", "/api/notes/thread-assignments", request, .always))
    }

    /// `POST /webhook/api/drafts`: stores a note; answers `duplicate` when title and content already exist.
    public func capture(_ note: NewNote) async throws -> CaptureResponse {
        try await connection.send(Call("POST", "/webhook/api/drafts", note, .never))
    }

    /// `POST /api/notes`: stores a note and returns it; fails when a note with the same title and content exists.
    public func createNote(_ note: NewNote) async throws -> Note {
        try await connection.send(Call("POST", "/api/notes", note, .never))
    }

    /// `PUT /api/notes/:id`: changes a note; absent fields keep their value.
    public func updateNote(_ id: Int64, _ update: NoteUpdate) async throws -> Note {
        try await connection.send(Call("PUT", "/api/notes/\(id)", update, .always))
    }

    /// `DELETE /api/notes/:id`: deletes a note with its vectors; the gateway keeps its text for 30 days.
    ///
    /// - Parameter revision: The revision that was read; nil to delete any.
    public func deleteNote(_ id: Int64, revision: String? = nil) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/notes/\(id)").with("revision", revision))
    }

    /// `POST /webhook/api/export-obsidian`: writes one note, or all, as Markdown into the provider's export folder.
    /// Idempotent.
    public func exportNotes(_ request: ExportRequest) async throws -> ExportResponse {
        // Writing many files takes longer than the data timeout.
        try await connection.send(Call("POST", "/webhook/api/export-obsidian", request, .always, timeout: .model))
    }

    // MARK: Threads

    /// `GET /api/threads`: returns active threads, highest momentum first; 10 to a page.
    public func activeThreads(_ page: PageRequest) async throws -> ThreadsResponse {
        try await connection.send(Call("GET", "/api/threads").with(page))
    }

    /// `GET /api/threads/:id`: returns a thread with a page of its notes, newest first; 20 to a page.
    public func thread(_ id: Int64, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/\(id)").with(page))
    }

    /// `GET /api/threads/search/:name`: returns the thread whose name is most similar, with a page of its notes.
    public func thread(named name: String, _ page: PageRequest) async throws -> ThreadWithNotes {
        try await connection.send(Call("GET", "/api/threads/search/\(Call.segment(name))").with(page))
    }

    /// `GET /api/threads/:id/tasks`: returns a thread's tasks, newest first; 100 to a page.
    public func tasks(ofThread id: Int64, _ page: PageRequest) async throws -> ThreadTasksResponse {
        try await connection.send(Call("GET", "/api/threads/\(id)/tasks").with(page))
    }

    // MARK: Sessions

    /// `GET /api/sessions`: returns chat sessions, latest first; 100 to a page.
    public func sessions(_ page: PageRequest) async throws -> SessionsResponse {
        try await connection.send(Call("GET", "/api/sessions").with(page))
    }

    /// `GET /api/sessions/:id`: returns one chat session.
    public func session(_ id: String) async throws -> Session {
        try await connection.send(Call("GET", "/api/sessions/\(Call.segment(id))"))
    }

    /// `PUT /api/sessions/:id`: creates or changes a session; absent fields keep their value.
    public func saveSession(_ id: String, _ update: SessionUpdate) async throws -> Session {
        try await connection.send(Call("PUT", "/api/sessions/\(Call.segment(id))", update, .always))
    }

    /// `PATCH /api/sessions/:id/pin`: pins a session to the top of lists, or unpins it.
    public func pinSession(_ id: String, _ isPinned: Bool) async throws -> Session {
        let request = PinRequest(isPinned: isPinned)
        return try await connection.send(Call("PATCH", "/api/sessions/\(Call.segment(id))/pin", request, .always))
    }

    /// `DELETE /api/sessions/:id`: deletes a session with its messages.
    public func deleteSession(_ id: String) async throws -> DeletedSessionResponse {
        try await connection.send(Call("DELETE", "/api/sessions/\(Call.segment(id))"))
    }

    /// `GET /api/sessions/:id/messages`: returns a session's messages, 100 to a page.
    ///
    /// - Parameters:
    ///   - order: The order; by time, oldest first, when nil.
    ///   - id: Only messages stored before this one, for the order ``MessageOrder/newest`` without a cursor.
    public func messages(
        ofSession session: String, order: MessageOrder? = nil, before id: Int64? = nil, _ page: PageRequest
    ) async throws -> MessagesResponse {
        try await connection.send(
            Call("GET", "/api/sessions/\(Call.segment(session))/messages").with("order", order?.rawValue)
                .with("before", id).with(page))
    }

    /// `POST /api/sessions/:id/messages`: adds a message to an existing session.
    public func addMessage(_ message: NewMessage, toSession id: String) async throws -> Message {
        try await connection.send(Call("POST", "/api/sessions/\(Call.segment(id))/messages", message, .never))
    }

    /// `GET /api/messages/recent`: returns the latest messages of all sessions, newest first; 10 to a page.
    public func recentMessages(_ page: PageRequest) async throws -> MessagesResponse {
        try await connection.send(Call("GET", "/api/messages/recent").with(page))
    }

    // MARK: Memories

    /// `GET /api/memories`: returns memories, highest confidence first; 50 to a page.
    ///
    /// - Parameter embeddings: Whether the reply includes the vectors.
    public func memories(embeddings: Bool, _ page: PageRequest) async throws -> MemoriesResponse {
        try await connection.send(Call("GET", "/api/memories").with("embeddings", embeddings ? true : nil).with(page))
    }

    /// `GET /api/memories`: returns memories of a state or of all (`all`), and of a type.
    public func memories(state: String, type: String? = nil, _ page: PageRequest) async throws -> MemoriesResponse {
        try await connection.send(Call("GET", "/api/memories").with("state", state).with("type", type).with(page))
    }

    /// `GET /api/memories/:id/why`: returns where a memory comes from, and what happened to it.
    public func whyMemory(_ id: Int64) async throws -> MemoryHistory {
        try await connection.send(Call("GET", "/api/memories/\(id)/why"))
    }

    /// `POST /api/memories/:id/undo`: undoes the last change of a memory.
    public func undoMemory(_ id: Int64) async throws -> MemoryUndone {
        try await connection.send(Call("POST", "/api/memories/\(id)/undo"))
    }

    /// `POST /api/memories/:id/confirm`: confirms what a model proposed.
    public func confirmMemory(_ id: Int64) async throws -> Memory {
        try await connection.send(Call("POST", "/api/memories/\(id)/confirm"))
    }

    /// `POST /api/memories`: stores a memory.
    public func createMemory(_ memory: NewMemory) async throws -> Memory {
        try await connection.send(Call("POST", "/api/memories", memory, .never))
    }

    /// `PUT /api/memories/:id`: changes a memory; absent fields keep their value.
    public func updateMemory(_ id: Int64, _ update: MemoryUpdate) async throws -> Memory {
        try await connection.send(Call("PUT", "/api/memories/\(id)", update, .always))
    }

    /// `DELETE /api/memories/:id`: deletes a memory.
    public func deleteMemory(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/memories/\(id)"))
    }

    /// `POST /api/memories/touch`: marks 1 to 1000 memories as used now.
    public func touchMemories(_ ids: [Int64]) async throws -> TouchResponse {
        try await connection.send(Call("POST", "/api/memories/touch", TouchRequest(ids: ids), .always))
    }

    /// `POST /api/memories/retrieve`: searches memories by meaning, best first.
    public func retrieveMemories(_ request: MemoryRetrieveRequest) async throws -> MemoryRetrieveResponse {
        try await connection.send(Call("POST", "/api/memories/retrieve", request, .always, timeout: .model))
    }

    // MARK: Briefing, tasks and devices

    /// `GET /api/briefing/today` or `GET /api/briefing/:date`: returns a briefing; the first request of a day makes that of
    /// today.
    ///
    /// - Parameter day: A day such as `2026-03-14`; today when nil.
    public func briefing(of day: String? = nil) async throws -> Briefing {
        try await connection.send(Call("GET", "/api/briefing/\(day ?? "today")"))
    }

    /// `GET /api/tasks`: returns tasks, the earliest due day first; 100 to a page.
    ///
    /// - Parameter state: `open`, `done` or `all`; `open` when nil.
    public func tasks(_ state: String? = nil, thread: Int64? = nil, _ page: PageRequest = PageRequest()) async throws
        -> TaskList
    {
        try await connection.send(Call("GET", "/api/tasks").with("state", state).with("thread", thread).with(page))
    }

    /// `PATCH /api/tasks/:id`: marks a task as done or open, gives it a title or a due day.
    @discardableResult
    public func change(task id: Int64, _ update: TaskUpdate) async throws -> TaskRecord {
        try await connection.send(try Call("PATCH", "/api/tasks/\(id)", update, .always))
    }

    /// `GET /api/briefing/associations`: returns pairs of similar notes, nearest first, each pair once; 10 to a page.
    ///
    /// - Parameters:
    ///   - minSimilarity: The minimum cosine; 0.7 when nil.
    ///   - recentDays: Only pairs with a note created in the last `recentDays` days; 7 when nil.
    public func associations(
        minSimilarity: Double?, recentDays: Double?, _ page: PageRequest
    ) async throws -> AssociationsResponse {
        try await connection.send(
            Call("GET", "/api/briefing/associations").with("minSimilarity", minSimilarity)
                .with("recentDays", recentDays).with(page))
    }

    /// `POST /api/devices/register`: registers a device for push notifications. Idempotent.
    public func registerDevice(_ device: DeviceRequest) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/register", device, .always))
    }

    /// `POST /api/devices/unregister`: removes a device; an unknown device is no error.
    public func unregisterDevice(_ token: String) async throws -> DeviceResponse {
        try await connection.send(Call("POST", "/api/devices/unregister", DeviceRequest(token: token), .always))
    }
}
