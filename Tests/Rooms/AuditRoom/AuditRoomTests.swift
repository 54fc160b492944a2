import Database
import Foundation
import GRDB
import GatewayAPI
import KeyRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import AuditRoom

/// The audit of administrative changes, in a file and in PostgreSQL.
@Suite(.serialized) struct AuditRoomTests {
    private func entry(_ number: Int, _ action: AuditAction = .keyCreate, key: Int64? = nil) -> AuditEntry {
        AuditEntry(by: "desk", keyID: key, action: action.rawValue, object: "n\(number)")
    }

    @Test(arguments: NotesPlace.allCases)
    func `entries come back whole, with the id and the time of the store`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let audit = stage.store.audit
        var whole = AuditEntry(
            id: 99, at: "2001-01-01T00:00:00.000Z", by: "desk", keyID: 3, action: "model.pull", object: "llama3.2",
            objectID: "7", detail: "from a", outcome: "failed", status: 502, requestID: "r-1")
        let before = Int64(Date.now.timeIntervalSince1970 * 1000)
        #expect(try await audit.append(whole) == 1)
        #expect(try await audit.append(AuditEntry(by: "command line", action: "key.create")) == 2)
        let found = try await audit.page(after: nil, limit: 9)
        let time = try #require(found.items.last?.at)
        whole.id = 1
        whole.at = time
        #expect(found.items.last == whole && found.next == nil)
        #expect(time > Timestamp.milliseconds(before - 60_000) && time < Timestamp.milliseconds(before + 60_000))
        #expect(
            found.items.first
                == AuditEntry(id: 2, at: found.items[0].at, by: "command line", action: "key.create"))
    }

    @Test(arguments: NotesPlace.allCases)
    func `pages follow each other, newest first, and filters hold`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let audit = stage.store.audit
        for number in 1...7 {
            try await audit.append(
                entry(number, number % 2 == 0 ? .keyRevoke : .keyCreate, key: number > 4 ? 9 : nil))
        }
        var (seen, cursor) = ([Int64](), PageCursor?.none)
        repeat {
            let page = try await audit.page(after: cursor, limit: 3)
            // An entry that comes in between shifts nothing.
            if cursor == nil { try await audit.append(entry(8)) }
            seen += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(seen == [7, 6, 5, 4, 3, 2, 1])
        func ids(_ filter: AuditFilter) async throws -> [Int64] {
            try await audit.page(filter, after: nil, limit: 99).items.map(\.id)
        }
        #expect(try await ids(.init(action: .keyRevoke)) == [6, 4, 2])
        #expect(try await ids(.init(keyID: 9)) == [7, 6, 5])
        #expect(try await ids(.init(action: .keyRevoke, keyID: 9)) == [6])
        #expect(try await ids(.init(action: .modelPull)) == [])
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        #expect(try await ids(.init(since: now - 600_000)).count == 8)
        #expect(try await ids(.init(since: now + 600_000)) == [])
        let error = await #expect(throws: StorageError.self) {
            _ = try await audit.page(after: PageCursor(1, 2), limit: 1)
        }
        #expect(error?.code == .invalid)
    }

    @Test(arguments: NotesPlace.allCases)
    func `the latest are kept, and ids are never used again`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        #expect(stage.store.audit.most == 100_000)
        let audit = AuditRoom(store: stage.store, most: 5)
        for number in 1...12 { #expect(try await audit.append(entry(number)) == number) }
        #expect(try await audit.page(after: nil, limit: 99).items.map(\.id) == [12, 11, 10, 9, 8])
    }

    @Test(arguments: NotesPlace.allCases)
    func `two processes that write at once lose nothing`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, store) in stage.stores.enumerated() {
                for part in 0..<3 {
                    group.addTask {
                        for number in 0..<10 {
                            try await AuditRoom(store: store, most: 45).append(
                                AuditEntry(by: "p\(place)", action: "key.create", object: "\(part) \(number)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await stage.store.audit.page(after: nil, limit: 99).items
        #expect(found.map(\.id) == Array((16...60).reversed()))
        #expect(Set(found.map { "\($0.by) \($0.object ?? "")" }).count == 45)
    }

    @Test(arguments: NotesPlace.allCases)
    func `secrets are masked, and texts are bounded`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let (audit, keys) = (stage.store.audit, stage.store.keys)
        let plain = try await keys.create(name: "a").secret
        let path = try await keys.create(name: "b", isForPaths: true).secret
        try await audit.append(
            AuditEntry(
                by: "x \(plain)", action: "key.create", object: "\(path) and \(plain)/\(path)",
                objectID: plain, detail: String(repeating: "é", count: 500) + plain, outcome: "done",
                requestID: "a\u{0}b\u{1B}[31m\(path)"))
        let found = try #require(try await audit.page(after: nil, limit: 1).items.first)
        #expect(found.by == "x slk_…" && found.object == "slp_… and slk_…/slp_…" && found.objectID == "slk_…")
        #expect(found.requestID == "ab[31mslp_…" && found.detail == String(repeating: "é", count: 150))
        let columns = try await stage.store.rows(
            "SELECT by_name, action, object, object_id, detail, outcome, request_id FROM gateway_audit", [])
        for cell in columns.flatMap(\.cells) {
            for secret in [plain, path] { #expect(cell.asText?.contains(secret.dropFirst(8)) != true) }
        }
        // The beginning that lists show, and words with the same start, stay.
        #expect(AuditRoom.clean("slk_abc123 slp_ slk_") == "slk_abc123 slp_ slk_")
        #expect(AuditRoom.clean("slk_\(String(repeating: "x", count: 400))").utf8.count < 20)
    }

    @Test func `odd rows of another program are read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let audit = try GatewayDatabase(path: path).audit
        try await DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_audit (at, by_name, action, object, outcome, status, key_id)
                    VALUES ('soon', x'ff', 1, 2.5, x'00', 'many', 'k'), (9223372036854775807, '', '', NULL, '', -1, -1)
                    """)
        }
        let found = try await audit.page(after: nil, limit: 10).items
        #expect(found.count == 2 && found[1].by == "" && found[1].action == "1" && found[1].status == nil)
        #expect(found[1].at == "1970-01-01T00:00:00.000Z" && found[0].at.hasPrefix("9999-"))
    }
}
