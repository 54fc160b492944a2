import Foundation
import GRDB
import GatewayAPI
import Storage
import Testing

/// What the row of a job says at its end.
@Suite struct JobRows {
    @Test func `the end of a job writes its figures at once, and progress that comes later changes nothing`()
        async throws
    {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let begun = try await database.jobs.begin(kind: .backfill, parameters: "{}", as: worker).job.job
        #expect(
            try await database.jobs.update(begun.id, JobProgress(done: 64, total: 200, message: "waits"), as: worker))
        let end = JobProgress(done: 198, total: 200, failed: 2)
        let ended = try await database.jobs.end(begun.id, .done, progress: end, message: "198 notes", as: worker).job
        #expect(ended.state == .done && ended.message == "198 notes")
        #expect(ended.done == 198 && ended.total == 200 && ended.failed == 2)
        // One statement: nobody saw the figures without the end, or the end without the figures.
        #expect(ended.revision == begun.revision + 2)
        #expect(try await !database.jobs.update(begun.id, JobProgress(done: 64, total: 200), as: worker))
        let again = try await database.jobs.end(begun.id, .interrupted, progress: JobProgress(done: 0, total: 0))
        #expect(again.job == ended)
        #expect(try await database.jobs.find(begun.id).job == ended)
    }

    @Test func `without final figures those of the row stay`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let begun = try await database.jobs.begin(kind: .backfill, parameters: "{}", as: worker).job.job
        _ = try await database.jobs.update(
            begun.id, JobProgress(done: 5, total: 9, failed: 1, message: "Ollama is away"), as: worker)
        let ended = try await database.jobs.end(begun.id, .cancelled).job
        #expect(ended.done == 5 && ended.total == 9 && ended.failed == 1 && ended.message == "Ollama is away")
    }

    @Test func `a job of a kind that only another version knows is not listed, and can be ended`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let known = try await database.jobs.begin(kind: .associations, parameters: "{}", as: WorkerName()).job.id
        let other = try DatabaseQueue(path: file.path)
        try await other.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_jobs (id, kind, state, parameters, created_at)
                    VALUES (77, 'digest', 'running', '{}', '2026-01-01 00:00:00')
                    """)
        }
        #expect(try await database.jobs.list(limit: 9).map(\.id) == [known])
        for call in [{ try await database.jobs.find(77) }, { try await database.jobs.end(77, .cancelled) }]
            as [@Sendable () async throws -> StoredJob]
        {
            let error = await #expect(throws: StorageError.self) { _ = try await call() }
            #expect(error?.code == .notFound)
        }
        let state = try await other.read { database in
            try String.fetchOne(database, sql: "SELECT state FROM gateway_jobs WHERE id = 77")
        }
        #expect(state == "cancelled")
    }
}
