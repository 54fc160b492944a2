import Foundation
import GRDB
import GatewayAPI
import Machine
import TestSupport
import Testing

@testable import Storage

/// Runs in the database: begun once, taken over, and read beside whatever another program writes.
@Suite struct ChatRunRows {
    private func draft(_ id: String, session: String? = "s", parent: FieldUpdate<Int64> = .keep) -> ChatRunDraft {
        ChatRunDraft(
            id: id, session: session, parent: parent, question: "q \(id)", model: "m", request: "{}", key: nil)
    }

    private func begin(
        _ store: ChatRunStore, _ draft: ChatRunDraft, _ worker: WorkerName, live: Set<String> = []
    ) async throws -> ChatRunStart {
        try await store.begin(draft, title: "t", as: worker) { live.contains($0) }
    }

    private func with(_ body: (GatewayDatabase) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try GatewayDatabase(path: folder.url.appending(path: "n.sqlite").path)
        try await body(database)
        try database.close()
    }

    @Test func `a run is begun once, and blocks its session until its end`() async throws {
        try await with { database in
            let (store, worker) = (database.chatRuns, WorkerName())
            guard case .begun(let run) = try await begin(store, draft("a"), worker) else {
                Issue.record("not begun")
                return
            }
            #expect(run.session == "s" && run.state == .queued && run.userMessage != nil)
            guard case .known = try await begin(store, draft("a"), worker, live: ["a"]) else {
                Issue.record("not known")
                return
            }
            var other = draft("a")
            other.question = "another"
            #expect(try await begin(store, other, worker, live: ["a"]) == .idInUse)
            #expect(try await begin(store, draft("b"), worker, live: ["a"]) == .busy(run: "a"))
            #expect(try await begin(store, draft("c", session: "s2", parent: .set(999)), worker) == .unknownParent)
            // What this process lost, for example because the disk was full, blocks nothing.
            guard case .begun(let next) = try await begin(store, draft("d"), worker) else {
                Issue.record("not begun")
                return
            }
            #expect(try await store.find("a")?.state == .interrupted)
            let record = ChatRecord()
            #expect(try await store.update(next.id, .init(state: .answering, text: "x", record: record), as: worker))
            #expect(try await !store.update(next.id, .init(state: .done, text: "y", record: record), as: WorkerName()))
            let message = try await store.end(next.id, .init(state: .done, text: "answer", record: record), as: worker)
            #expect(message != nil)
            let again = try await store.end(next.id, .init(state: .done, text: "answer 2", record: record), as: worker)
            #expect(again == message)
            let messages = try #require(try await database.messages.page(of: "s", limit: 10)).items
            #expect(messages.map(\.content) == ["q a", "q d", "answer 2"] && messages.last?.run == "d")
            #expect(messages[1].parent == messages[0].id && messages[2].parent == messages[1].id)
            #expect(try await database.sessions.find("s")?.messageCount == 3)
        }
    }

    @Test func `a session that is deleted takes its runs along, and a run that ends then writes nothing`() async throws
    {
        try await with { database in
            let (store, worker) = (database.chatRuns, WorkerName())
            _ = try await begin(store, draft("a"), worker)
            #expect(try await database.sessions.delete("s"))
            let end = ChatRunProgress(state: .done, text: "answer", record: ChatRecord())
            #expect(try await store.end("a", end, as: worker) == nil)
            #expect(try await store.find("a") == nil)
            #expect(try await database.messages.page(of: "s", limit: 10) == nil)
        }
    }

    @Test func `the history follows parents, and messages of another program each other`() async throws {
        try await with { database in
            let (store, worker) = (database.chatRuns, WorkerName())
            _ = try await database.sessions.save(
                "s",
                {
                    var change = SessionChange(); change.title = "t"; return change
                }())
            for text in ["one", "two", "three"] {
                _ = try await database.messages.add(to: "s", role: "user", content: text)
            }
            guard case .begun(let run) = try await begin(store, draft("a"), worker) else {
                Issue.record("not begun")
                return
            }
            let history = try await store.history(through: run.userMessage, of: "s")
            #expect(history.map(\.content) == ["one", "two", "three", "q a"])
            #expect(try await store.history(through: run.userMessage, of: "other").isEmpty)
            #expect(try await store.history(through: nil, of: "s").isEmpty)
            // Links in a circle end.
            try await database.writeRelaxed { database in
                try database.execute(sql: "INSERT INTO gateway_message_links VALUES (1, 's', 4, NULL)")
            }
            #expect(try await store.history(through: run.userMessage, of: "s").count == 4)
        }
    }

    @Test func `rows that cannot be read are skipped, and odd values become empty`() async throws {
        try await with { database in
            let (store, worker) = (database.chatRuns, WorkerName())
            _ = try await begin(store, draft("a"), worker)
            _ = try await store.end("a", .init(state: .done, text: "x", record: ChatRecord()), as: worker)
            try await database.writeRelaxed { database in
                try database.execute(
                    sql: """
                        UPDATE gateway_chat_runs SET record = x'ff', text = x'fe', life = 'many', message = 'none';
                        INSERT INTO gateway_chat_runs (id, number, session_id, state, question, request, model, created_at, updated_at)
                        VALUES ('b', 9, 's', 'dreaming', 'q', '{}', 'm', 1, 2);
                        """)
            }
            let odd = try #require(try await store.find("a"))
            #expect(odd.text == "" && odd.record == ChatRecord() && odd.life == 0 && odd.message == nil)
            #expect(try await store.find("b") == nil)
            let page = try await store.page(running: false, session: "s", after: nil, limit: 10)
            #expect(page.items.map(\.id) == ["a"])
        }
    }

    @Test func `an interrupted run is taken over once`() async throws {
        try await with { database in
            let (store, worker) = (database.chatRuns, WorkerName())
            _ = try await begin(store, draft("a"), worker)
            await #expect(throws: StorageError.self) { try await store.takeOver("a", as: worker) }
            _ = try await store.end("a", .init(state: .interrupted, text: "x", record: ChatRecord()), as: worker)
            let taken = try await store.takeOver("a", as: worker)
            #expect(taken.state == .queued && taken.life == 1 && taken.text == "x")
            await #expect(throws: StorageError.self) { try await store.takeOver("a", as: worker) }
            await #expect(throws: StorageError.self) { try await store.takeOver("none", as: worker) }
        }
    }
}
