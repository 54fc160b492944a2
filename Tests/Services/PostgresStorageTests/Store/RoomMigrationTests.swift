import GRDB
import GatewayAPI
import JobRoom
import Machine
import PromptRoom
import TestSupport
import Testing

@testable import PostgresStorage
@testable import Storage

/// Databases of the version before the rooms.
@Suite(.serialized) struct RoomMigrationTests {
    @Test func `the jobs of a file go on, and a worker of its version keeps what it holds`() async throws {
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
        }
        try queue.close()
        let store: any SQLStore = try GatewayDatabase(path: path)
        let jobs = try await store.jobs.list(limit: 9)
        #expect(jobs.map(\.job.state) == [.running, .running, .interrupted])
        #expect(jobs.map(\.parameters) == Array(repeating: #"{"a":1}"#, count: 3))
        #expect(jobs[2].job.message == JobRoom.processEnded && jobs[2].job.done == 3)
        #expect(try await store.jobs.isHeld(3, as: elsewhere))
        #expect(try await store.jobs.update(3, JobProgress(done: 4, total: 9), as: elsewhere))
        #expect(try await store.prompts.all().map(\.document) == ["d"])
    }

    @Test(.enabled("needs a PostgreSQL server") { await PostgresServer.isPossible }, arguments: [false, true])
    func `the jobs, prompts and benchmarks of a server stay, also after a migration that broke off`(
        _ breaksOff: Bool
    ) async throws {
        let stage = try await PostgresStage()
        let count = PostgresSchema.steps.count
        try await stage.store.pool.write { connection in
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
                """)
        }
        if breaksOff {
            // The second step of the rooms meets a table of the name that it would give.
            try await stage.store.pool.write { try await $0.script("CREATE TABLE selene.gateway_bench_runs (id int)") }
            await #expect(throws: PostgresError.self) { try await stage.store.prepare() }
            try await stage.store.pool.write { try await $0.script("DROP TABLE selene.gateway_bench_runs") }
        }
        let store: any SQLStore = stage.store
        let jobs = JobRoom(store, lease: .milliseconds(1))
        #expect(try await jobs.list(limit: 9).map(\.job.state) == [.done, .interrupted, .running])
        #expect(try await jobs.begin(kind: .evaluation, parameters: "{}", as: WorkerName()).job.id == 4)
        #expect(try await store.prompts.versions(of: "p").map(\.createdAt) == ["2026-01-01 00:00:00"])
        let runs = try await store.benches.all()
        #expect(runs.map(\.createdAt) == ["2026-01-01 00:00:00"] && runs.map(\.name) == ["b"])
        #expect(try await store.benches.find(runs[0].id).report == .object(["x": .integer(1)]))
        #expect(try await !store.jobs.ran("actions", on: "2026-11-28"))
        try await store.jobs.keepRun("actions", on: "2026-11-28", at: 5)
        try await store.jobs.keepRun("actions", on: "2026-11-28", at: 6)
        #expect(try await store.jobs.ran("actions", on: "2026-11-28"))
    }
}
