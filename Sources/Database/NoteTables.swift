/// The notes and threads of a store, as the statements of rooms name them, and what rooms may write there, the push tokens of
/// apps among it. In a file they are tables of another program, whose columns differ from file to file; a server has tables of
/// its own.
///
/// Each `SELECT` stands in parentheses, so that it takes a name: `FROM \(tables.notes) n`. It is empty where the file has no such
/// table.
package protocol NoteTables {
    /// The notes that the API returns: `id`, `title`, `content`, `created_at`, `time` in seconds since 1970, `hash` of the text.
    var notes: String { get }
    /// The threads: `id`, `name`, `is_active` as 1 or 0, `time` at which it was made in seconds since 1970, 0 for an unknown one,
    /// `why` it was made and its `summary`.
    var threads: String { get }
    /// Which notes are in which threads: `thread_id`, `note_id`.
    var members: String { get }
    /// The tasks: `id`, `thread_id`, `things_task_id`, `title`, `created_at`, `completed_at`, `time` in seconds since 1970.
    var tasks: String { get }
    /// The pairs of similar notes: `note_a_id`, `note_b_id`, `similarity`, which is below all others where it is no finite number.
    var pairs: String { get }
    /// The table of pairs and its column of the similarity, for writing; nil for a table that cannot hold pairs.
    var pairTable: (name: String, similarity: String)? { get }
    /// Whether the table of tasks itself has the time at which one was done; else the room has it.
    var keepsCompletion: Bool { get }

    /// The names of threads, highest momentum first; without a name of more than 1,024 bytes.
    func threadNames(limit: Int) throws -> [(id: Int64, name: String)]
    /// Makes a thread of notes that exist. Returns its id.
    ///
    /// - Throws: ``StorageError/Code/schema`` when there are no tables of threads.
    func makeThread(_ name: String, why: String, summary: String?, _ notes: [Int64]) throws -> Int64
    /// Puts notes that exist into a thread.
    func add(_ notes: [Int64], to thread: Int64) throws
    /// Takes notes out of a thread.
    func remove(_ notes: [Int64], from thread: Int64) throws
    /// Writes the activity score of a thread, if the table of threads takes it.
    func setMomentum(_ momentum: Double, of thread: Int64) throws

    /// Adds a task, written now. Returns its id.
    ///
    /// - Throws: ``StorageError/Code/schema`` for a table that cannot hold it.
    func addTask(_ title: String, to thread: Int64) throws -> Int64
    /// Writes a task that was made elsewhere, at a time in seconds since 1970. A new one gets the title.
    ///
    /// - Returns: false when there is no such thread, or the table cannot hold it.
    func putTask(_ id: Int64, _ title: String?, in thread: Int64, at time: Int64) throws -> Bool
    func removeTask(_ id: Int64) throws
    /// Writes when a task was done, nil for an open one, where ``keepsCompletion``.
    func completeTask(_ id: Int64, at time: String?) throws
    /// The current time as the table of tasks has times.
    func taskTime() throws -> String

    /// Keeps a push token, seen now. Without a platform the stored one stays; a new token has `ios`.
    func keepToken(_ token: String, platform: String?) throws
    func forgetToken(_ token: String) throws
    /// The platform of each push token.
    func tokens() throws -> [String: String]
}
