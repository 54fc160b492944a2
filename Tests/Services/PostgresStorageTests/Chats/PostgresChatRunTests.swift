import GatewayAPI
import Machine
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// Leases of runs, and requests to stop that other gateways got.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresChatRunTests {
    /// How many seconds of a run's lease are left.
    private func rest(_ id: String, _ store: PostgresStore) async throws -> Double {
        let rows = try await store.rows(
            "SELECT extract(epoch FROM lease - clock_timestamp())::float8 FROM chat_runs WHERE id = $1", [.text(id)])
        return rows.double(0, 0) ?? 0
    }

    private func setRest(_ id: String, _ seconds: Double, _ store: PostgresStore) async throws {
        try await store.write {
            try await $0.run(
                "UPDATE chat_runs SET lease = clock_timestamp() + $2 * interval '1 second' WHERE id = $1",
                [.text(id), .double(seconds)])
        }
    }

    @Test(.slow, arguments: ["find", "page", "begin", "take over"])
    func `a run whose lease ended is interrupted at any look, and another gateway goes on with it`(
        _ look: String
    ) async throws {
        let stage = try await PostgresStage()
        // The server has just started, which counts for as long as a lease of the gateway that looks.
        let others = PostgresChatRuns(try PostgresStage.store(stage.uri), lease: .milliseconds(100))
        let (runs, holder) = (stage.store.chats.runs, WorkerName.elsewhere)
        _ = try await runs.begin(ChatStage.draft("a"), holder)
        #expect(try await runs.update("a", .init(state: .answering, text: "half", record: .init()), as: holder))
        #expect(try await others.find("a")?.state == .answering)
        #expect(try await others.begin(ChatStage.draft("b"), WorkerName()) == .busy(run: "a"))
        await #expect(throws: StorageError.self) { try await others.takeOver("a", as: WorkerName()) }
        try await setRest("a", -1, stage.store)
        let next = WorkerName()
        switch look {
        case "find": #expect(try await others.find("a")?.state == .interrupted)
        case "page":
            let page = try await others.page(running: false, session: nil, after: nil, limit: 2)
            #expect(page.items.first?.state == .interrupted)
        case "begin":
            #expect(try await others.begin(ChatStage.draft("b"), next).begun != nil)
            _ = try await others.end("b", .done, "", as: next)
        default: break
        }
        let taken = try await others.takeOver("a", as: next)
        #expect(taken.text == "half" && taken.life == 1 && taken.message != nil)
        // The gateway that was cut off learns that the run is no longer its own.
        #expect(try await !runs.update("a", .init(state: .answering, text: "late", record: .init()), as: holder))
        #expect(try await runs.end("a", .done, "late", as: holder) == nil)
        #expect(try await others.end("a", .done, "half and whole", as: next) == taken.message)
        #expect(try await runs.find("a")?.text == "half and whole")
    }

    @Test func `a gateway that was cut off stores its answer if nobody went on`() async throws {
        let stage = try await PostgresStage()
        let others = PostgresChatRuns(try PostgresStage.store(stage.uri), lease: .milliseconds(100))
        let (runs, holder) = (stage.store.chats.runs, WorkerName.elsewhere)
        _ = try await runs.begin(ChatStage.draft("a"), holder)
        _ = try await runs.update("a", .init(state: .answering, text: "half", record: .init()), as: holder)
        try await setRest("a", -1, stage.store)
        let message = try #require(try await others.find("a")?.message)
        #expect(try await runs.end("a", .done, "half and whole", as: holder) == message)
        let messages = try #require(try await stage.store.messages.page(of: "s", after: nil, limit: 9)).items
        #expect(messages.map(\.content) == ["q a", "half and whole"])
    }

    @Test func `a sign of life renews leases, and writes only when half of one is over`() async throws {
        let stage = try await PostgresStage()
        let (runs, worker) = (stage.store.chats.runs, WorkerName.elsewhere)
        for id in ["a", "b"] { _ = try await runs.begin(ChatStage.draft(id, session: id), worker, live: ["a"]) }
        #expect(try await rest("a", stage.store) > 50)
        try await setRest("a", 40, stage.store)
        #expect(try await runs.keepAlive(worker).isEmpty)
        #expect(try await rest("a", stage.store) < 41)
        try await setRest("b", 20, stage.store)
        #expect(try await runs.keepAlive(worker).isEmpty)
        for id in ["a", "b"] { #expect(try await rest(id, stage.store) > 50) }
        try await setRest("a", 20, stage.store)
        #expect(try await runs.update("a", .init(state: .answering, text: "", record: .init()), as: worker))
        #expect(try await rest("a", stage.store) > 50)
    }

    @Test func `a run of a process that ended on this machine is interrupted at once`() async throws {
        let stage = try await PostgresStage()
        let runs = stage.store.chats.runs
        _ = try await runs.begin(ChatStage.draft("a"), .gone)
        #expect(try await runs.find("a")?.state == .interrupted)
    }

    @Test func `a request to stop reaches the gateway that works on the run, once`() async throws {
        let stage = try await PostgresStage()
        let others = try PostgresStage.store(stage.uri).chats.runs
        let (runs, worker) = (stage.store.chats.runs, WorkerName.elsewhere)
        for id in ["a", "b"] { _ = try await runs.begin(ChatStage.draft(id, session: id), worker, live: ["a"]) }
        #expect(try await others.askToStop("a"))
        #expect(try await runs.keepAlive(worker) == ["a"])
        _ = try await runs.end("a", .stopped, "x", as: worker)
        #expect(try await others.askToStop("a"))
        #expect(try await runs.keepAlive(worker).isEmpty)
        _ = try await runs.end("b", .interrupted, "x", as: worker)
        _ = try await runs.takeOver("b", as: worker)
        #expect(try await runs.keepAlive(worker).isEmpty)
    }
}
