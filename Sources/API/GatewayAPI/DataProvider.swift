/// Notes, threads, sessions, memories and what belongs to them, wherever they are: behind a gateway, or in a file of an app.
///
/// Every method throws the provider's own error; `GatewayClientError` for the remote one. Lists come in pages: the
/// `nextCursor` of a reply is the cursor of the next ``PageRequest``, and rows that come or go meanwhile move nothing.
public protocol DataProvider: Sendable {
    // MARK: Notes

    /// All notes, newest first; 100 to a page.
    func notes(_ page: PageRequest) async throws -> NotesResponse
    /// One note.
    func note(_ id: Int64) async throws -> NoteFields
    /// Notes that contain a text, whatever its case.
    func searchNotes(_ request: NoteSearchRequest) async throws -> NotesResponse
    /// Notes of the last `days` (7 when nil), newest first; 10 to a page.
    func recentNotes(days: Double?, _ page: PageRequest) async throws -> NotesResponse
    /// Notes since a date (`YYYY-MM-DD` or ISO 8601), newest first; 20 to a page.
    func notes(since date: String, _ page: PageRequest) async throws -> NotesResponse
    /// Notes by meaning and by word, best first.
    func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse
    /// The notes that are nearest to one, by stored vectors; 10 when `limit` is nil, 100 at most.
    func relatedNotes(to id: Int64, limit: Int?) async throws -> RelatedResponse
    /// The threads of some notes, 1000 at most.
    func threadAssignments(of ids: [Int64]) async throws -> ThreadAssignmentsResponse
    /// Stores a note; one with the same title and content is no error, but a `duplicate`.
    func capture(_ note: NewNote) async throws -> CaptureResponse
    /// Stores a note and gives it back; one with the same title and content is an error.
    func createNote(_ note: NewNote) async throws -> NoteFields
    /// Changes a note; absent fields stay.
    func updateNote(_ id: Int64, _ update: NoteUpdate) async throws -> NoteFields
    /// Deletes a note with its vectors.
    func deleteNote(_ id: Int64) async throws -> DeletedResponse
    /// Writes one note, or all, as Markdown into the provider's export folder. Doing it again changes nothing.
    func exportNotes(_ request: ExportRequest) async throws -> ExportResponse

    // MARK: Threads

    /// Active threads, those with the most momentum first; 10 to a page.
    func activeThreads(_ page: PageRequest) async throws -> ThreadsResponse
    /// A thread with a page of its notes, newest first; 20 to a page.
    func thread(_ id: Int64, _ page: PageRequest) async throws -> ThreadWithNotes
    /// The thread whose name is nearest to a name as one remembers it, with a page of its notes.
    func thread(named name: String, _ page: PageRequest) async throws -> ThreadWithNotes
    /// A thread's tasks, newest first; 100 to a page.
    func tasks(ofThread id: Int64, _ page: PageRequest) async throws -> ThreadTasksResponse

    // MARK: Sessions

    /// Chat sessions, the latest first; 100 to a page.
    func sessions(_ page: PageRequest) async throws -> SessionsResponse
    /// One chat session.
    func session(_ id: String) async throws -> SessionFields
    /// Makes a session, or changes one; absent fields stay.
    func saveSession(_ id: String, _ update: SessionUpdate) async throws -> SessionFields
    /// Says whether a session stays on top of lists.
    func pinSession(_ id: String, _ isPinned: Bool) async throws -> SessionFields
    /// Deletes a session with its messages.
    func deleteSession(_ id: String) async throws -> DeletedSessionResponse
    /// A session's messages, oldest first; 100 to a page.
    func messages(ofSession id: String, _ page: PageRequest) async throws -> MessagesResponse
    /// Adds a message to a session that exists.
    func addMessage(_ message: NewMessage, toSession id: String) async throws -> MessageFields
    /// The latest messages over all sessions, newest first; 10 to a page.
    func recentMessages(_ page: PageRequest) async throws -> MessagesResponse

    // MARK: Memories

    /// Memories, the surest first; 50 to a page.
    ///
    /// - Parameter embeddings: Whether their vectors travel, too.
    func memories(embeddings: Bool, _ page: PageRequest) async throws -> MemoriesResponse
    /// Stores a memory.
    func createMemory(_ memory: NewMemory) async throws -> MemoryFields
    /// Changes a memory; absent fields stay.
    func updateMemory(_ id: Int64, _ update: MemoryUpdate) async throws -> MemoryFields
    /// Deletes a memory.
    func deleteMemory(_ id: Int64) async throws -> DeletedResponse
    /// Says that memories were of use just now; 1 to 1000 of them.
    func touchMemories(_ ids: [Int64]) async throws -> TouchResponse
    /// Memories by meaning, best first.
    func retrieveMemories(_ request: MemoryRetrieveRequest) async throws -> MemoryRetrieveResponse

    // MARK: Briefing and devices

    /// Pairs of notes that are near to each other, nearest first, each pair once; 10 to a page.
    ///
    /// - Parameters:
    ///   - minSimilarity: The least cosine; 0.7 when nil.
    ///   - recentDays: Only pairs with a note of the last so many days; 7 when nil.
    func associations(
        minSimilarity: Double?, recentDays: Double?, _ page: PageRequest
    ) async throws -> AssociationsResponse
    /// Makes a device known for pushes; doing it again changes nothing.
    func registerDevice(_ device: DeviceRequest) async throws -> DeviceResponse
    /// Forgets a device; one that is not known is no error.
    func unregisterDevice(_ token: String) async throws -> DeviceResponse
}
