import GRDB
package import GatewayAPI
import Traffic

/// Which requests a list has; nil for any.
package struct RequestLogFilter: Sendable, Hashable {
    /// The first digit of the status.
    package var statusClass: Int?
    package var status: Int?
    package var keyID: Int64?
    package var route: String?
    package var model: String?
    /// Part of the path in any case, or a whole request id or error code.
    package var text: String?
    /// The first and the last end, in milliseconds since 1970.
    package var since: Int64?
    package var until: Int64?

    package init() {}
}

extension RequestLogFile {
    /// Rows that one page looks at, at most; a page of a rare filter may be short and still have a next one.
    package static let maxScan = 50_000

    /// Returns a page of requests, the latest first.
    ///
    /// One index serves the most selective condition, in the order of the list. A page that has more conditions looks at
    /// ``maxScan`` rows and then ends.
    package func page(
        _ filter: RequestLogFilter, after cursor: PageCursor?, limit: Int, scan: Int = RequestLogFile.maxScan
    ) async throws -> Page<StoredRequest> {
        try cursor?.check(numbers: 2)
        let search = Search(filter, after: cursor)
        return try await file.translatingErrors {
            try await pool.read { database in
                var search = search
                var floor: PageCursor?
                if search.hasRest {
                    let last = try Row.fetchOne(
                        database, sql: search.floor, arguments: search.arguments + [max(0, scan - 1)])
                    if let at = last?.integer(0), let id = last?.integer(1) {
                        floor = PageCursor(at, id)
                        search.end(at: at, id: id)
                    }
                }
                let rows = try Row.fetchCursor(
                    database, sql: search.page, arguments: search.arguments + search.rest + [limit + 1])
                var found: [(item: StoredRequest, cursor: PageCursor)] = []
                while let row = try rows.next() {
                    guard let item = StoredRequest(row) else { continue }
                    found.append((item, PageCursor(item.entry.at, item.id)))
                }
                var page = Page(found, limit: limit) { _ in RequestLogEntry.maxTextBytes }
                page.next = page.next ?? floor
                return page
            }
        }
    }

    /// The plan of SQLite for a page, for tests: one line for each step.
    func plan(_ filter: RequestLogFilter, after cursor: PageCursor?) async throws -> [String] {
        let search = Search(filter, after: cursor)
        return try await pool.read { database in
            try [(search.floor, search.arguments + [1]), (search.page, search.arguments + search.rest + [1])].flatMap {
                let rows = try Row.fetchCursor(database, sql: "EXPLAIN QUERY PLAN " + $0.0, arguments: $0.1)
                var lines: [String] = []
                while let row = try rows.next() { if let line = row.text("detail") { lines.append(line) } }
                return lines
            }
        }
    }
}

/// The SQL of a page.
private struct Search {
    /// The index and the conditions that it serves.
    private var index = "request_at"
    private var conditions: [String] = []
    private(set) var arguments: StatementArguments = []
    /// The conditions that are checked row by row.
    private var others: [String] = []
    private(set) var rest: StatementArguments = []
    private var ends: [String] = []

    /// Whether rows are checked one by one.
    var hasRest: Bool { !others.isEmpty }

    init(_ filter: RequestLogFilter, after cursor: PageCursor?) {
        add("model = ?", filter.model, index: "request_model")
        add("key_id = ?", filter.keyID, index: "request_key")
        let wanted = filter.status.map { $0 / 100 } ?? filter.statusClass
        if let wanted, wanted != 2 {
            add("class <> 2 AND class = ?", wanted, index: "request_class")
        } else if let wanted {
            others.append("class = ?")
            rest += [wanted]
        }
        add("route = ?", filter.route, index: "request_route")
        if let status = filter.status {
            others.append("status = ?")
            rest += [status]
        }
        if let text = filter.text {
            others.append("(instr(lower(path), lower(?)) > 0 OR request_id = ? OR error = ?)")
            rest += [text, text, text]
        }
        if let since = filter.since {
            conditions.append("at >= ?")
            arguments += [since]
        }
        if let until = filter.until {
            conditions.append("at <= ?")
            arguments += [until]
        }
        if let cursor {
            conditions.append("at <= ? AND (at < ? OR id < ?)")
            arguments += [cursor.numbers[0], cursor.numbers[0], cursor.numbers[1]]
        }
    }

    /// Adds a condition: the first one chooses the index, the others are checked row by row.
    private mutating func add(_ condition: String, _ value: (any DatabaseValueConvertible)?, index: String) {
        guard let value else { return }
        if self.index == "request_at" {
            self.index = index
            conditions.insert(condition, at: 0)
            arguments = [value] + arguments
        } else {
            others.append(condition)
            rest += [value]
        }
    }

    /// Ends the page with a row.
    mutating func end(at: Int64, id: Int64) { ends = ["at >= \(at) AND (at > \(at) OR id >= \(id))"] }

    private var source: String { "FROM request INDEXED BY \(index)" }
    private static let order = "ORDER BY at DESC, id DESC"

    /// Finds the last row that the page may look at.
    var floor: String {
        let all = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT at, id \(source)\(all) \(Self.order) LIMIT 1 OFFSET ?"
    }

    var page: String {
        let all = conditions + ends + others
        let wanted = all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
        return "SELECT \(StoredRequest.columns) \(source)\(wanted) \(Self.order) LIMIT ?"
    }
}

extension StoredRequest {
    fileprivate static let columns =
        "id, at, "
        + ["method", "route", "path", "phase", "key", "model", "upstream", "error", "request_id"]
        .map { ValueLimit.bounded($0, 4096) + " AS \($0)" }.joined(separator: ", ")
        + ", status, key_id, flags, queued, first_token, total, prompt, generated, received, sent"

    fileprivate init?(_ row: Row) {
        guard let id = row.integer("id"), let at = row.integer("at") else { return nil }
        var entry = RequestLogEntry(
            at: at, method: row.text("method") ?? "", route: row.text("route") ?? "", path: row.text("path") ?? "",
            status: row.count("status"), phase: row.text("phase") ?? "", requestID: row.text("request_id") ?? "")
        entry.keyID = row.integer("key_id")
        entry.key = row.text("key")
        entry.model = row.text("model")
        entry.upstream = row.text("upstream")
        entry.error = row.text("error")
        let flags = row.count("flags")
        (entry.isCancelled, entry.isBroken) = (flags & 1 != 0, flags & 2 != 0)
        (entry.queued, entry.firstToken) = (row.integer("queued"), row.integer("first_token"))
        entry.total = row.integer("total") ?? 0
        entry.promptTokens = row.integer("prompt").map { Int(clamping: $0) }
        entry.generatedTokens = row.integer("generated").map { Int(clamping: $0) }
        (entry.requestBytes, entry.responseBytes) = (row.count("received"), row.count("sent"))
        self.init(id: id, entry: entry)
    }
}
