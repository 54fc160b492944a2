import FakeOllama
import Foundation
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Several synthetic Ollamas behind one pool.
@Suite(.serialized) struct EndpointPools {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func with(
        _ models: [[String]], _ base: FakeOllama.Options = .init(),
        _ body: ([FakeOllama], EndpointPool) async throws -> Void
    ) async throws {
        var fakes: [FakeOllama] = []
        for list in models {
            var options = base
            options.generateModels = list
            options.thinkingModels = []
            options.embedModels = []
            fakes.append(try await FakeOllama.start(options))
        }
        let pool = try EndpointPool(try configurations(fakes), logger: logger)
        do { try await body(fakes, pool) } catch {
            Issue.record(error)
        }
        await pool.shutdown(within: .zero)
        for fake in fakes { await fake.shutdown() }
    }

    static func configurations(_ fakes: [FakeOllama]) throws -> [EndpointConfiguration] {
        try fakes.enumerated().map { index, fake in
            EndpointConfiguration(
                name: ["a", "b", "c", "d"][index], upstream: try UpstreamConfiguration(host: fake.baseURL))
        }
    }

    func generate(_ model: String, _ pool: EndpointPool) async throws -> Int {
        let request = UpstreamRequest(
            method: "POST", path: "/api/generate", headers: [("Content-Type", "application/json")],
            body: ByteBuffer(string: #"{"model":"\#(model)","prompt":"x","stream":false}"#))
        let response = try await pool.send(request, model: model)
        _ = try await response.body.collect(upTo: 1 << 20)
        return response.status
    }

    func expect(_ status: Int, _ model: String, _ pool: EndpointPool) async throws {
        let answered = try await generate(model, pool)
        #expect(answered == status)
    }

    func served(_ fakes: [FakeOllama]) -> [Int] { fakes.map { $0.statistics.requests["/api/generate", default: 0] } }

    @Test func `a request goes where its model is, and stays where that is loaded`() async throws {
        try await Self.with([["x"], ["y"], ["x", "y"]]) { fakes, pool in
            await pool.probe()
            for _ in 0..<4 { try await expect(200, "y", pool) }
            #expect(served(fakes)[0] == 0)
            await pool.probe()
            for fake in fakes { fake.reset() }
            for _ in 0..<4 { try await expect(200, "y:latest", pool) }
            #expect(served(fakes).filter { $0 > 0 }.count <= 2)
            #expect(fakes.reduce(0) { $0 + $1.statistics.loads } == 0)
            try await expect(404, "z", pool)
        }
    }

    @Test func `before any probe a model is found all the same`() async throws {
        try await Self.with([["x"], ["y"], ["z"]]) { _, pool in
            for model in ["z", "y", "x", "z"] { try await expect(200, model, pool) }
        }
    }

    @Test(.slow) func `one that fails before it answers is passed over, and comes back`() async throws {
        try await Self.with([["x"], ["x"]]) { fakes, pool in
            await pool.probe()
            for fault in ["drop", "status=500", "status=503"] {
                fakes[0].setFaults([fault + "@/api/generate"])
                for _ in 0..<4 { try await expect(200, "x", pool) }
            }
            #expect(pool.endpoints[0].status.isHealthy == false)
            fakes[0].setFaults([])
            // After its pause it gets a trial and is in order again.
            let deadline = ContinuousClock.now + .seconds(10)
            while !pool.endpoints[0].status.isHealthy, ContinuousClock.now < deadline {
                try await expect(200, "x", pool)
                await pool.probe()
            }
            #expect(pool.endpoints[0].status.isHealthy)
            // When all fail, what they say is told.
            for fake in fakes { fake.setFaults(["status=500"]) }
            try await expect(500, "x", pool)
        }
    }

    @Test func `endpoints that are gone are noticed by probes, and one alone is always tried`() async throws {
        try await Self.with([["x"], ["x"]]) { fakes, pool in
            await pool.probe()
            await fakes[0].shutdown()
            await pool.probe()
            await pool.probe()
            #expect(pool.endpoints.map(\.status.isHealthy) == [false, true])
            #expect(pool.endpoints[0].status.reason?.isEmpty == false)
            for _ in 0..<3 { try await expect(200, "x", pool) }
            try pool.replace(with: [pool.endpoints[0].configuration])
            for _ in 0..<6 {
                await #expect(throws: UpstreamError.self) { try await self.generate("x", pool) }
            }
            #expect(pool.take() != nil)
        }
    }

    @Test(.slow) func `requests of an endpoint that was removed end, and those that stay keep what is known`()
        async throws
    {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        try await Self.with([["x"], ["x"]], options) { fakes, pool in
            await pool.probe()
            let first = pool.endpoints[0]
            let body = #"{"model":"x","prompt":"x","options":{"num_predict":20}}"#
            let use = pool.take(first)
            let response = try await first.send(
                UpstreamRequest(method: "POST", path: "/api/generate", body: ByteBuffer(string: body)), as: use)
            let kept = pool.endpoints[1]
            try pool.replace(with: [kept.configuration])
            #expect(pool.endpoints.count == 1 && pool.endpoints[0] === kept)
            #expect(kept.status.models == ["x:latest"])
            #expect(pool.inFlight == 1)
            let whole = try await response.body.collect(upTo: 1 << 20)
            #expect(String(buffer: whole).contains(#""done":true"#))
            #expect(fakes[0].statistics.cancelled == 0)
            #expect(throws: UpstreamError.self) { try pool.replace(with: []) }
            let twice = [kept.configuration, kept.configuration]
            #expect(throws: UpstreamError.self) { try pool.replace(with: twice) }
            #expect(pool.endpoints.count == 1)
        }
    }

    @Test func `load spreads over endpoints, and each request is counted until its body is dropped`() async throws {
        try await Self.with([["x"], ["x"], ["x"]]) { _, pool in
            await pool.probe()
            var uses = (0..<30).compactMap { _ in pool.take(model: "x") }
            #expect(pool.endpoints.map(\.status.inFlight) == [10, 10, 10])
            uses[0].end()
            uses[0].end()
            uses = []
            #expect(pool.endpoints.map(\.status.inFlight) == [0, 0, 0])
        }
    }

    @Test func `an upstream's own key goes with every request`() async throws {
        try await FakeOllama.withServer { fake in
            let configuration = EndpointConfiguration(
                name: "a", upstream: try UpstreamConfiguration(host: fake.baseURL), key: "secret")
            let pool = try EndpointPool([configuration], logger: Self.logger)
            try await expect(200, "llama3.2", pool)
            #expect(fake.statistics.lastHeaders["authorization"] == "Bearer secret")
            await pool.shutdown(within: .zero)
        }
    }

    @Test func `vectors come only from endpoints that have the first one's weights`() async throws {
        var fakes: [FakeOllama] = []
        for digest in ["sha256:aa", "sha256:bb", "sha256:aa"] {
            var options = FakeOllama.Options()
            options.digest = digest
            fakes.append(try await FakeOllama.start(options))
        }
        let pool = try EndpointPool(try Self.configurations(fakes), logger: Self.logger)
        let upstream = OllamaUpstream(pool: pool)
        for _ in 0..<9 { _ = try await upstream.embed(model: "nomic-embed-text", inputs: ["x"]) }
        for index in [0, 2] { fakes[index].setFaults(["drop@/api/embed"]) }
        await #expect(throws: UpstreamError.self) {
            try await upstream.embed(model: "nomic-embed-text", inputs: ["x"])
        }
        #expect(fakes[1].statistics.requests["/api/embed"] == nil)
        #expect(try await upstream.digest(of: "nomic-embed-text") == "sha256:aa")
        #expect(try await upstream.models().count == 5)
        await pool.shutdown(within: .zero)
        for fake in fakes { await fake.shutdown() }
    }

    @Test func `a load is shared, and nobody who leaves ends it`() async throws {
        var options = FakeOllama.Options()
        options.loadTime = 0.5
        try await Self.with([["x"], ["y"]], options) { fakes, pool in
            await pool.probe()
            let shield = LoadShield()
            let load = UpstreamRequest(
                method: "POST", path: "/api/generate", body: ByteBuffer(string: #"{"model":"x","stream":false}"#))
            let endpoint = pool.endpoints[0]
            let tasks = (0..<20).map { _ in Task { await shield.load("x", at: endpoint, by: load) } }
            #expect(await fakes[0].waitUntil { $0.loading == 1 })
            for task in tasks.dropLast() { task.cancel() }
            for task in tasks.dropLast() { await task.value }
            #expect(fakes[0].statistics.loading == 1)
            await tasks[19].value
            #expect(fakes[0].statistics.loads == 1)
            #expect(fakes[0].statistics.abortedLoads == 0)
            #expect(shield.loads == 1)
            await shield.load("x", at: endpoint, by: load)
            #expect(shield.loads == 1)
            // A model that is not there is not asked for.
            await shield.load("none", at: endpoint, by: load)
            #expect(shield.loads == 1)
            #expect(fakes[0].statistics.requests["/api/generate"] == 1)
        }
    }
}
