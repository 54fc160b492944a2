import GatewayAPI
import GatewayTestSupport
import JobRoom
import Logging
import Machine
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Jobs

/// Records of jobs that are away while a job runs.
@Suite(.serialized) struct JobOutageTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The store of a file, which a test takes away.
    private final class Store: SQLStore {
        struct Away: TransientError { let isTransient = true }

        let base: GatewayDatabase
        private let isAway = Atomic(false)
        private let refusals = Atomic(0)

        init(_ base: GatewayDatabase) { self.base = base }

        var dialect: SQLDialect { base.dialect }
        var refused: Int { refusals.load(ordering: .relaxed) }

        func takeAway(_ away: Bool) { isAway.store(away, ordering: .sequentiallyConsistent) }

        private func check() throws {
            guard isAway.load(ordering: .sequentiallyConsistent) else { return }
            refusals.add(1, ordering: .relaxed)
            throw Away()
        }

        func commitMark() async throws -> String {
            try check()
            return try await base.commitMark()
        }

        func snapshot<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLSession) throws -> Value
        ) async throws -> Value {
            try check()
            return try await base.snapshot(body)
        }

        func transaction<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLSession) throws -> Value
        ) async throws -> Value {
            try check()
            return try await base.transaction(body)
        }

        func relaxedTransaction<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLSession) throws -> Value
        ) async throws -> Value {
            try check()
            return try await base.relaxedTransaction(body)
        }
    }

    @Test(.slow) func `work goes on while the records are away, and its progress and end are written afterwards`()
        async throws
    {
        let home = try SeleneHome()
        let records = Store(try GatewayDatabase(path: home.database))
        let mayEnd = Atomic(false)
        let runner = JobRunner(
            jobs: records.jobs,
            work: [
                .backfill: { _, report in
                    records.takeAway(true)
                    report(JobProgress(done: 5, total: 10))
                    try await waitUntil { records.refused >= 2 }
                    records.takeAway(false)
                    while !mayEnd.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(2)) }
                    records.takeAway(true)
                    return "went on"
                }
            ], describe: { "\($0)" }, logger: Self.logger)
        let id = try await runner.begin(.backfill, "{}", key: nil).job.id
        // The report that could not be written is not lost.
        try await waitUntil { try await records.base.jobs.find(id).job.done == 5 }
        let before = records.refused
        mayEnd.store(true, ordering: .releasing)
        try await waitUntil { records.refused >= before + 2 }
        #expect(try await records.base.jobs.find(id).job.state == .running)
        records.takeAway(false)
        try await waitUntil { try await records.base.jobs.find(id).job.state.isFinal }
        let job = try await records.base.jobs.find(id).job
        #expect(job.state == .done && job.message == "went on" && job.done == 5, "\(job)")
    }

    @Test(.slow) func `a job that was ended while the records were away stops when they return`() async throws {
        let home = try SeleneHome()
        let records = Store(try GatewayDatabase(path: home.database))
        let stopped = Locked(false)
        let runner = JobRunner(
            jobs: records.jobs,
            work: [
                .backfill: { _, _ in
                    defer { stopped.change { $0 = true } }
                    try await Task.sleep(for: .seconds(600))
                    return nil
                }
            ], describe: { "\($0)" }, logger: Self.logger)
        let id = try await runner.begin(.backfill, "{}", key: nil).job.id
        records.takeAway(true)
        try await records.base.jobs.end(id, .interrupted, message: "its lease ended")
        try await waitUntil { records.refused >= 2 }
        #expect(!stopped.value)
        records.takeAway(false)
        try await waitUntil { stopped.value }
        #expect(try await records.base.jobs.find(id).job.message == "its lease ended")
        #expect(try await runner.resume(id).job.state == .running)
        _ = try await runner.cancel(id)
    }
}
