package import GatewayAPI

/// The threads of either kind of store, as they are read.
///
/// Methods throw ``StorageError``, and for notes elsewhere the server's own error.
package protocol ThreadBook: Sendable {
    /// Returns a page of the active threads: highest momentum first, then latest activity.
    func active(after cursor: PageCursor?, limit: Int) async throws -> Page<ChatThread>
    func find(_ id: Int64) async throws -> ChatThread?
    /// Returns the thread whose name matches best; nil when none matches.
    func find(named name: String) async throws -> ChatThread?
    /// The names and ids that belong to no thread, in their order.
    func unknown(among namesOrIDs: [String]) async throws -> [String]
    /// Finds the threads that match any of the words: a thread's id in digits, or its name, without regard to case and
    /// surrounding white space.
    func ids(matching namesOrIDs: [String]) async throws -> Set<Int64>
}

extension ThreadBook {
    package func active(limit: Int) async throws -> [ChatThread] { try await active(after: nil, limit: limit).items }
}

extension ThreadStore: ThreadBook {}
