import Audit
import AuditRoom
import Database
import Foundation
import GRDB
import GatewayAPI
import Logging
import Storage
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Writing the audit beside the changes: it waits for a bounded time, and a failure is logged.
@Suite(.serialized) struct AuditTrailTests {
    /// Keeps what is logged.
    private final class Lines: LogHandler, Sendable {
        let all = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            all.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }

    private let entry = AuditEntry(by: "desk", keyID: 3, action: "key.create", object: "phone", requestID: "r-1")

    private func trail(_ store: any SQLStore, wait: Duration = AuditTrail.maxWait) -> (AuditTrail, Lines) {
        let lines = Lines()
        return (AuditTrail(store.audit, wait: wait, logger: Logger(label: "test") { _ in lines }), lines)
    }

    /// A connection that may hold a transaction open.
    private func otherProgram(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    @Test func `a locked file delays a change for a moment, and the entry is written later`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let database = try GatewayDatabase(path: path)
        let (trail, lines) = trail(database, wait: .milliseconds(50))
        let other = try otherProgram(path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let time = await ContinuousClock().measure { await trail.record(entry) }
        #expect(time < .seconds(5))
        #expect(lines.all.withLock { $0 }.contains { $0.contains("waits to be written") })
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        await trail.drain(within: .seconds(20))
        #expect(try await database.audit.page(after: nil, limit: 9).items.map(\.object) == ["phone"])
        try database.close()
    }

    @Test(arguments: NotesPlace.allCases)
    func `a failure is logged with the entry`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let (trail, lines) = trail(stage.store)
        try await stage.store.run("DROP TABLE gateway_audit")
        var entry = entry
        entry.detail = "slk_0123456789abcdefghijklmnopq"
        await trail.record(entry)
        let said = lines.all.withLock { $0 }
        #expect(!said.joined().contains("0123456789abc"))
        #expect(said.count == 1 && said[0].hasPrefix("error an entry of the audit was not written"), "\(said)")
        for part in ["key.create", "desk", "phone", "r-1", "gateway_audit"] {
            #expect(said[0].contains(part), "\(said)")
        }
    }

    @Test func `a file that cannot be written is a failure like any other`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let database = try GatewayDatabase(path: path)
        let (trail, lines) = trail(database)
        try await database.run(
            "CREATE TRIGGER full BEFORE INSERT ON gateway_audit BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        await trail.record(entry)
        trail.recordLater(entry)
        await trail.drain(within: .seconds(20))
        #expect(lines.all.withLock { $0.count(where: { $0.contains("was not written") }) } == 2)
        try database.close()
    }

    @Test func `a caller that leaves does not take the entry along`() async throws {
        let folder = try TemporaryFolder()
        let database = try GatewayDatabase(path: folder.path("notes.sqlite"))
        let (trail, _) = trail(database)
        let leaving = Task { [entry] in
            while !Task.isCancelled { await Task.yield() }
            await trail.record(entry)
        }
        leaving.cancel()
        await leaving.value
        await trail.drain(within: .seconds(20))
        #expect(try await database.audit.page(after: nil, limit: 9).items.count == 1)
        try database.close()
    }

    @Test func `beyond the bound entries go to the log alone`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let database = try GatewayDatabase(path: path)
        let (trail, lines) = trail(database, wait: .milliseconds(1))
        let other = try otherProgram(path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        for _ in 0..<205 { trail.recordLater(entry) }
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        await trail.drain(within: .seconds(30))
        let (found, lost) = (
            try await database.audit.page(after: nil, limit: 500).items.count,
            lines.all.withLock { $0.count(where: { $0.contains("too many entries wait") }) }
        )
        #expect(found + lost == 205 && found >= 200)
        try database.close()
    }
}
