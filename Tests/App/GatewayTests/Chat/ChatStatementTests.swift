import ChatRun
import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import Inference
import Logging
import Prompts
import Search
import Storage
import TestSupport
import Testing
import Tools

@testable import Chat
@testable import Gateway

/// What an answer asks of SQLite. The gateway's background work does not run, so the numbers are the same each time.
@Suite(.serialized) struct ChatStatements {
    /// The most that one answer may need, from its request until it is stored. A read for each of: the conversation, the
    /// names that a question may mention, the state of the index, the notes, the memories. A write for each end of the run.
    private static let most = Usage(reads: 5, writes: 2, statements: 26)

    /// Counted statements. Transactions, settings of the connection and triggers are not counted as statements.
    private struct Usage: Equatable {
        var reads = 0
        var writes = 0
        var statements = 0

        init(reads: Int, writes: Int, statements: Int) {
            (self.reads, self.writes, self.statements) = (reads, writes, statements)
        }

        init(_ events: [StatementTrace.Event]) {
            for event in events {
                switch event.sql.split(whereSeparator: \.isWhitespace).first {
                case "BEGIN" where event.isWriter: writes += 1
                case "BEGIN": reads += 1
                case "PRAGMA", "COMMIT", "SAVEPOINT", "RELEASE", "--": break
                default: statements += 1
                }
            }
        }
    }

    /// A gateway that does not serve, with its chats.
    private struct Setting {
        let application: GatewayApplication
        let service: ChatService
        let seen: Locked<[StatementTrace.Event]>

        /// Begins a run and reads it to its end. Returns it with the statements in between.
        func answer(_ id: String, session: String? = nil) async throws -> (run: ChatRun, events: [StatementTrace.Event])
        {
            seen.change { $0 = [] }
            let options = RunPlan.Options(
                kind: "ask", scope: ChatScope(tag: .init(["sea"])), tools: false, strict: false, limit: 6)
            let plan = RunPlan(
                id: id, question: "How great is the range of the tide, asks \(id)?", session: session,
                parent: .keep, options: options)
            let owner = RunOwner(caller: AdmissionCaller("a person"), key: nil, scopes: nil) { _, _, _ in }
            _ = try await service.begin(plan, model: "llama3.2", owner: owner)
            if let run = service.live(id) {
                let (reader, first) = await run.attach(lastEventID: nil)
                var read = first
                while !read.isComplete { read = await run.read(reader, after: read.next) }
            }
            try await waitUntil { service.live(id) == nil }
            let events = seen.value
            return (try await service.find(id), events)
        }
    }

    private func with(_ body: (Setting) async throws -> Void) async throws {
        let seen = Locked([StatementTrace.Event]())
        let folder = try TemporaryFolder()
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("The greatest range comes a day and a half after full moon [1].")])
        let fake = try await FakeOllama.start(options)
        let configuration = try GatewayConfiguration.load(
            flags: [
                "database": folder.path("n.sqlite"), "ollama_host": fake.baseURL, "memories": "on", "workflows": "off",
            ],
            environment: [:],
            file: nil)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = try StatementTrace.$observer.withValue({ event in seen.change { $0.append(event) } }) {
            try GatewayApplication(configuration: configuration, logger: logger)
        }
        let shared = application.shared
        let engine = ChatEngine(
            store: shared.store, notes: application.retrieval.search,
            providers: shared.search.chat,
            prompts: try ChatPrompts(), tools: try ToolRegistry([]), settings: configuration.chat,
            memories: shared.localMemories, metrics: ChatMetrics(tools: []), logger: logger)
        do {
            _ = try await application.database.notes.insert([
                NoteDraft(
                    title: "spring tide", content: "The greatest range comes a day and a half after full moon.",
                    createdAt: 1, tags: ["sea"]),
                NoteDraft(
                    title: "gauge", content: "The harbour gauge was repaired in May.", createdAt: 2, tags: ["sea"]),
            ])
            try await LiveGateway.backfill(application.database, at: fake.baseURL)
            try await body(Setting(application: application, service: ChatService(engine), seen: seen))
        } catch {
            await application.close()
            await fake.shutdown()
            throw error
        }
        await application.close()
        await fake.shutdown()
    }

    @Test func `an answer asks for each thing once`() async throws {
        try await with { setting in
            // The first answer also opens the index.
            let first = try await setting.answer("earlier")
            #expect(first.run.state == .done && first.run.record?.passages.count == 2)
            let found = try await setting.answer("later")
            #expect(found.run.state == .done && found.run.record?.passages.count == 2)
            let usage = Usage(found.events)
            #expect(
                usage == Self.most, "more: pass on what was read; fewer: lower the bound\n\(list(found.events))")
            // No read asks what another one has asked. Writes read within their own transactions.
            let reads = found.events.filter { !$0.isWriter && $0.sql.hasPrefix("SELECT") }.map(\.sql)
            #expect(Set(reads).count == reads.count)
        }
    }

    @Test func `a further question reads the conversation in the same transaction`() async throws {
        try await with { setting in
            let first = try await setting.answer("earlier", session: "s")
            let next = try await setting.answer("later", session: "s")
            #expect(next.run.state == .done && first.run.session == next.run.session)
            let usage = Usage(next.events)
            // The choice about memories in this session is read before the run begins, then what earlier questions brought, and whether
            // that still stands in its notes.
            #expect(usage.reads == Self.most.reads + 3 && usage.writes == Self.most.writes, "\(list(next.events))")
        }
    }

    @Test func `what another program wrote since the last answer is used by the next one`() async throws {
        try await with { setting in
            _ = try await setting.answer("earlier", session: "s")
            let other = try DatabaseQueue(path: setting.application.database.path)
            try await other.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO raw_notes (title, content, tags, created_at)
                        VALUES ('neap', 'The smallest range of the tide is a neap.', '["sea"]', 3);
                        UPDATE chat_sessions SET summary_text = 'They spoke of whales.' WHERE id = 's';
                        INSERT INTO conversation_memories (content, type) VALUES ('likes the spring tide', 'fact');
                        """)
            }
            try other.close()
            let next = try await setting.answer("later", session: "s")
            #expect(next.run.record?.passages.map(\.title).sorted() == ["gauge", "neap", "spring tide"])
            #expect(Usage(next.events).reads > Self.most.reads + 3)
        }
    }

    private func list(_ events: [StatementTrace.Event]) -> String {
        events.map { ($0.isWriter ? "W " : "R ") + $0.sql }.joined(separator: "\n")
    }
}
