import Foundation
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
        let begun = try await database.beginJob(kind: "backfill", parameters: "{}", as: worker).job
        #expect(try await database.updateJob(begun.id, JobProgress(done: 64, total: 200, message: "waits"), as: worker))
        let end = JobProgress(done: 198, total: 200, failed: 2)
        let ended = try await database.endJob(begun.id, "done", progress: end, message: "198 notes", as: worker)
        #expect(ended.state == "done" && ended.message == "198 notes")
        #expect(ended.done == 198 && ended.total == 200 && ended.failed == 2)
        // One statement: nobody saw the figures without the end, or the end without the figures.
        #expect(ended.revision == begun.revision + 2)
        #expect(try await !database.updateJob(begun.id, JobProgress(done: 64, total: 200), as: worker))
        let again = try await database.endJob(begun.id, "interrupted", progress: JobProgress(done: 0, total: 0))
        #expect(again == ended)
        #expect(try await database.job(begun.id) == ended)
    }

    @Test func `without final figures those of the row stay`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let begun = try await database.beginJob(kind: "backfill", parameters: "{}", as: worker).job
        _ = try await database.updateJob(
            begun.id, JobProgress(done: 5, total: 9, failed: 1, message: "Ollama is away"), as: worker)
        let ended = try await database.endJob(begun.id, "cancelled")
        #expect(ended.done == 5 && ended.total == 9 && ended.failed == 1 && ended.message == "Ollama is away")
    }
}
