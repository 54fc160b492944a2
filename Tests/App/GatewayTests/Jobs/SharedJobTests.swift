import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import JobRoom
import Logging
import PostgresStorage
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

@testable import Jobs

/// Jobs of gateways whose notes are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedJobTests {
    /// The number of notes.
    private static let notes = 240

    /// Fills a database and runs gateways on it.
    private func with(
        _ server: PostgresServer,
        _ body: (_ settings: [String: String], _ options: FakeOllama.Options) async throws -> Void
    ) async throws {
        let uri = try await server.migrated()
        let store = PostgresStore(try PostgresAddress(uri), logger: Logger(label: "test"))
        defer { store.close() }
        _ = try await store.notes.insert(
            (0..<Self.notes).map { NoteDraft(title: "note \($0 % 7)", content: "tide \($0)", externalID: "\($0)") })
        var options = FakeOllama.Options()
        // Each batch of 32 notes takes so many seconds. The tests' pgvector may be unable to compare longer vectors.
        (options.latency, options.dimensions) = (0.3, 8)
        try await body(["store": uri], options)
    }

    private func job(_ reply: LiveGateway.Reply) throws -> Job {
        try JSONDecoder().decode(Job.self, from: reply.data)
    }

    private func wait(_ gateway: LiveGateway, _ id: Int64, _ condition: (Job) -> Bool) async throws -> Job {
        var now: Job?
        try await waitUntil(within: .seconds(60)) {
            now = try job(try await gateway.request("GET", "/api/jobs/\(id)"))
            return now.map(condition) ?? false
        }
        return try #require(now)
    }

    @Test(.slow) func `a backfill that two gateways begin at once runs once, and both follow it to its end`()
        async throws
    {
        try await with(try #require(await PostgresServer.shared())) { settings, options in
            try await LiveGateway.with(options, settings: settings) { first in
                try await LiveGateway.with(options, settings: settings) { second in
                    async let one = first.request("POST", "/api/jobs/backfill")
                    async let two = second.request("POST", "/api/jobs/backfill")
                    let (a, b) = try await (one, two)
                    #expect(Set([a.status, b.status]) == [200, 202])
                    let id = try job(a).id
                    #expect(try job(b).id == id)
                    for gateway in [first, second] {
                        let events = try await gateway.request("GET", "/api/jobs/\(id)/events")
                        let last = try #require(events.text.split(separator: "\n").last { $0.hasPrefix("data: ") })
                        let job = try JSONDecoder().decode(Job.self, from: Data(last.dropFirst(6).utf8))
                        #expect(job.state == .done && job.done == Self.notes, "\(job)")
                        let list = try await gateway.request("GET", "/api/jobs")
                        #expect(try JSONDecoder().decode(JobList.self, from: list.data).jobs.map(\.id) == [id])
                        // The file's own table stays empty.
                        #expect(try await gateway.database.jobs.list(limit: 9).isEmpty)
                    }
                    // One of them worked: a probe, and each note once.
                    let sent = [first, second].map { $0.fake.statistics.embedBatches.reduce(0, +) }
                    #expect(sent.sorted() == [0, Self.notes + 1], "\(sent)")
                }
            }
        }
    }

    @Test(.slow) func `a job is cancelled at another gateway, which resumes it`() async throws {
        try await with(try #require(await PostgresServer.shared())) { settings, options in
            try await LiveGateway.with(options, settings: settings) { first in
                try await LiveGateway.with(options, settings: settings) { second in
                    let id = try job(try await first.request("POST", "/api/jobs/backfill")).id
                    _ = try await wait(second, id) { $0.done >= 32 }
                    let cancelled = try job(try await second.request("DELETE", "/api/jobs/\(id)"))
                    #expect(cancelled.state == .cancelled && cancelled.done >= 32, "\(cancelled)")
                    #expect(try job(try await first.request("GET", "/api/jobs/\(id)")) == cancelled)
                    let resumed = try await second.request("POST", "/api/jobs/\(id)/resume")
                    #expect(resumed.status == 202, "\(resumed.text)")
                    #expect(try await first.request("POST", "/api/jobs/\(id)/resume").code == "conflict")
                    let done = try await wait(first, id) { $0.state.isFinal }
                    #expect(done.state == .done && done.done == Self.notes, "\(done)")
                    // The first gateway stopped: it did less than all.
                    let sent = first.fake.statistics.embedBatches.reduce(0, +)
                    #expect((33..<Self.notes).contains(sent), "\(sent)")
                }
            }
        }
    }

    @Test(.slow) func `a job of a gateway that was killed is interrupted, and another one goes on with it`()
        async throws
    {
        try await with(try #require(await PostgresServer.shared())) { settings, options in
            try await LiveGateway.with(options, settings: settings) { gateway in
                var id: Int64 = 0
                let environment = [
                    "OLLAMA_HOST": gateway.fake.baseURL, "SELENE_BACKFILL": "off",
                    "SELENE_STORE": settings["store"] ?? "",
                ]
                try await ServeProcess.with(environment) { server in
                    id = try job(try await server.request("POST", "/api/jobs/backfill")).id
                    _ = try await wait(gateway, id) { $0.done >= 32 }
                    try await server.end(SIGKILL)
                }
                let dead = try job(try await gateway.request("GET", "/api/jobs/\(id)"))
                #if os(Linux)
                #expect(dead.state == .interrupted, "\(dead)")
                #endif
                _ = try await wait(gateway, id) { $0.state == .interrupted }
                #expect(try await gateway.request("POST", "/api/jobs/\(id)/resume").status == 202)
                // Notes that the dead process leased are free after a minute.
                let going = try await wait(gateway, id) { $0.done >= Self.notes - 96 }
                #expect(going.state == .running || going.state == .done, "\(going)")
                _ = try await gateway.request("DELETE", "/api/jobs/\(id)")
            }
        }
    }

    @Test(.slow) func `a job outlasts a server that is away, and routes say 503 meanwhile`() async throws {
        // Commits must survive the end of the server.
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit=on"]))
        defer { server.stop() }
        try await with(server) { settings, options in
            try await LiveGateway.with(options, settings: settings) { gateway in
                let id = try job(try await gateway.request("POST", "/api/jobs/backfill")).id
                _ = try await wait(gateway, id) { $0.done >= 32 }
                async let events = gateway.request("GET", "/api/jobs/\(id)/events")
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await server.command("stop") == "ok")
                for (method, path) in [
                    ("GET", "/api/jobs"), ("GET", "/api/jobs/\(id)"), ("POST", "/api/jobs/backfill"),
                    ("DELETE", "/api/jobs/\(id)"), ("POST", "/api/jobs/\(id)/resume"),
                    ("GET", "/api/jobs/\(id)/events"),
                ] {
                    let reply = try await gateway.request(method, path)
                    #expect(reply.status == 503 && reply.code == "storage_failed", "\(method) \(path) \(reply.text)")
                    #expect(reply.head["Retry-After"] != nil)
                }
                try await Task.sleep(for: .seconds(2))
                #expect(try await server.command("start") == "ok")
                try await waitUntil { try await gateway.request("GET", "/api/jobs").status == 200 }
                let done = try await wait(gateway, id) { $0.state.isFinal }
                #expect(done.state == .done && done.done == Self.notes, "\(done)")
                #expect(done.message == "\(Self.notes) notes embedded with nomic-embed-text", "\(done)")
                // A reader from before waited, too.
                #expect(try await events.text.contains(#""state":"done""#))
                #expect(try await server.command("restart") == "ok")
                try await waitUntil { try await gateway.request("GET", "/api/jobs").status == 200 }
                let next = try await gateway.request("POST", "/api/jobs/backfill")
                #expect(next.status == 202, "\(next.text)")
            }
        }
    }

    @Test(.slow) func `a running job keeps its lease, and one whose gateway is cut off goes on at another`()
        async throws
    {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let uri = try await server.migrated()
        let stores = try [PostgresServer.uri(uri, port: proxy.port), uri].map {
            PostgresStore(try PostgresAddress($0), logger: Logger(label: "test"))
        }
        defer { for store in stores { store.close() } }
        let (lease, stops) = (Duration.seconds(3), Locked(0))
        let runners = stores.map { store in
            JobRunner(
                jobs: JobRoom(store, lease: lease),
                work: [
                    .backfill: { _, _ in
                        defer { stops.change { $0 += 1 } }
                        try await Task.sleep(for: .seconds(600))
                        return nil
                    }
                ], describe: { "\($0)" }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let id = try await runners[0].begin(.backfill, "{}", key: nil).job.id
        let end = ContinuousClock.now + lease * 2
        while ContinuousClock.now < end {
            #expect(try await runners[1].jobs.find(id).job.state == .running)
            try await Task.sleep(for: .milliseconds(100))
        }
        proxy.refuse(true)
        proxy.cutAll()
        try await waitUntil { try await runners[1].jobs.find(id).job.state == .interrupted }
        #expect(try await runners[1].jobs.find(id).job.message == JobRoom.leaseEnded)
        #expect(try await runners[1].resume(id).job.state == .running)
        // The first gateway works on until it hears that the job is no longer its own.
        #expect(stops.value == 0)
        proxy.refuse(false)
        try await waitUntil { stops.value == 1 }
        #expect(try await runners[1].jobs.find(id).job.state == .running)
        #expect(try await runners[1].cancel(id).job.state == .cancelled)
        try await waitUntil { stops.value == 2 }
    }
}
