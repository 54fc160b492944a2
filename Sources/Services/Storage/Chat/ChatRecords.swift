package import GatewayAPI
package import Machine

/// Where answers are kept: the SQLite file, or a database that several gateways share.
///
/// Both have the same order, cursors, limits and errors. Methods throw ``StorageError`` for what the file's stores document,
/// and a shared database's own error while it is away.
package protocol ChatRecords: Sendable {
    var runs: any ChatRunRecords { get }
    var summaries: any SummaryRecords { get }

    /// Returns a session; nil when there is none with that id.
    func session(_ id: String) async throws -> Session?
    /// Returns the memories that chats always get: those that a person pinned, then those of some subjects. Nil when there
    /// are no memories at all.
    func standingMemories(keys: [String], limit: Int) async throws -> [Memory]?
}

/// The runs that answer questions; see ``ChatRunStore``.
package protocol ChatRunRecords: Sendable {
    /// Stores a new run and its question's message, and creates the session if there is none.
    func begin(
        _ draft: ChatRunDraft, title: String, as worker: WorkerName, isLive: @escaping @Sendable (String) -> Bool
    ) async throws -> ChatRunStart
    /// Takes over an interrupted run to continue it.
    func takeOver(_ id: String, as worker: WorkerName) async throws -> StoredChatRun
    /// Stores the progress of a run that a worker holds. Returns false when the worker no longer holds the run.
    func update(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Bool
    /// Stores the end of a run and the answer's message, and releases the run. Returns the message's id.
    func end(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Int64?
    func find(_ id: String) async throws -> StoredChatRun?
    /// Returns a page of runs, latest first, without their texts and records.
    func page(
        running: Bool, session: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredChatRun>
    /// Returns a message and those that it follows, oldest first.
    func history(through message: Int64?, of session: String) async throws -> [Message]
    /// Returns the messages before a question, oldest first, with their summary.
    func conversation(before question: Int64?, of session: String) async throws -> ChatConversation
    /// Returns a session's latest message and those that it follows, oldest first.
    func latestBranch(of session: String) async throws -> [Message]
    /// Returns what is known of the notes in the answers of runs, by run.
    func sources(of runs: [String]) async throws -> [String: ChatRunSources]
    /// Returns the requests of a session's runs, latest first.
    func requests(of session: String, limit: Int) async throws -> [String]
    /// Marks runs as interrupted whose process has ended. Their text becomes the answer's message.
    func interruptDeadRuns() async throws
    /// Says that a worker is alive. Returns its runs that another gateway was asked to stop.
    func keepAlive(_ worker: WorkerName) async throws -> [String]
    /// Asks the gateway that works on a run to stop it. Returns false where other processes cannot be asked.
    func askToStop(_ id: String) async throws -> Bool
}

/// The summaries of old messages, and the sessions that wait for one; see ``SummaryStore``.
package protocol SummaryRecords: Sendable {
    /// Returns the summary that reaches furthest along a branch.
    func reaching(furthestIn branch: [Int64], of session: String) async throws -> ChatSummary?
    /// Returns the summary of a session that another program wrote; nil when there is none.
    func foreignSummary(of session: String) async throws -> String?
    /// Requests a summary of a message and all that it follows. Returns false when the session or the message does not exist.
    func request(
        _ session: String, through message: Int64, model: String, key: Int64?, promptly: Bool
    ) async throws -> Bool
    /// Returns the session whose attempt is due first, also when that is in the future; nil when none waits.
    func next() async throws -> PendingCompression?
    /// Returns what a session waits for; nil when it does not wait.
    func pending(_ session: String) async throws -> PendingCompression?
    /// Stores a summary and shows it in the session.
    func keep(_ summary: ChatSummary, of session: String) async throws
    /// Ends the wait of a session: its summary is complete.
    func finish(_ pending: PendingCompression) async throws
    /// Records a failed attempt, and when the next one is due, in milliseconds since 1970; nil gives up.
    func fail(_ pending: PendingCompression, _ error: String, retryAt: Int64?) async throws
}

/// The answers in the file.
struct FileChats: ChatRecords {
    let database: GatewayDatabase

    var runs: any ChatRunRecords { database.chatRuns }
    var summaries: any SummaryRecords { database.summaries }

    func session(_ id: String) async throws -> Session? { try await database.sessions.find(id) }

    func standingMemories(keys: [String], limit: Int) async throws -> [Memory]? {
        try await database.memories.always(keys: keys, limit: limit)
    }
}

extension ChatRunStore: ChatRunRecords {
    package func interruptDeadRuns() async throws { try await interruptDeadRuns(of: nil) }

    /// Nothing: other processes see whether this one has ended.
    package func keepAlive(_ worker: WorkerName) -> [String] { [] }

    package func askToStop(_ id: String) -> Bool { false }
}

extension SummaryStore: SummaryRecords {}
