import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import JobRoom
import Logging
import NIOCore
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import Jobs
@testable import LLM
@testable import Search
@testable import Server

/// The figures of a job that ended, whatever became of the progress before.
@Suite(.serialized) struct JobFigures {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func ended(_ database: GatewayDatabase, _ id: Int64) async throws -> Job {
        try await waitUntil { try await database.jobs.find(id).job.finishedAt != nil }
        return try await database.jobs.find(id).job
    }

    /// The writing of the last progress is cancelled halfway when the work ends: it waits for a lock that another process
    /// holds.
    @Test(.slow) func `a job whose last progress could not be written before its end has it in its end`() async throws {
        let home = try SeleneHome()
        let database = try GatewayDatabase(path: home.database)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: home.database, configuration: configuration)
        let runner = JobRunner(
            jobs: database.jobs,
            work: [
                .backfill: { job, report in
                    report(JobProgress(done: 64, total: 200))
                    try await waitUntil { try await database.jobs.find(job.id).job.done >= 64 }
                    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
                    report(JobProgress(done: 200, total: 200, failed: 3))
                    // The next round of writing takes the progress and waits for the lock.
                    try await Task.sleep(for: JobRunner.lookInterval + .milliseconds(300))
                    Task {
                        try await Task.sleep(for: .milliseconds(200))
                        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
                    }
                    return "all done"
                }
            ], describe: { "\($0)" }, logger: Self.logger)
        let begun = try await runner.begin(.backfill, "{}", key: nil)
        let job = try await ended(database, begun.job.id)
        #expect(job.state == .done && job.message == "all done", "\(job)")
        #expect(job.done == 200 && job.total == 200 && job.failed == 3, "\(job)")
    }

    @Test(.slow) func `a cancelled run that is slow to stop does not write into the one that goes on`() async throws {
        let home = try SeleneHome()
        let database = try GatewayDatabase(path: home.database)
        let runs = Atomic(0)
        let hasStopped = Atomic(false)
        let runner = JobRunner(
            jobs: database.jobs,
            work: [
                .backfill: { _, report in
                    guard runs.add(1, ordering: .relaxed).newValue == 1 else {
                        let isAlone = hasStopped.load(ordering: .acquiring)
                        #expect(isAlone)
                        report(JobProgress(done: 10, total: 10))
                        return "went on"
                    }
                    report(JobProgress(done: 4, total: 10))
                    while !Task.isCancelled { await Task.yield() }
                    // Cancelled, and still busy with a batch that reports when it is stored.
                    await Task { try? await Task.sleep(for: .milliseconds(700)) }.value
                    report(JobProgress(done: 5, total: 10))
                    hasStopped.store(true, ordering: .releasing)
                    throw CancellationError()
                }
            ], describe: { "\($0)" }, logger: Self.logger)
        let begun = try await runner.begin(.backfill, "{}", key: nil).job
        while runs.load(ordering: .relaxed) == 0 { await Task.yield() }
        try await waitUntil { try await database.jobs.find(begun.id).job.done >= 4 }
        let cancelled = try await runner.cancel(begun.id).job
        #expect(cancelled.state == .cancelled && cancelled.done == 4)
        _ = try await runner.resume(begun.id)
        let job = try await ended(database, begun.id)
        #expect(job.state == .done && job.done == 10 && job.message == "went on", "\(job)")
    }
}
