import ChatRoom
import GatewayAPI
import Machine
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// Leases of runs, and requests to stop that other gateways got.
@Suite(.serialized) struct AnswerLeaseTests {
    typealias Kind = NotesPlace

    /// How many seconds of a run's lease are left.
    private func rest(_ id: String, _ stage: ChatStage) async throws -> Double {
        try await stage.store.snapshot { session in
            let row = try session.first("SELECT lease FROM gateway_chat_runs WHERE id = $1", [.text(id)])
            return Double((row?.integer(0) ?? 0) - (try session.clock().now)) / 1000
        }
    }

    private func setRest(_ id: String, _ seconds: Int64, _ stage: ChatStage) async throws {
        try await stage.store.transaction { session in
            let end = try session.clock().now + 1000 * seconds
            try session.run("UPDATE gateway_chat_runs SET lease = $1 WHERE id = $2", [.integer(end), .text(id)])
        }
    }

    @Test(.slow, arguments: Kind.allCases, ["find", "page", "begin", "take over"])
    func `a run whose lease ended is interrupted at any look, and another gateway goes on with it`(
        _ kind: Kind, _ look: String
    ) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        // The server has just started, which counts for as long as a lease of the gateway that looks.
        let others = AnswerRoom(stage.stores[1], lease: .milliseconds(100))
        let (runs, holder) = (stage.runs, WorkerName.elsewhere)
        _ = try await runs.begin(ChatStage.draft("a"), holder)
        #expect(try await runs.update("a", .init(state: .answering, text: "half", record: .init()), as: holder))
        #expect(try await others.find("a")?.state == .answering)
        #expect(try await others.begin(ChatStage.draft("b"), WorkerName()) == .busy(run: "a"))
        await #expect(throws: StorageError.self) { try await others.takeOver("a", as: WorkerName()) }
        try await setRest("a", -1, stage)
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

    @Test(arguments: Kind.allCases)
    func `a gateway that was cut off stores its answer if nobody went on`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let others = AnswerRoom(stage.stores[1], lease: .milliseconds(100))
        let (runs, holder) = (stage.runs, WorkerName.elsewhere)
        _ = try await runs.begin(ChatStage.draft("a"), holder)
        _ = try await runs.update("a", .init(state: .answering, text: "half", record: .init()), as: holder)
        try await setRest("a", -1, stage)
        let message = try #require(try await others.find("a")?.message)
        #expect(try await runs.end("a", .done, "half and whole", as: holder) == message)
        let messages = try #require(try await stage.store.messages.page(of: "s", after: nil, limit: 9)).items
        #expect(messages.map(\.content) == ["q a", "half and whole"])
    }

    @Test(arguments: Kind.allCases)
    func `a sign of life renews leases, and a look for requests to stop does not write`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, worker) = (stage.runs, WorkerName.elsewhere)
        for id in ["a", "b"] { _ = try await runs.begin(ChatStage.draft(id, session: id), worker, live: ["a"]) }
        #expect(try await rest("a", stage) > 50)
        try await setRest("a", 40, stage)
        try await setRest("b", 20, stage)
        #expect(try await runs.stopRequests(to: worker).isEmpty)
        #expect(try await rest("a", stage) < 41)
        try await runs.renew(WorkerName())
        #expect(try await rest("a", stage) < 41)
        try await runs.renew(worker)
        for id in ["a", "b"] { #expect(try await rest(id, stage) > 50) }
        try await setRest("a", 20, stage)
        #expect(try await runs.update("a", .init(state: .answering, text: "", record: .init()), as: worker))
        #expect(try await rest("a", stage) > 50)
    }

    @Test(arguments: Kind.allCases)
    func `a run of a process that ended on this machine is interrupted at once`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        _ = try await stage.runs.begin(ChatStage.draft("a"), .gone)
        #expect(try await stage.runs.find("a")?.state == .interrupted)
    }

    @Test func `a run without a lease, of a version that knew none, is held until its process ends`() async throws {
        let stage = try #require(try await ChatStage(.file))
        defer { stage.end() }
        let (runs, gone) = (stage.runs, WorkerName.gone.description)
        for worker in [WorkerName.elsewhere, WorkerName()] {
            _ = try await runs.begin(ChatStage.draft(worker.description, session: nil), title: "t", as: worker) { _ in
                true
            }
        }
        try await stage.store.run("UPDATE gateway_chat_runs SET lease = NULL")
        let others = AnswerRoom(stage.stores[1], lease: .milliseconds(1))
        #expect(try await others.page(running: true, session: nil, after: nil, limit: 9).items.count == 2)
        try await stage.store.run("UPDATE gateway_chat_runs SET owner = $1", [.text(gone)])
        #expect(try await others.page(running: true, session: nil, after: nil, limit: 9).items.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `a request to stop reaches the gateway that works on the run, once`(_ kind: Kind) async throws {
        guard let stage = try await ChatStage(kind) else { return }
        defer { stage.end() }
        let (runs, others, worker) = (stage.runs, stage.stores[1].answers, WorkerName.elsewhere)
        for id in ["a", "b"] { _ = try await runs.begin(ChatStage.draft(id, session: id), worker, live: ["a"]) }
        let isAsked = kind == .postgres
        #expect(try await others.askToStop("a") == isAsked)
        #expect(try await runs.stopRequests(to: worker) == (isAsked ? ["a"] : []))
        _ = try await runs.end("a", .stopped, "x", as: worker)
        #expect(try await others.askToStop("a") == isAsked)
        #expect(try await runs.stopRequests(to: worker).isEmpty)
        #expect(try await others.askToStop("b") == isAsked)
        _ = try await runs.end("b", .interrupted, "x", as: worker)
        _ = try await runs.takeOver("b", as: worker)
        #expect(try await runs.stopRequests(to: worker).isEmpty)
    }
}
