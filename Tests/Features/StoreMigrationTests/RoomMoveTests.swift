import Database
import GatewayAPI
import PostgresStorage
import PromptRoom
import Storage
import TestSupport
import Testing

@testable import StoreMigration

/// The tables of rooms on their way between a file and PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct RoomMoveTests {
    private struct View: Equatable {
        var prompts: [StoredPrompt]
        var versions: [StoredPrompt]
        var benches: [BenchRun]
    }

    private func view(_ store: any SQLStore) async throws -> View {
        var benches: [BenchRun] = []
        for run in try await store.benches.all() { benches.append(try await store.benches.find(run.id)) }
        return View(
            prompts: try await store.prompts.all(), versions: try await store.prompts.versions(of: "é b"),
            benches: benches)
    }

    /// Prompts with versions, whose names are in the order of their bytes only, and benchmarks, one of them deleted.
    private func fill(_ store: any SQLStore) async throws {
        for name in ["a", "B", "é b", "e\u{301} b", "_"] {
            _ = try await store.prompts.save(name, document: "text of \(name)", hash: "h\(name)")
        }
        _ = try await store.prompts.save("é b", document: "it's \"new\" $1 ?1", hash: "h2")
        for number in 0..<20 {
            _ = try await store.benches.add(NewBenchRun(name: "b\(number)", report: .object(["x": .number(0.5)])))
        }
        _ = try await store.benches.delete(20)
    }

    @Test(.slow) func `prompts and benchmarks move, follow and come back`() async throws {
        let stage = try await MoveStage()
        try await fill(stage.database)
        let first = try await stage.migration().run()
        #expect(first.isEqual && first.rows == 25)
        let before = try await view(stage.database)
        #expect(before.prompts.count == 5 && before.versions.count == 2 && before.benches.count == 19)
        #expect(try await view(stage.store) == before)
        // What changed since, and nothing else, moves with the next run.
        _ = try await stage.database.prompts.delete("a")
        _ = try await stage.database.prompts.save("B", document: "new", hash: "n")
        let second = try await stage.migration().run()
        #expect(second.isEqual && second.rows == 25 && second.writtenConversations == 2)
        #expect(try await view(stage.store) == view(stage.database))
        #expect(try await stage.migration().verify().isEqual)
        // A number is never used twice.
        #expect(try await stage.store.benches.add(NewBenchRun(name: "later", report: .object([:]))).id == 21)
        let other = try await stage.migration().verify()
        #expect(!other.isEqual && other.differentConversations == ["gateway_bench_runs 21"])
        await #expect {
            _ = try await stage.migration().run()
        } throws: {
            ($0 as? MigrationRefusal)?.code == .targetChanged
        }
        let back = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(back.isEqual && back.rows == 26)
        #expect(try await view(stage.database) == view(stage.store))
    }

    @Test func `a target with prompts of its own is refused, and overwritten only when asked to`() async throws {
        let stage = try await MoveStage()
        try await fill(stage.database)
        _ = try await stage.store.prompts.save("own", document: "d", hash: "h")
        await #expect {
            _ = try await stage.migration().run()
        } throws: {
            let refusal = $0 as? MigrationRefusal
            return refusal?.code == .targetNotEmpty
                && refusal?.message.contains("gateway_prompt_versions (1)") == true
        }
        #expect(try await stage.store.prompts.all().map(\.id) == ["own"])
        #expect(try await stage.migration(.init(overwrites: true)).run().isEqual)
        #expect(try await view(stage.store) == view(stage.database))
    }

    @Test func `a row that PostgreSQL cannot hold stays, and is named`() async throws {
        let stage = try await MoveStage()
        try await fill(stage.database)
        try stage.execute("UPDATE gateway_bench_runs SET name = x'00ff' WHERE id = 3")
        let summary = try await stage.migration().run()
        #expect(summary.differences == 1 && summary.differentConversations == ["gateway_bench_runs 3"])
        #expect(try await stage.store.benches.all().count == 18)
    }
}
