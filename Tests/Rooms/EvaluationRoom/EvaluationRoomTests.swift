import EvaluationRoom
import Foundation
import GRDB
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Stored reports of retrieval, in a file and in PostgreSQL.
@Suite(.serialized) struct EvaluationRoomTests {
    /// Reports in an empty store; nil where there can be no server.
    private func make(_ place: NotesPlace) async throws -> (reports: EvaluationRoom, stage: StoreStage)? {
        try await StoreStage(place).map { ($0.store.evaluations, $0) }
    }

    @Test(arguments: NotesPlace.allCases)
    func `the latest are kept, and pages follow each other`(_ kind: NotesPlace) async throws {
        guard let made = try await make(kind) else { return }
        let reports = made.reports
        for number in 1...EvaluationRoom.maxReports + 3 {
            #expect(try await reports.add("n\(number)") == number)
        }
        let first = try await reports.page(after: nil, limit: 60)
        let second = try await reports.page(after: first.next, limit: 60)
        #expect(first.items.count == 60 && second.items.count == 40 && second.next == nil)
        #expect(first.items.first?.id == 103 && second.items.last?.id == 4)
        #expect(first.items.allSatisfy { $0.report == nil && $0.means == .object(["m": .object([:])]) })
        let found = try await reports.find(4)
        #expect(found.report == .object(["modes": .array([])]) && found.name == "n4" && found.collection == "c")
        #expect(found.createdAt == second.items.last?.createdAt && found.createdAt.utf8.count == 19)
        #expect(try await reports.figures(4).figures == [0, 255])
        #expect(try await reports.delete(4))
        #expect(try await !reports.delete(4))
        for id in [4, -1] as [Int64] {
            let error = await #expect(throws: StorageError.self) { _ = try await reports.find(id) }
            #expect(error?.code == .notFound)
            await #expect(throws: StorageError.self) { _ = try await reports.figures(id) }
        }
        let error = await #expect(throws: StorageError.self) {
            _ = try await reports.page(after: PageCursor(1, 2), limit: 1)
        }
        #expect(error?.code == .invalid)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a report that is too large is refused`(_ kind: NotesPlace) async throws {
        guard let made = try await make(kind) else { return }
        let reports = made.reports
        for (report, figures) in [(EvaluationRoom.maxBytes + 1, 0), (0, EvaluationRoom.maxBytes + 1)] {
            let error = await #expect(throws: StorageError.self) {
                _ = try await reports.add(
                    collection: "c", name: "n", means: .object([:]), report: Array(repeating: 32, count: report),
                    figures: Array(repeating: 0, count: figures))
            }
            #expect(error?.code == .invalid)
        }
        #expect(try await reports.page(after: nil, limit: 9).items.isEmpty)
    }

    @Test func `odd rows of another program are read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let reports = try GatewayDatabase(path: path).evaluations
        try await DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_evaluations (collection, name, means, report, figures, created_at)
                    VALUES (1, x'ff', 'no JSON', 2.5, 'text', 2), ('c', 'n', '[1]', x'00', 3, '')
                    """)
        }
        let found = try await reports.page(after: nil, limit: 10).items
        #expect(found.count == 2 && found.allSatisfy { $0.means == .object([:]) })
        #expect(try await reports.find(found[1].id).report == .object([:]))
        #expect(try await reports.figures(found[0].id).figures.isEmpty)
    }
}

/// Copies of reports from the files of gateways into PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct EvaluationCopyTests {
    /// A file with reports of these names.
    private func file(_ folder: TemporaryFolder, _ name: String, _ reports: [String]) async throws -> GatewayDatabase {
        let file = try GatewayDatabase(path: folder.path(name))
        for report in reports { _ = try await file.evaluations.add(report) }
        return file
    }

    private func names(_ reports: EvaluationRoom) async throws -> [String] {
        try await reports.page(after: nil, limit: 500).items.map(\.name)
    }

    private func copy(_ file: GatewayDatabase, to reports: EvaluationRoom) async throws -> Int {
        try await reports.copy(from: file, named: try await file.changes.identity())
    }

    @Test func `each report is copied once with all that it has, also one that is deleted later`() async throws {
        let folder = try TemporaryFolder()
        let file = try await file(folder, "a.sqlite", ["a1", "a2"])
        try await DatabaseQueue(path: folder.path("a.sqlite")).write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_evaluations SET created_at = '2026-01-02 03:04:05' WHERE id = 1;
                    INSERT INTO gateway_evaluations (collection, name, means, report, figures, created_at)
                    VALUES (1, x'ff', 'no JSON', 2.5, 'text', 2);
                    """)
        }
        let reports = try await PostgresStage().store.evaluations
        let own = try await reports.add("own")
        #expect(try await copy(file, to: reports) == 3)
        let found = try await reports.page(after: nil, limit: 9).items
        #expect(found.map(\.name) == ["", "a2", "a1", "own"])
        #expect(found[2].createdAt == "2026-01-02 03:04:05" && found[2].means == .object(["m": .object([:])]))
        #expect(try await reports.find(found[2].id).report == .object(["modes": .array([])]))
        #expect(try await reports.figures(found[2].id).figures == [0, 255])
        #expect(found[0].collection == "1" && found[0].means == .object([:]))
        #expect(try await reports.delete(found[1].id))
        #expect(try await copy(file, to: reports) == 0)
        #expect(try await names(reports) == ["", "a1", "own"])
        // The file keeps its own, and an older gateway may have made another one.
        #expect(try await names(file.evaluations) == ["", "a2", "a1"])
        _ = try await file.evaluations.add("a4")
        #expect(try await copy(file, to: reports) == 1)
        #expect(try await reports.add("last") > own)
    }

    @Test(.slow) func `two gateways with a file each copy at once, beside two with one file`() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = ((1...60).map { "a\($0)" }, (1...60).map { "b\($0)" })
        let files = [
            try await file(folder, "a.sqlite", first), try GatewayDatabase(path: folder.path("a.sqlite")),
            try await file(folder, "b.sqlite", second),
        ]
        let stage = try await PostgresStage()
        try await stage.store.prepare()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for file in files {
                group.addTask { try await copy(file, to: PostgresStage.store(stage.uri).evaluations) }
            }
            var counts = 0
            for try await count in group { counts += count }
            return counts
        }
        #expect(counts == 120)
        #expect(try await names(stage.store.evaluations).sorted() == (first + second).sorted())
        // The next report is one of the latest 100.
        _ = try await stage.store.evaluations.add("own")
        let left = try await names(stage.store.evaluations)
        #expect(left.count == EvaluationRoom.maxReports && left.first == "own")
    }

    @Test func `a copy that breaks off goes on`() async throws {
        let folder = try TemporaryFolder()
        let file = try await file(folder, "a.sqlite", ["a1", "a2", "a3", "a4"])
        let stage = try await PostgresStage()
        let reports = stage.store.evaluations
        try await stage.store.prepare()
        try await stage.store.pool.write {
            try await $0.script("ALTER TABLE selene.gateway_evaluations ADD CONSTRAINT no CHECK (name <> 'a3')")
        }
        await #expect(throws: PostgresError.self) { _ = try await copy(file, to: reports) }
        #expect(try await names(reports) == ["a2", "a1"])
        try await stage.store.pool.write {
            try await $0.script("ALTER TABLE selene.gateway_evaluations DROP CONSTRAINT no")
        }
        #expect(try await copy(file, to: reports) == 2)
        #expect(try await names(reports) == ["a4", "a3", "a2", "a1"])
    }

    @Test(.slow, arguments: ["INSERT INTO gateway_evaluations", "COMMIT"], [true, false])
    func `a report whose copy is interrupted is there once`(_ text: String, _ passesOn: Bool) async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let folder = try TemporaryFolder()
        let file = try await file(folder, "a.sqlite", ["a1", "a2"])
        let stage = try await PostgresStage(through: proxy.port)
        try await stage.store.prepare()
        proxy.cut(at: .init(text, passesOn: passesOn))
        #expect(try await copy(file, to: stage.store.evaluations) == 2)
        #expect(proxy.cuts == 1)
        #expect(try await names(stage.store.evaluations) == ["a2", "a1"])
    }
}

extension EvaluationRoom {
    fileprivate func add(_ name: String) async throws -> Int64 {
        try await add(
            collection: "c", name: name, means: .object(["m": .object([:])]), report: Array(#"{"modes":[]}"#.utf8),
            figures: [0, 255])
    }
}
