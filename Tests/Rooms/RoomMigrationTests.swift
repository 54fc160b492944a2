import ChatRoom
import BookRoom
import GRDB
import GatewayAPI
import JobRoom
import KeyRoom
import Machine
import PromptRoom
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage
@testable import Storage

/// Databases of the version before the rooms.
@Suite(.serialized) struct RoomMigrationTests {
    @Test func `the jobs and answers of a file go on, and a worker of its version keeps what it holds`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let elsewhere = WorkerName.elsewhere
        let queue = try DatabaseQueue(path: path)
        try Migrations.migrator.migrate(queue, upTo: "gateway-36-note-ingests")
        try await queue.write { database in
            for (id, kind, owner) in [
                (1, "backfill", WorkerName.gone.description), (2, "threads", WorkerName().description),
                (3, "actions", elsewhere.description),
            ] {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_jobs (id, kind, state, parameters, owner, created_at, done, total)
                        VALUES (?, ?, 'running', '{"a":1}', ?, '2026-01-01 00:00:00', 3, 9)
                        """, arguments: [id, kind, owner])
            }
            try database.execute(sql: "INSERT INTO gateway_prompt_versions VALUES ('p', 1, 'h', 'd', '2026-01-01')")
            try database.execute(sql: "INSERT INTO chat_sessions (id, title) VALUES ('s1', 't'), ('s2', 't')")
            try database.execute(
                sql: """
                    INSERT INTO gateway_chat_runs (id, number, session_id, owner, state, question, request, model, text,
                        created_at, updated_at)
                    VALUES ('r1', 1, 's1', ?, 'answering', 'q', '{}', 'm', 'half', '2026-01-01', '2026-01-02'),
                        ('r2', 2, 's2', ?, 'answering', 'q', '{}', 'm', 'half', '2026-01-01', '2026-01-02')
                    """, arguments: [WorkerName.gone.description, WorkerName().description])
            try database.execute(
                sql: """
                    INSERT INTO gateway_books (id, hash, state, title, file_bytes, owner, added_at, updated_at)
                    VALUES (7, x'01', 'embedding', 'Tides', 3, ?, 1, 1)
                    """, arguments: [elsewhere.description])
        }
        try queue.close()
        let store: any ChatStore = try GatewayDatabase(path: path)
        let jobs = try await store.jobs.list(limit: 9)
        #expect(jobs.map(\.job.state) == [.running, .running, .interrupted])
        #expect(jobs.map(\.parameters) == Array(repeating: #"{"a":1}"#, count: 3))
        #expect(jobs[2].job.message == JobRoom.processEnded && jobs[2].job.done == 3)
        #expect(try await store.jobs.isHeld(3, as: elsewhere))
        #expect(try await store.jobs.update(3, JobProgress(done: 4, total: 9), as: elsewhere))
        #expect(try await store.prompts.all().map(\.document) == ["d"])
        let runs = try await store.answers.page(running: false, session: nil, after: nil, limit: 9).items
        #expect(runs.map(\.id) == ["r2", "r1"] && runs.map(\.state) == [.answering, .interrupted])
        #expect(try await store.answers.latestBranch(of: "s1").map(\.content) == ["half"])
        #expect(try await store.books.find(7).title == "Tides")
        #expect(try await store.books.isHeld(7))
        #expect(try await store.books.renew(7, as: elsewhere))
    }

    @Test(.enabled("needs a PostgreSQL server") { await PostgresServer.isPossible }, arguments: [false, true])
    func `the jobs, prompts, benchmarks, answers and keys of a server stay, also after a migration that broke off`(
        _ breaksOff: Bool
    ) async throws {
        let shared = try #require(await PostgresServer.shared())
        let server = try PostgresStage.store(try await shared.database())
        defer { server.close() }
        let count = PostgresSchema.steps.count
        try await server.pool.write { connection in
            try await connection.script(
                """
                CREATE EXTENSION IF NOT EXISTS vector;
                CREATE EXTENSION IF NOT EXISTS pg_trgm;
                CREATE SCHEMA selene;
                CREATE TABLE selene.meta (key text PRIMARY KEY, value text NOT NULL);
                """)
            for step in PostgresSchema.steps { try await connection.script(step) }
            try await connection.script(
                """
                INSERT INTO selene.meta VALUES ('schema', '\(count)'), ('identity', 'x');
                INSERT INTO selene.jobs (kind, slot, state, parameters, owner, lease, created_at) VALUES
                    ('backfill', '', 'running', '{}', 'a', now() + interval '1 hour', '2026-01-01 00:00:00'),
                    ('threads', '', 'running', '{}', 'b', now() - interval '1 hour', '2026-01-01 00:00:00'),
                    ('actions', '', 'done', '{}', NULL, NULL, '2026-01-01 00:00:00');
                INSERT INTO selene.prompt_versions VALUES ('p', 1, 'h', 'd', 1767225600);
                INSERT INTO selene.bench_runs (name, report, created) VALUES ('b', '{"x":1}', 1767225600);
                INSERT INTO selene.chat_sessions (number, id, title, created, updated, is_pinned, compression_state,
                    messages_json, message_count, summary_text)
                SELECT n, 's' || n, 't', 1, 1, false, 'full', '[]', 0, 'of ' || n FROM generate_series(1, 3) n;
                INSERT INTO selene.chat_messages (session, role, content, created)
                SELECT n, 'user', 'q', 1 FROM generate_series(1, 3) n;
                INSERT INTO selene.chat_runs (number, id, session, owner, lease, is_stopping, state, question, request,
                    model, text, user_message, created, updated)
                VALUES (1, 'r1', 1, 'a', now() + interval '1 hour', true, 'answering', 'q', '{}', 'm', 'half', 1,
                        1767225600, 1767225601),
                    (2, 'r2', 2, 'b', now() - interval '1 hour', false, 'answering', 'q', '{}', 'm', 'half', 2,
                        1767225600, 1767225601),
                    (5, 'r5', 2, NULL, NULL, false, 'done', 'q', '{}', 'm', 'whole', 2, 1767225600, 1767225601);
                SELECT setval('selene.chat_runs_number_seq', 8);
                INSERT INTO selene.chat_summaries VALUES (1, 1, 'of 1', '{4,9}', 'm', 1767225600),
                    (2, 2, 'of two', '{}', 'm', 1767225600);
                INSERT INTO selene.chat_compressions (session, message, model, state_before, attempts, due, error)
                VALUES (3, 3, 'm', 'hybrid', 2, 77, 'away');
                INSERT INTO selene.keys (name, hash, prefix, created_at, scopes, models, expires_at, parent) VALUES
                    ('a', '\\x01', 'slk_a', '2026-01-01 00:00:00', 'llm', 'm', 4102444800, NULL),
                    ('b', '\\x02', 'slk_b', '2026-01-01 00:00:00', 'llm', '', NULL, 1);
                INSERT INTO selene.memories (content, type, confidence, is_pinned, created, updated, accessed) VALUES
                    ('lives in Leipzig', 'fact', 0.5, true, 1, 2, 3), ('likes tea', 'preference', 1, NULL, 1, 2, 3);
                INSERT INTO selene.memory_changes (memory_id, action, content, type, confidence, is_pinned, changed)
                VALUES (1, 'edit', 'lives in Ulm', 'fact', 0.5, true, 5),
                    (9, 'forget', 'plays the cello', 'fact', 1, true, extract(epoch FROM now())::bigint);
                INSERT INTO selene.key_usage VALUES ('2026-01-02', 1, 3, 0, 7, 5);
                INSERT INTO selene.web_sessions (hash, key_id, user_agent, created_at, last_used_at, expires_at)
                    VALUES ('\\x03', 1, 'x', 5, 6, 7);
                INSERT INTO selene.pairings (code_hash, name, user_agent, address, scopes, expires_at)
                    VALUES (sha256('BCDFGHJK'), 'phone', '', '', 'llm', 300);
                """)
        }
        if breaksOff {
            // The second step of the rooms meets a table of the name that it would give.
            try await server.pool.write { try await $0.script("CREATE TABLE selene.gateway_bench_runs (id int)") }
            await #expect(throws: PostgresError.self) { try await server.prepare() }
            try await server.pool.write { try await $0.script("DROP TABLE selene.gateway_bench_runs") }
        }
        let store: any GatewayStore = server
        let jobs = JobRoom(store, lease: .milliseconds(1))
        #expect(try await jobs.list(limit: 9).map(\.job.state) == [.done, .interrupted, .running])
        #expect(try await jobs.begin(kind: .evaluation, parameters: "{}", as: WorkerName()).job.id == 4)
        #expect(try await store.prompts.versions(of: "p").map(\.createdAt) == ["2026-01-01 00:00:00"])
        let runs = try await store.benches.all()
        #expect(runs.map(\.createdAt) == ["2026-01-01 00:00:00"] && runs.map(\.name) == ["b"])
        #expect(try await store.benches.find(runs[0].id).report == .object(["x": .integer(1)]))
        let day = UTCDay(unixSeconds: 1_767_312_000)
        var known = try await store.keys.snapshot(of: day)
        #expect(known.keys.map(\.name) == ["a", "b"] && known.keys.map(\.parent) == [nil, 1])
        #expect(known.keys.map(\.grant.expiresAt) == [4_102_444_800, nil] && known.keys[0].grant.models == ["m"])
        #expect(known.spent.mapValues(\.tokens) == [1: 12] && known.sessions.map(\.owner) == [.key(1)])
        let memories = try await store.memories.page(limit: 9).items
        #expect(memories.map(\.content) == ["likes tea", "lives in Leipzig"])
        #expect(memories.map { $0.details?.isPinned } == [nil, true])
        #expect(try await store.memories.history(1)?.changes.map(\.content) == ["lives in Ulm"])
        #expect(try await store.memories.undo(9)?.memory?.details?.isPinned == true)
        #expect(try await store.memories.undo(1)?.memory?.content == "lives in Ulm")
        // Nothing was found in these chats, and nobody asked for it.
        #expect(try await !store.memories.hasUnreadRuns())
        let code = try #require(PairingCode("BCDFGHJK"))
        let paired = try await store.pairings.redeem(code, poll: nil, session: "s", userAgent: "", now: 299)
        #expect(paired?.key.id == 3 && paired?.key.name == "phone")
        known = try await store.keys.snapshot(of: day, last: known)
        #expect(known.keys.count == 3 && known.sessions.count == 2)
        #expect(try await !store.jobs.ran("actions", on: "2026-11-28"))
        try await store.jobs.keepRun("actions", on: "2026-11-28", at: 5)
        try await store.jobs.keepRun("actions", on: "2026-11-28", at: 6)
        #expect(try await store.jobs.ran("actions", on: "2026-11-28"))
        let answers = AnswerRoom(store, lease: .milliseconds(1))
        #expect(try await answers.stopRequests(to: WorkerName("a")) == ["r1"])
        let stored = try await answers.page(running: false, session: nil, after: nil, limit: 9).items
        #expect(stored.map(\.id) == ["r5", "r2", "r1"] && stored.map(\.state) == [.done, .interrupted, .answering])
        #expect(stored.map(\.session) == ["s2", "s2", "s1"] && stored[0].createdAt == "2026-01-01 00:00:00")
        #expect(try await answers.find("r5")?.text == "whole")
        #expect(try await answers.latestBranch(of: "s2").map(\.content) == ["q", "half"])
        let draft = ChatRunDraft(
            id: "r", session: "s2", parent: .keep, question: "q", model: "m", request: "{}", key: nil)
        _ = try await answers.begin(draft, title: "t", as: WorkerName()) { _ in true }
        let number = try await store.rows("SELECT number FROM gateway_chat_runs WHERE id = 'r'", [])
        #expect(number.first?.integer(0) == 9)
        #expect(
            try await store.summaries.reaching(furthestIn: [1], of: "s1")
                == ChatSummary(message: 1, text: "of 1", notes: [4, 9], model: "m"))
        #expect(try await store.summaries.foreignSummary(of: "s1") == nil)
        #expect(try await store.summaries.foreignSummary(of: "s2") == "of 2")
        let pending = try #require(try await store.summaries.next())
        #expect(pending.session == "s3" && pending.message == 3 && pending.attempts == 2 && pending.dueAt == 77)
        #expect(try await store.sessions.find("s3")?.compressionError == "away")
        try await store.summaries.fail(pending, "gone", retryAt: nil)
        #expect(try await store.sessions.find("s3")?.compressionState == "hybrid")
        #expect(try await store.sessions.delete("s2"))
        #expect(try await answers.find("r5") == nil)
        #expect(try await store.books.all().isEmpty)
        #expect(try await store.books.fileBytes() == 0)
    }
}
