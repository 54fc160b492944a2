import ChatRoom
import Foundation
import GRDB
import GatewayAPI
import Machine
import TestSupport
import Testing

@testable import Storage

/// Runs and their messages in a file, beside whatever another program writes.
@Suite struct ChatRunRows {
    private func begin(_ store: AnswerRoom, _ worker: WorkerName) async throws -> ChatRunStart {
        let draft = ChatRunDraft(
            id: "a", session: "s", parent: .keep, question: "q a", model: "m", request: "{}", key: nil)
        return try await store.begin(draft, title: "t", as: worker) { _ in false }
    }

    private func with(_ body: (GatewayDatabase) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try GatewayDatabase(path: folder.url.appending(path: "n.sqlite").path)
        try await body(database)
        try database.close()
    }

    @Test func `the history follows parents, and messages of another program each other`() async throws {
        try await with { database in
            let (store, worker) = (database.answers, WorkerName())
            _ = try await database.sessions.save(
                "s",
                {
                    var change = SessionChange(); change.title = "t"; return change
                }())
            for text in ["one", "two", "three"] {
                _ = try await database.messages.add(to: "s", role: "user", content: text)
            }
            guard case .begun(let run) = try await begin(store, worker) else {
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
            let (store, worker) = (database.answers, WorkerName())
            _ = try await begin(store, worker)
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
}
