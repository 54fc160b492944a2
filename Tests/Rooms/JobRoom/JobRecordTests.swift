import GatewayAPI
import JobRoom
import Machine
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// What the records of jobs promise, in the SQLite file and in PostgreSQL.
@Suite(.serialized) struct JobRecordTests {
    private func refuses(
        _ code: StorageError.Code, _ call: () async throws -> Void, _ place: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: place) { try await call() } throws: { ($0 as? StorageError)?.code == code }
    }

    @Test(arguments: NotesPlace.allCases)
    func `the end of a job writes its figures at once, and progress that comes later changes nothing`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let (jobs, worker) = (stage.records, WorkerName())
        let begun = try await jobs.begin(.backfill, as: worker).job.job
        #expect(begun.revision == 1 && begun.state == .running && begun.startedAt == begun.createdAt)
        #expect(try await jobs.update(begun.id, JobProgress(done: 64, total: 200, message: "waits"), as: worker))
        #expect(try await stage.others.find(begun.id).job.message == "waits")
        let end = JobProgress(done: 198, total: 200, failed: 2)
        let ended = try await jobs.end(begun.id, .done, progress: end, message: "198 notes", as: worker).job
        #expect(ended.state == .done && ended.message == "198 notes" && ended.finishedAt?.count == 19)
        #expect(ended.done == 198 && ended.total == 200 && ended.failed == 2)
        // One statement: nobody saw the figures without the end, or the end without the figures.
        #expect(ended.revision == begun.revision + 2)
        #expect(try await !jobs.update(begun.id, JobProgress(done: 64, total: 200), as: worker))
        let none = JobProgress(done: 0, total: 0)
        let again = try await jobs.end(begun.id, .interrupted, progress: none, message: nil, as: nil)
        #expect(again.job == ended)
        #expect(try await jobs.find(begun.id).job == ended)
    }

    @Test(arguments: NotesPlace.allCases)
    func `without final figures those of the row stay`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let (jobs, worker) = (stage.records, WorkerName())
        let id = try await jobs.begin(.backfill, as: worker).job.id
        let progress = JobProgress(done: 5, total: 9, failed: 1, message: "Ollama is away")
        _ = try await jobs.update(id, progress, as: worker)
        let ended = try await stage.others.end(id, .cancelled)
        #expect(ended.done == 5 && ended.total == 9 && ended.failed == 1 && ended.message == "Ollama is away")
        // The message of the progress counts where the end has none.
        let second = try await jobs.begin(.backfill, as: worker).job.id
        #expect(
            try await jobs.end(second, .failed, progress: progress, message: nil, as: nil).job.message
                == "Ollama is away")
    }

    @Test(arguments: NotesPlace.allCases)
    func `a job of a kind that only another version knows is not listed, and can be ended`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let jobs = stage.records
        let known = try await jobs.begin(.associations).job.id
        try await stage.insertUnknown(77)
        #expect(try await jobs.list(limit: 9).map(\.id) == [known])
        await refuses(.notFound) { _ = try await jobs.find(77) }
        await refuses(.notFound) { try await jobs.end(77, .cancelled) }
        #expect(try await stage.state(77) == "cancelled")
        await refuses(.notFound) { _ = try await jobs.resume(77, as: WorkerName()) }
        await refuses(.notFound) { _ = try await jobs.find(78) }
        await refuses(.notFound) { _ = try await jobs.resume(78, as: WorkerName()) }
    }

    @Test(arguments: NotesPlace.allCases)
    func `of each kind one job runs, and one import for each book`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let jobs = stage.records
        let first = try await jobs.begin(kind: .backfill, parameters: #"{"limit":1}"#, key: 7, as: WorkerName())
        #expect(first.isNew && first.job.keyID == 7 && first.job.parameters == #"{"limit":1}"#)
        let again = try await stage.others.begin(.backfill, #"{"limit":2}"#)
        #expect(!again.isNew && again.job == first.job)
        let one = try await jobs.begin(.importBook, #"{"book":1}"#)
        let two = try await jobs.begin(.importBook, #"{"book":2}"#)
        #expect(one.isNew && two.isNew && one.job.keyID == nil)
        #expect(try await stage.others.begin(.importBook, #"{"book":1}"#).job == one.job)
        try await jobs.end(first.job.id, .done)
        #expect(try await jobs.begin(.backfill).isNew)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a job that processes begin at once runs once`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        for _ in 0..<3 {
            let begun = try await withThrowingTaskGroup(of: (job: StoredJob, isNew: Bool).self) { group in
                for number in 0..<12 {
                    let jobs = number.isMultiple(of: 2) ? stage.records : stage.others
                    group.addTask { try await jobs.begin(.backfill) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(begun.count { $0.isNew } == 1)
            #expect(Set(begun.map(\.job.id)).count == 1)
            try await stage.others.end(begun[0].job.id, .done)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a job that stopped early is resumed, and no other one`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let (jobs, first, second) = (stage.records, WorkerName(), WorkerName())
        let id = try await jobs.begin(.backfill, as: first).job.id
        await refuses(.conflict) { _ = try await jobs.resume(id, as: second) }
        _ = try await jobs.update(id, JobProgress(done: 3, total: 9), as: first)
        for state in [Job.State.interrupted, .failed, .cancelled] {
            let ended = try await jobs.end(id, state, "stopped")
            let resumed = try await stage.others.resume(id, as: second)
            #expect(resumed.job.state == .running && resumed.job.revision == ended.revision + 1)
            #expect(resumed.job.done == 3 && resumed.job.message == nil && resumed.job.finishedAt == nil)
            #expect(try await jobs.isHeld(id, as: second))
            #expect(try await !jobs.isHeld(id, as: first))
        }
        try await jobs.end(id, .failed)
        let running = try await jobs.begin(.backfill).job.id
        await refuses(.conflict) { _ = try await jobs.resume(id, as: second) }
        try await jobs.end(running, .done)
        await refuses(.conflict) { _ = try await jobs.resume(running, as: second) }
        #expect(try await jobs.resume(id, as: second).job.state == .running)
    }

    @Test(arguments: NotesPlace.allCases)
    func `only the worker that holds a job changes it`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let (jobs, worker) = (stage.records, WorkerName())
        let begun = try await jobs.begin(.backfill, as: worker).job
        let stranger = WorkerName()
        #expect(try await !jobs.isHeld(begun.id, as: stranger))
        #expect(try await !jobs.update(begun.id, JobProgress(done: 1, total: 1), as: stranger))
        #expect(try await jobs.end(begun.id, .done, as: stranger) == begun.job)
        #expect(try await jobs.isHeld(begun.id, as: worker))
        try await jobs.end(begun.id, .done, as: worker)
        #expect(try await !jobs.isHeld(begun.id, as: worker))
        #expect(try await jobs.find(begun.id).job.state == .done)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a job whose process on this machine has ended is interrupted at the next look`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await JobStage(kind) else { return }
        #if !os(Linux)
        // Elsewhere the system does not tell its boots apart.
        guard kind == .file else { return }
        #endif
        let jobs = stage.records
        let id = try await jobs.begin(.backfill, as: .gone).job.id
        let found = try await stage.others.find(id).job
        #expect(found.state == .interrupted && found.message == JobRoom.processEnded && found.revision == 2)
        _ = try await jobs.resume(id, as: .gone)
        #expect(try await stage.others.list(limit: 5).map(\.job.state) == [.interrupted])
        _ = try await jobs.resume(id, as: .gone)
        #expect(try await jobs.begin(.backfill).isNew)
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `the newest jobs are kept, and those that run`(_ kind: NotesPlace) async throws {
        guard let stage = try await JobStage(kind) else { return }
        let jobs = stage.records
        let running = try await jobs.begin(.backfill).job.id
        var last: Int64 = 0
        for _ in 0..<JobRoom.maxJobs + 5 {
            last = try await jobs.begin(.evaluation).job.id
            try await jobs.end(last, .done)
        }
        let kept = try await jobs.list(limit: 500).map(\.id)
        #expect(kept.count == JobRoom.maxJobs + 1 && kept.first == last && kept.last == running)
        #expect(try await jobs.list(limit: 2).map(\.id) == [last, last - 1])
        await refuses(.notFound) { _ = try await jobs.find(running + 1) }
    }
}
