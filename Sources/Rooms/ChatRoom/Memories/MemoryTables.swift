package import GatewayAPI

/// The memories of a store. In a file they are rows of another program, whose columns differ from file to file; a server has a
/// table of its own. What the gateway knows of them beside is in the tables of ``MemoryRoom``.
package protocol MemoryTables {
    /// A `SELECT` in parentheses of `id`, `content`, `type`, `confidence`, `session`, `created_at`, `updated_at`, `accessed_at`,
    /// `time` of the last use in seconds since 1970, `embedding`, and of their bytes `size` and `vector_size`. It is empty where
    /// the file has no such table.
    var memories: String { get }

    /// Keeps other transactions from changing memories until the end of this one, which is going to.
    func lock() throws
    /// Reads a stored vector; nil for bytes that are none.
    func vector(_ bytes: [UInt8]?) -> [Float]?

    /// Adds a memory, used now. Returns its id.
    ///
    /// - Parameter id: The id of a memory that comes back; nil for a new one.
    func insert(_ new: NewMemory, id: Int64?) throws -> Int64
    /// Writes the columns that change.
    func update(_ id: Int64, _ change: MemoryUpdate) throws
    /// Deletes a memory; returns false when there is none.
    func delete(_ id: Int64) throws -> Bool
    /// Sets the last use to now; returns how many of the ids exist.
    func touch(_ ids: [Int64]) throws -> Int

    /// Returns the end of the log of changed memories and the memories that changed after a position.
    ///
    /// - Returns: `end` is nil when nothing is logged now; `changed` is nil when the log does not reach back to the position or
    ///   has more than `limit` entries after it.
    func changes(after position: Int64?, limit: Int) throws -> (end: Int64?, changed: Set<Int64>?)
}

/// What a look at the memories read.
package struct MemoryLook: Sendable {
    /// The position in the log of the snapshot that was read, for the next look; nil when the next look has to read all.
    package let position: Int64?
    /// The ids of all memories that changed since the position of the call, those that are gone or hold no longer
    /// among them; nil when every memory was read.
    package let changed: Set<Int64>?

    /// A look that read all memories, unless `changed` has ids.
    package init(position: Int64? = nil, changed: Set<Int64>? = nil) {
        self.position = position
        self.changed = changed
    }
}
