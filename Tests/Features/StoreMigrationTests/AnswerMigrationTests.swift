import ChatRoom
import GatewayAPI
import KeyRoom
import Machine
import PostgresStorage
import Storage
import TestSupport
import Testing

@testable import StoreMigration

/// Answers with their citations, branches and summaries on their way between a file and PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct AnswerMigrationTests {
    private let worker = WorkerName()

    private func begin(
        _ id: String, _ session: String, _ parent: FieldUpdate<Int64> = .keep, in runs: AnswerRoom
    ) async throws -> StoredChatRun {
        let draft = ChatRunDraft(
            id: id, session: session, parent: parent, question: "q \(id) é", model: "m", request: #"{"kind":"ask"}"#,
            key: 1)
        let start = try await runs.begin(draft, title: "t", as: worker) { _ in true }
        guard case .begun(let run) = start else { throw StorageError(.failed, "\(start)") }
        return run
    }

    @discardableResult
    private func end(
        _ id: String, _ state: ChatRun.State, _ text: String, in runs: AnswerRoom
    ) async throws -> Int64? {
        var progress = ChatRunProgress(state: state, text: text, record: ChatRecord())
        progress.record.withheld = [3, 4]
        progress.record.memories = [ChatMemory(id: 2, content: "a \u{0} b")]
        if state == .failed { progress.error = "away" }
        if state == .stopped { progress.stopReason = "asked" }
        return try await runs.end(id, progress, as: worker)
    }

    /// Two sessions: one with branches, a client's message and a summary; one with a run in progress.
    private func fill(_ stage: MoveStage) async throws {
        let (runs, messages) = (stage.database.answers, stage.database.messages)
        #expect(try await stage.database.keys.create(name: "phone").record.id == 1)
        _ = try await begin("a", "s", in: runs)
        let first = try #require(try await end("a", .done, "answer a", in: runs))
        _ = try await messages.add(to: "s", role: "user", content: "of a client")
        _ = try await begin("b", "s", in: runs)
        try await end("b", .stopped, "answer b", in: runs)
        _ = try await begin("c", "s", .set(first), in: runs)
        try await end("c", .failed, "", in: runs)
        _ = try await begin("d", "s", .clear, in: runs)
        try await end("d", .interrupted, "half", in: runs)
        try await stage.database.summaries.keep(
            ChatSummary(message: first, text: "of a", notes: [9, 1], model: "m"), of: "s")
        _ = try await begin("e", "u", in: runs)
    }

    private struct View: Equatable {
        var runs: [StoredChatRun]
        var messages: [Message]
        var branches: [[String]]
        var summary: ChatSummary?
    }

    private func view(_ store: any GatewayStore) async throws -> View {
        let page = try await store.answers.page(running: false, session: "s", after: nil, limit: 50)
        var runs: [StoredChatRun] = []
        for one in page.items { runs.append(try #require(try await store.answers.find(one.id))) }
        let messages = try await store.messages.page(of: "s", after: nil, limit: 100)?.items ?? []
        var branches: [[String]] = []
        for message in messages {
            branches.append(try await store.answers.history(through: message.id, of: "s").map(\.content))
        }
        return View(
            runs: runs, messages: messages, branches: branches,
            summary: try await store.summaries.reaching(furthestIn: messages.map(\.id), of: "s"))
    }

    @Test(.slow) func `answers go to PostgreSQL and come back as they were`() async throws {
        let stage = try await MoveStage(notes: 1)
        try await fill(stage)
        let before = try await view(stage.database)
        #expect(before.runs.map(\.id) == ["d", "c", "b", "a"] && before.summary?.notes == [9, 1])
        #expect(before.branches.contains(["q a é", "answer a", "of a client", "q b é", "answer b"]))
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        #expect(try await view(stage.store) == before)
        // What is in progress is the file's.
        #expect(try await stage.store.answers.find("e") == nil)
        #expect(try await stage.store.messages.page(of: "u", after: nil, limit: 9)?.items.map(\.content) == ["q e é"])
        let left = try await stage.file.leftBehind(in: stage.server)
        #expect(left.first { $0.subject == "gateway_chat_runs" }?.count == 1)
        #expect(!left.contains { $0.subject == "gateway_message_links" || $0.subject == "gateway_summaries" })
        let again = try await stage.migration().run()
        #expect(again.isEqual && again.writtenConversations == 0)

        let back = try GatewayDatabase(path: stage.folder.path("back.sqlite"))
        #expect(try await StoreMigration(from: stage.server, to: FileTransfer(back)).run().isEqual)
        #expect(try await view(back) == before)
        try back.close()
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual && home.writtenConversations == 0)
        #expect(try await stage.database.answers.find("e")?.state == .queued)
    }

    @Test(.slow) func `what was answered in PostgreSQL comes back, and its numbers are new`() async throws {
        let stage = try await MoveStage(notes: 1)
        try await fill(stage)
        _ = try await stage.migration().run()
        let runs = stage.store.answers
        let taken = try await runs.takeOver("d", as: worker)
        #expect(taken.text == "half")
        try await end("d", .done, "half and whole", in: runs)
        let run = try await begin("f", "s", in: runs)
        try await end("f", .done, "answer f", in: runs)
        #expect(try await runs.history(through: run.userMessage, of: "s").map(\.content).last == "q f é")
        #expect(try await runs.page(running: false, session: "s", after: nil, limit: 1).items.map(\.id) == ["f"])
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual, "\(home.differentConversations)")
        let there = try await view(stage.store)
        #expect(try await view(stage.database) == there)
        #expect(there.runs.map(\.id) == ["f", "d", "c", "b", "a"] && there.runs[1].life == 1)
        // The file goes on with numbers of its own.
        try await end("e", .done, "late", in: stage.database.answers)
        _ = try await begin("g", "s", in: stage.database.answers)
        #expect(
            try await stage.database.answers.page(running: false, session: "s", after: nil, limit: 1).items.map(\.id)
                == ["g"])
    }
}
