import Foundation
import GRDB
import PushRoom
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// The statements of the outbox and of the log, as they run, never look at all rows of a table that grows.
@Suite struct PushPlans {
    private typealias Tables = PushStage

    /// The statements that a connection ran.
    private final class Trace: Sendable {
        private let statements = Mutex<Set<String>>([])
        var all: Set<String> { statements.withLock { $0 } }
        func add(_ sql: String) { statements.withLock { _ = $0.insert(sql) } }
    }

    /// Looks at few rows, in the order of ids.
    private static let bounded = ["ORDER BY id LIMIT 5000", "ORDER BY id DESC LIMIT 1"]
    /// Indexes that have the rows that wait only, whose number has a limit.
    private static let open = ["gateway_push_deliveries_due", "gateway_push_deliveries_digest"]
    private static let growing: Set<Substring> = [
        "gateway_push_messages", "gateway_push_deliveries", "gateway_push_events", "gateway_push_repeats", "m", "v",
        "o", "e",
    ]

    /// Many rows, nearly all of them done.
    private static func fill(_ database: GatewayDatabase, _ device: StoredPushDevice, hasStatistics: Bool) async throws
    {
        try await database.write { rows in
            try rows.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
                    INSERT INTO gateway_push_messages (uuid, topic, priority, body, source, created_at, updated_at)
                    SELECT 'm' || i, 'topic' || (i % 7), 3, CAST('{"title":"a"}' AS BLOB), 'api', i, i FROM n;
                    INSERT INTO gateway_push_deliveries (uuid, message_id, device_id, channel, state, due, created_at, updated_at)
                    SELECT 'v' || id, id, \(device.id), 'stream', 2, id, id, id FROM gateway_push_messages;
                    INSERT INTO gateway_push_events (at, kind, device_id, message_id, delivery_id, detail)
                    SELECT created_at, 'sent', device_id, message_id, id, '' FROM gateway_push_deliveries;
                    """)
            if hasStatistics { try rows.execute(sql: "ANALYZE") }
        }
    }

    private static func trace(_ database: GatewayDatabase) async throws -> Trace {
        let trace = Trace()
        let listen: @Sendable (Database) -> Void = { connection in
            connection.trace { event in
                if case .statement(let statement) = event { trace.add(statement.expandedSQL) }
            }
        }
        try await database.write { listen($0) }
        try await database.read { listen($0) }
        return trace
    }

    /// Runs each of the statements.
    private static func use(_ database: GatewayDatabase, _ device: StoredPushDevice) async throws {
        let (outbox, log) = (database.push.outbox, database.push.log)
        var draft = Tables.draft([device])
        (draft.origin, draft.collapseKey) = ("job/1", "c")
        _ = try await outbox.submit(draft, name: PushRequestName(caller: "a", name: "b", hash: Data([1])))
        let first = try await outbox.submit(draft)
        for _ in 0..<6 { _ = try await outbox.submit(Tables.draft([device])) }
        _ = try await outbox.openCount(upTo: 100)
        _ = try await outbox.nextDue(of: "stream")
        let work = try await Tables.take(database.push)
        #expect(work.count == 7)
        try await outbox.renew(work.map { ($0.delivery.id, $0.delivery.claim) }, lease: 60_000)
        _ = try await outbox.endLeasesOfTheDead()
        _ = try await outbox.leases()
        var records = [
            Tables.record(work[0], .sent, event: "sent"), Tables.record(work[1], .failed, event: "failed"),
            Tables.record(work[2], .failed, event: "failed"), Tables.record(work[3], .merged),
            Tables.record(work[4], .queued),
        ]
        records[3].delivery.digestDue = 1
        records[0].bucket = ("default", 5)
        records[0].device = .worked(environment: nil)
        try await outbox.record(records)
        try await outbox.endLeases(try await outbox.leases())
        _ = try await outbox.nextDigest()
        for digest in try await outbox.dueDigests(limit: 10) {
            try await outbox.store(digest, as: Tables.draft([device]))
        }
        _ = try await outbox.pullBack(["stream", "apns"])
        _ = try await outbox.backlog(of: ["stream"], upTo: 100)
        _ = try await outbox.newestDelivery()
        _ = try await outbox.note(.opened, of: work[0].delivery.uuid)
        _ = try await outbox.isAcknowledged(first.message.id)
        _ = try await outbox.retry(work[1].delivery.uuid)
        _ = try await outbox.discard(work[2].delivery.uuid)
        _ = try await outbox.update(first.message.uuid, body: Data("{}".utf8), priority: 3, expires: nil)
        _ = try await outbox.recall(first.message.uuid)
        _ = try await outbox.find(first.message.uuid)
        let filters: [(String?, PushState?, String?)] = [
            ("topic1", nil, nil), (nil, .sent, nil), (nil, nil, device.uuid), (nil, nil, nil),
        ]
        for filter in filters {
            var wanted = PushLogFilter()
            (wanted.topic, wanted.state, wanted.device) = filter
            _ = try await log.page(wanted, after: nil, limit: 50)
        }
        var search = PushLogFilter()
        search.text = "a"
        _ = try await log.page(search, after: nil, limit: 50)
        _ = try await log.entry(work[0].delivery.uuid)
        for (row, kinds) in [(device.id, ["sent", "recalled"]), (nil, [])] as [(Int64?, [String])] {
            _ = try await log.events(after: 3990, device: row, kinds: kinds, hasBodies: true, limit: 10)
        }
        _ = try await log.newestEvent()
        for start in [.next, .oldest, .newest(topics: ["topic1"]), .at(3990), .after("m9")] as [PushLogStart] {
            _ = try await log.position(of: start, device: device.id)
        }
        _ = try await outbox.prune(olderThan: 86_400_000, keepingEvents: 1_000_000)
    }

    @Test(.slow, arguments: [false, true]) func `no statement looks at all rows of a table that grows`(
        hasStatistics: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let database = try GatewayDatabase(path: folder.path("notes.sqlite"))
        let device = try await Tables.device("a", database.push)
        try await Self.fill(database, device, hasStatistics: hasStatistics)
        let trace = try await Self.trace(database)
        try await Self.use(database, device)
        let statements = trace.all.filter { sql in
            ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
        }
        // The trace has statements of both connections.
        for part in ["UPDATE gateway_push_deliveries SET state = 1", "FROM gateway_push_events e LEFT JOIN"] {
            #expect(statements.contains { $0.contains(part) }, "\(part)")
        }
        #expect(statements.count > 40)
        for sql in statements {
            let plan = try await database.write { rows in
                try Row.fetchAll(rows, sql: "EXPLAIN QUERY PLAN " + sql).map { $0.text("detail") ?? "" }
            }
            for step in plan where step.hasPrefix("SCAN ") {
                let table = step.split(separator: " ")[1]
                guard Self.growing.contains(table), !Self.open.contains(where: step.contains) else { continue }
                #expect(Self.bounded.contains { sql.contains($0) }, "\(step): \(sql.prefix(400))")
            }
        }
        try database.close()
    }
}
