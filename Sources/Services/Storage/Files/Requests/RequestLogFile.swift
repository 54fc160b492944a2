import Foundation
import GRDB
package import Traffic

/// The log of requests, in an SQLite file of its own beside the notes. Losing the file costs history only.
///
/// A file of its own, because each commit to the notes' file wakes the programs that follow it, and would wait for their
/// writes. Its size is bounded by days, rows and bytes. Methods may be called from any task.
package final class RequestLogFile: Sendable {
    /// What is kept at most.
    package struct Limits: Sendable, Hashable {
        package var days: Int
        /// Requests.
        package var rows: Int64
        /// Bytes of the file.
        package var bytes: Int64

        package init(days: Int = 7, rows: Int64 = 1_000_000, bytes: Int64 = 512 << 20) {
            (self.days, self.rows, self.bytes) = (days, rows, bytes)
        }
    }

    /// Rows that one transaction deletes at most.
    static let deletionStep: Int64 = 5000
    /// Its `application_id` is "SeRL".
    private static let kind = SideFile.Kind(
        name: "request log", label: "selene-requests", applicationID: 0x5365_524C,
        // Every index ends with the time, so each list is read in its order. Most requests are of class 2, which needs
        // no index of its own.
        schema: """
            CREATE TABLE request (
                id INTEGER PRIMARY KEY, at INTEGER NOT NULL, class INTEGER NOT NULL, method TEXT, route TEXT, path TEXT,
                status INTEGER, phase TEXT, key_id INTEGER, key TEXT, model TEXT, upstream TEXT, error TEXT,
                request_id TEXT, flags INTEGER, queued INTEGER, first_token INTEGER, total INTEGER, prompt INTEGER,
                generated INTEGER, received INTEGER, sent INTEGER
            );
            CREATE INDEX request_at ON request (at);
            CREATE INDEX request_class ON request (class, at) WHERE class <> 2;
            CREATE INDEX request_key ON request (key_id, at) WHERE key_id IS NOT NULL;
            CREATE INDEX request_model ON request (model, at) WHERE model IS NOT NULL;
            CREATE INDEX request_route ON request (route, at);
            CREATE TABLE minute (
                at INTEGER PRIMARY KEY, requests INTEGER, failed INTEGER, first_tokens INTEGER, first_sum INTEGER,
                first_longest INTEGER, waits INTEGER, wait_sum INTEGER, wait_longest INTEGER, prompt INTEGER,
                generated INTEGER, resident INTEGER, in_flight INTEGER
            );

            """)

    package var path: String { file.path }
    package let limits: Limits
    let file: SideFile
    var pool: DatabasePool { file.pool }

    /// Opens a log; creates it when it is missing.
    ///
    /// - Parameter path: Path of the file; by convention the notes database's path plus `.requests`.
    /// - Throws: ``StorageError`` when the file cannot be opened, is damaged, or is not a log of requests.
    package init(path: String, limits: Limits = Limits()) throws(StorageError) {
        self.limits = limits
        file = try SideFile(Self.kind, path: path)
    }

    /// Appends requests and minutes in one transaction. A minute that is stored already is replaced.
    ///
    /// - Throws: ``StorageError``; nothing is written then.
    package func append(_ entries: [RequestLogEntry], minutes: [TrafficMinute] = []) async throws {
        guard !entries.isEmpty || !minutes.isEmpty else { return }
        try await file.translatingErrors {
            try await pool.write { database in
                let insert = try database.cachedStatement(sql: Self.insertion)
                for entry in entries { try insert.execute(arguments: entry.arguments) }
                for minute in minutes { try minute.store(in: database) }
            }
        }
    }

    /// Deletes what is beyond the limits, in short transactions.
    ///
    /// - Parameter now: In milliseconds since 1970.
    /// - Returns: The number of deleted requests.
    @discardableResult package func prune(now: Int64) async throws -> Int {
        var deleted = 0
        while true {
            try Task.checkCancellation()
            let step = try await file.translatingErrors { try await pool.write { try self.prune($0, now: now) } }
            deleted += step
            if step == 0 { return deleted }
        }
    }

    private func prune(_ database: Database, now: Int64) throws -> Int {
        let oldest = try Scalar.integer(database, sql: "SELECT min(id) FROM request") ?? 0
        let newest = try Scalar.integer(database, sql: "SELECT max(id) FROM request") ?? -1
        let span = newest.subtractingReportingOverflow(oldest).partialValue
        var surplus = max(0, span &+ 1 &- limits.rows)
        let pages = try Scalar.integer(database, sql: "PRAGMA page_count") ?? 0
        let free = try Scalar.integer(database, sql: "PRAGMA freelist_count") ?? 0
        let pageSize = try Scalar.integer(database, sql: "PRAGMA page_size") ?? 4096
        if (pages - free) > limits.bytes / max(1, pageSize) {
            // A tenth at once, so that deletions are rare.
            surplus = max(surplus, (span &+ 1) / 10, 1)
        }
        let milliseconds = Int64(limits.days).multipliedReportingOverflow(by: 86_400_000).partialValue
        try database.execute(
            sql: """
                DELETE FROM request WHERE id IN (
                    SELECT id FROM request INDEXED BY request_at WHERE at < ? ORDER BY at LIMIT \(Self.deletionStep))
                """, arguments: [now - milliseconds])
        var deleted = database.changesCount
        if surplus > 0 {
            try database.execute(
                sql: "DELETE FROM request WHERE id < ?", arguments: [oldest &+ min(surplus, Self.deletionStep)])
            deleted += database.changesCount
        }
        try database.execute(
            sql: "DELETE FROM minute WHERE at < ?", arguments: [now / 60_000 - Int64(TrafficMinute.kept)])
        return deleted
    }

    /// Closes the file; later calls fail.
    package func close() throws(StorageError) { try file.close() }

    // MARK: Inside

    private static let insertion = """
        INSERT INTO request (at, class, method, route, path, status, phase, key_id, key, model, upstream, error, request_id,
            flags, queued, first_token, total, prompt, generated, received, sent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

extension RequestLogEntry {
    /// The values of a row, without its id.
    fileprivate var arguments: StatementArguments {
        // Values of one type: a list of mixed types would allocate a box for each.
        StatementArguments(
            RowValues(rest: [
                Self.value(at), Self.value(status / 100), Self.value(method), Self.value(route), Self.value(path),
                Self.value(status), Self.value(phase), Self.value(keyID), Self.value(key), Self.value(model),
                Self.value(upstream), Self.value(error), Self.value(requestID),
                Self.value((isCancelled ? 1 : 0) + (isBroken ? 2 : 0)), Self.value(queued), Self.value(firstToken),
                Self.value(total), Self.value(promptTokens), Self.value(generatedTokens), Self.value(requestBytes),
                Self.value(responseBytes),
            ]))
    }

    private static func value(_ content: (some DatabaseValueConvertible)?) -> DatabaseValue {
        content?.databaseValue ?? .null
    }
}

/// The values of a row as an iterator. GRDB's code for any sequence walks an array by its subscript, with an allocation for
/// each element.
private struct RowValues: Sequence, IteratorProtocol {
    var rest: ArraySlice<DatabaseValue>

    mutating func next() -> DatabaseValue? { rest.popFirst() }
}
