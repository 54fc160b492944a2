import GatewayAPI
import JobRoom
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Leases of jobs, and servers that go away.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresJobTests {
    /// How many seconds of a job's lease are left.
    private func rest(_ id: Int64, _ store: PostgresStore) async throws -> Double {
        let rows = try await store.rows(
            "SELECT lease / 1000.0::float8 - extract(epoch FROM clock_timestamp())::float8 FROM gateway_jobs WHERE id = $1",
            [SQLValue.integer(id)])
        return rows.first?.real(0) ?? 0
    }

    private func setRest(_ id: Int64, _ seconds: Double, _ store: PostgresStore) async throws {
        try await store.write {
            try await $0.run(
                "UPDATE gateway_jobs SET lease = 1000 * ($2 + extract(epoch FROM clock_timestamp())) WHERE id = $1",
                [.integer(id), .double(seconds)])
        }
    }

    @Test(.slow, arguments: ["find", "list", "begin", "resume"])
    func `a job whose lease ended is interrupted at any look, and another gateway resumes it`(
        _ look: String
    ) async throws {
        let stage = try await PostgresStage()
        // The server has just started, which counts for as long as a lease of the gateway that looks.
        let others = JobRoom(try PostgresStage.store(stage.uri), lease: .milliseconds(100))
        let jobs = stage.store.jobs
        let holder = WorkerName.elsewhere
        let id = try await jobs.begin(.backfill, as: holder).job.id
        #expect(try await others.find(id).job.state == .running)
        #expect(try await !others.begin(.backfill).isNew)
        try await setRest(id, -1, stage.store)
        switch look {
        case "find": #expect(try await others.find(id).job.message == JobRoom.leaseEnded)
        case "list": #expect(try await others.list(limit: 1).first?.job.state == .interrupted)
        case "begin":
            let begun = try await others.begin(.backfill)
            #expect(begun.isNew)
            try await others.end(begun.job.id, .done)
        default: #expect(try await others.resume(id, as: WorkerName()).job.state == .running)
        }
        #expect(try await !jobs.isHeld(id, as: holder))
        #expect(try await !jobs.update(id, JobProgress(done: 1, total: 2), as: holder))
        if look != "resume" {
            #expect(try await jobs.find(id).job.state == .interrupted)
            #expect(try await others.resume(id, as: WorkerName()).job.state == .running)
        }
    }

    @Test func `a sign of life renews the lease, and a look does not write`() async throws {
        let stage = try await PostgresStage()
        let (jobs, worker) = (stage.store.jobs, WorkerName.elsewhere)
        let id = try await jobs.begin(.backfill, as: worker).job.id
        #expect(try await rest(id, stage.store) > 50)
        try await setRest(id, 40, stage.store)
        #expect(try await jobs.isHeld(id, as: worker))
        #expect(try await rest(id, stage.store) < 41)
        #expect(try await jobs.renew(id, as: worker))
        #expect(try await rest(id, stage.store) > 50)
        try await setRest(id, 40, stage.store)
        #expect(try await jobs.update(id, JobProgress(done: 1, total: 2), as: worker))
        #expect(try await rest(id, stage.store) > 50)
        // Nobody looked between the end of the lease and the sign of life.
        try await setRest(id, -5, stage.store)
        #expect(try await jobs.renew(id, as: worker))
        #expect(try await jobs.find(id).job.state == .running)
        #expect(try await jobs.find(id).job.revision == 2)
    }

    @Test func `of a resumption and new jobs at once, one runs`() async throws {
        let stage = try await PostgresStage()
        let stores = [stage.store.jobs, try PostgresStage.store(stage.uri).jobs]
        let old = try await stores[0].begin(.backfill).job.id
        try await stores[0].end(old, .failed)
        for round in 0..<5 {
            let started = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let jobs = stores[number % 2]
                        if number < 4 {
                            if try await jobs.begin(.backfill).isNew { started.change { $0 += 1 } }
                        } else {
                            do {
                                _ = try await jobs.resume(old, as: WorkerName())
                                started.change { $0 += 1 }
                            } catch let error as StorageError where error.code == .conflict {}
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(started.value == 1, "round \(round)")
            for job in try await stores[1].list(limit: 100) where job.job.state == .running {
                try await stores[1].end(job.id, .failed)
            }
        }
    }

    @Test(.slow, arguments: ["INSERT INTO gateway_jobs", "COMMIT"], [true, false])
    func `a job whose beginning breaks off is begun once`(_ text: String, _ passesOn: Bool) async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let stage = try await PostgresStage(through: proxy.port)
        try await stage.store.prepare()
        proxy.cut(at: .init(text, passesOn: passesOn))
        #expect(try await stage.store.jobs.begin(.backfill).isNew)
        #expect(proxy.cuts == 1)
        #expect(try await stage.store.jobs.list(limit: 9).map(\.job.state) == [.running])
    }

    @Test(.slow) func `a lease does not end while the server is away`() async throws {
        // The row must survive the end of the server.
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit=on"]))
        defer { server.stop() }
        let store = try PostgresStage.store(server.uri) { $0.pauses = .milliseconds(20)...(.milliseconds(100)) }
        let (jobs, worker) = (JobRoom(store, lease: .seconds(4)), WorkerName.elsewhere)
        let id = try await jobs.begin(.backfill, as: worker).job.id
        #expect(try await server.command("stop") == "ok")
        await #expect { _ = try await jobs.isHeld(id, as: worker) } throws: {
            ($0 as? PostgresError)?.isTransient == true
        }
        try await Task.sleep(for: .seconds(4))
        #expect(try await server.command("start") == "ok")
        var state: Job.State?
        try await waitUntil {
            state = try? await jobs.find(id).job.state
            return state != nil
        }
        #expect(state == .running)
        // The holder does not return.
        try await waitUntil { try await jobs.find(id).job.state == .interrupted }
    }
}
