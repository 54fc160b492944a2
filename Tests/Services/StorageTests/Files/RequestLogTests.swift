import Foundation
import GRDB
import GatewayAPI
import TestSupport
import Testing
import Traffic

@testable import Storage

/// The log of requests in its file: pages and filters against a slow oracle, limits, damage.
@Suite struct RequestLogFiles {
    private static func with(
        _ limits: RequestLogFile.Limits = .init(), _ body: (RequestLogFile) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let file = try RequestLogFile(path: folder.url.appending(path: "n.requests").path, limits: limits)
        try await body(file)
        try file.close()
    }

    /// Requests with few different values, several in the same millisecond.
    private static func sample(_ count: Int, seed: UInt64) -> [RequestLogEntry] {
        var generator = SeededGenerator(seed)
        var time: Int64 = 1_790_000_000_000
        return (0..<count).map { number in
            time += Int64.random(in: 0...3, using: &generator) / 2
            let paths = ["/api/chat", "/api/notes/\(number)", "/v1/Chat/completions", "/health"]
            let place = Int.random(in: 0..<paths.count, using: &generator)
            var entry = RequestLogEntry(
                at: time, method: "GET", route: ["/api/chat", "/api/notes/{id}", "/v1/other", "/health"][place],
                path: paths[place], status: [200, 200, 200, 404, 429, 503].randomElement(using: &generator) ?? 200,
                requestID: "id\(number)")
            entry.keyID = [nil, 1, 2].randomElement(using: &generator) ?? nil
            entry.model = [nil, nil, "llama3.2", "gemma3"].randomElement(using: &generator) ?? nil
            entry.error = entry.status == 429 ? "overloaded" : nil
            entry.total = Int64(number)
            return entry
        }
    }

    private static func filters() -> [RequestLogFilter] {
        var filters = [RequestLogFilter()]
        func add(_ change: (inout RequestLogFilter) -> Void) {
            filters.append(RequestLogFilter())
            change(&filters[filters.count - 1])
        }
        add { $0.statusClass = 5 }
        add { $0.statusClass = 2 }
        add { $0.status = 404 }
        add { $0.status = 200 }
        add { $0.keyID = 2 }
        add { $0.route = "/api/notes/{id}" }
        add { $0.model = "gemma3" }
        add { $0.text = "CHAT" }
        add { $0.text = "overloaded" }
        add { $0.text = "id17" }
        add { ($0.keyID, $0.model, $0.statusClass, $0.text) = (1, "llama3.2", 4, "notes") }
        add { ($0.since, $0.until) = (1_790_000_000_100, 1_790_000_000_200) }
        add { ($0.since, $0.route, $0.status) = (1_790_000_000_050, "/health", 503) }
        return filters
    }

    private static func fits(_ entry: RequestLogEntry, _ filter: RequestLogFilter) -> Bool {
        func same<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
        let hasText =
            filter.text.map {
                entry.path.lowercased().contains($0.lowercased()) || entry.requestID == $0 || entry.error == $0
            } ?? true
        return same(filter.status, entry.status) && same(filter.statusClass, entry.status / 100)
            && same(filter.keyID, entry.keyID) && same(filter.route, entry.route) && same(filter.model, entry.model)
            && hasText && (filter.since.map { entry.at >= $0 } ?? true) && (filter.until.map { entry.at <= $0 } ?? true)
    }

    @Test(arguments: [7, 50_000]) func `pages of every filter are those of a slow oracle`(scan: Int) async throws {
        try await Self.with { file in
            let all = Self.sample(600, seed: 5)
            try await file.append(Array(all.prefix(300)))
            try await file.append(Array(all.dropFirst(300)))
            for filter in Self.filters() {
                var found: [RequestLogEntry] = []
                var cursor: PageCursor?
                var pages = 0
                repeat {
                    let page = try await file.page(filter, after: cursor, limit: 11, scan: scan)
                    #expect(page.items.count <= 11)
                    found += page.items.map(\.entry)
                    cursor = page.next
                    pages += 1
                } while cursor != nil && pages < 1000
                let wanted = all.enumerated().filter { Self.fits($0.element, filter) }
                    .sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }.map(\.element)
                #expect(found == wanted, "\(filter)")
            }
        }
    }

    @Test func `every page is read from an index, in its order`() async throws {
        try await Self.with { file in
            for filter in Self.filters() {
                for cursor in [nil, PageCursor(5, 6)] {
                    for line in try await file.plan(filter, after: cursor) {
                        #expect(line.contains("USING INDEX request_") || line.contains("USING COVERING INDEX request_"))
                        #expect(!line.contains("TEMP B-TREE"), "\(filter): \(line)")
                    }
                }
            }
            var both = RequestLogFilter()
            (both.route, both.keyID) = ("/api/chat", 1)
            #expect(try await file.plan(both, after: nil).allSatisfy { $0.contains("request_key (key_id=?") })
        }
    }

    @Test func `days, rows and bytes are bounded`() async throws {
        let now: Int64 = 1_790_000_000_000
        try await Self.with(.init(days: 1, rows: 100)) { file in
            var entries = Self.sample(250, seed: 6)
            for index in 0..<50 { entries[index].at = now - 2 * 86_400_000 }
            try await file.append(entries)
            #expect(try await file.prune(now: now) > 0)
            let rest = try await file.page(RequestLogFilter(), after: nil, limit: 500)
            #expect(rest.items.count <= 100 && rest.items.first?.entry.requestID == "id249")
            #expect(rest.items.allSatisfy { $0.entry.at > now - 86_400_000 })
            #expect(try await file.prune(now: now) == 0)
        }
        try await Self.with(.init(bytes: 200_000)) { file in
            for round in 0..<8 {
                try await file.append(Self.sample(1000, seed: UInt64(round)))
                try await file.prune(now: now)
            }
            let rest = try await file.page(RequestLogFilter(), after: nil, limit: 10_000)
            #expect(!rest.items.isEmpty && rest.items.count < 4000)
        }
    }

    @Test func `minutes are replaced, and read in their order`() async throws {
        try await Self.with { file in
            var minute = TrafficMinute(minute: 100)
            minute.requests = 3
            minute.firstTokens.add(1500)
            try await file.append([], minutes: [minute, TrafficMinute(minute: 99)])
            minute.requests = 5
            minute.residentBytes = 7
            try await file.append([], minutes: [minute])
            #expect(try await file.minutes(since: 100) == [minute])
            #expect(try await file.minutes(since: 0).map(\.minute) == [99, 100])
            try await file.prune(now: (100 + 1441) * 60_000)
            #expect(try await file.minutes(since: 0).isEmpty)
        }
    }

    @Test func `values of other programs do not end the process`() async throws {
        try await Self.with { file in
            try await file.append(Self.sample(3, seed: 1))
            let other = try DatabaseQueue(path: file.path)
            try await other.write {
                try $0.execute(
                    sql: """
                        UPDATE request SET path = x'ff', status = 'many', total = 1e300, key_id = x'00', model = 7, flags = 'x',
                            queued = 'soon', generated = 1e19 WHERE id = 1;
                        INSERT INTO request (at, class) VALUES ('now', 'x');
                        INSERT INTO minute (at, requests, first_sum) VALUES (5, 'x', -9), (6, 9223372036854775807, 1e300);
                        """)
            }
            try other.close()
            let page = try await file.page(RequestLogFilter(), after: nil, limit: 10)
            #expect(page.items.count == 3)
            #expect(page.items.last?.entry.path == "" && page.items.last?.entry.model == "7")
            #expect(try await file.minutes(since: 0).map(\.requests) == [0, Int.max])
            try await file.prune(now: 1_790_000_000_000)
        }
    }

    @Test func `another file is refused and stays as it is`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "other.sqlite").path
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
        try other.close()
        #expect(throws: StorageError.self) { try RequestLogFile(path: path) }
        let text = folder.url.appending(path: "text.sqlite")
        try Data("no database, but long enough to be one, perhaps".utf8).write(to: text)
        #expect(throws: StorageError.self) { try RequestLogFile(path: text.path) }
        #expect(try Data(contentsOf: text).count == 47)
    }
}
