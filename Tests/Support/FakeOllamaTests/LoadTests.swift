import FakeOllama
import Foundation
import TestSupport
import Testing

@Suite struct LoadTests {
    private func with(
        _ change: (inout FakeOllama.Options) -> Void, _ body: (FakeOllama) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        change(&options)
        try await FakeOllama.withServer(options, body)
    }

    private func generate(
        _ fake: FakeOllama, _ model: String = "llama3.2", _ rest: String = ""
    ) throws -> RawClient {
        let connection = try RawClient(port: fake.port)
        let body = #"{"model":"\#(model)","prompt":"x"\#(rest)}"#
        try connection.send(RawClient.request("POST", "/api/generate", body, headers: ["Connection: close"]))
        return connection
    }

    private let end = #""done":true"#

    @Test func `requests for a model share its load`() async throws {
        try await with {
            $0.loadTime = 0.2
        } _: { fake in
            let connections = try (0..<5).map { _ in try generate(fake) }
            for connection in connections { #expect(await connection.read().text.contains(end)) }
            #expect(fake.statistics.loads == 1)
            #expect(fake.statistics.abortedLoads == 0)
            #expect(fake.loadedModels == ["llama3.2:latest"])
        }
    }

    @Test(.slow) func `a load dies with the client that began it, and who waits begins anew`() async throws {
        try await with {
            $0.loadTime = 1
        } _: { fake in
            let first = try generate(fake)
            #expect(await fake.waitUntil { $0.loading == 1 })
            let second = try generate(fake)
            #expect(await fake.waitUntil { $0.queued == 1 })
            first.close()
            #expect(await second.read().text.contains(end))
            #expect(fake.statistics.abortedLoads == 1)
            #expect(fake.statistics.loads == 1)
            #expect(fake.statistics.cancelledIn == ["loading": 1])
        }
    }

    @Test func `another context length reloads the model, the same one does not`() async throws {
        try await with { _ in
        } _: { fake in
            for length in [2048, 2048, 8192, 2048] {
                let connection = try generate(fake, "llama3.2", #","options":{"num_ctx":\#(length)}"#)
                #expect(await connection.read().text.contains(end))
            }
            #expect(fake.statistics.loads == 3)
            #expect(fake.statistics.reloads == 2)
        }
    }

    @Test func `a reload waits for the requests that run`() async throws {
        try await with {
            $0.tokensPerSecond = 20
        } _: { fake in
            let long = try generate(fake, "llama3.2", #","options":{"num_predict":10}"#)
            #expect(await fake.waitUntil { $0.running == 1 })
            let other = try generate(fake, "llama3.2", #","options":{"num_ctx":2048,"num_predict":1}"#)
            #expect(await fake.waitUntil { $0.queued == 1 })
            #expect(fake.statistics.reloads == 0)
            #expect(await long.read().chunks.count == 11)
            #expect(await other.read().text.contains(end))
            #expect(fake.statistics.reloads == 1)
            #expect(fake.statistics.maxRunning == 1)
        }
    }

    @Test func `when memory is full, the model that would leave first leaves`() async throws {
        try await with {
            $0.maxLoaded = 2
        } _: { fake in
            for (model, seconds) in [("llama3.2", 600), ("gemma3:270m", 60), ("qwen3:0.6b", 600)] {
                let connection = try generate(fake, model, #","keep_alive":\#(seconds)"#)
                #expect(await connection.read().text.contains(end))
            }
            #expect(fake.loadedModels == ["llama3.2:latest", "qwen3:0.6b"])
            #expect(fake.statistics.loads == 3)
            #expect(fake.statistics.unloads == 1)
        }
    }

    @Test func `a model answers so many at once, the others wait in order`() async throws {
        try await with {
            $0.numParallel = 2
            $0.tokensPerSecond = 100
            $0.tokens = 5
        } _: { fake in
            let connections = try (0..<8).map { _ in try generate(fake) }
            #expect(await fake.waitUntil { $0.queued == 6 })
            connections[7].close()
            #expect(await fake.waitUntil { $0.cancelledIn == ["queued": 1] })
            for connection in connections.dropLast() { #expect(await connection.read().text.contains(end)) }
            #expect(fake.statistics.maxRunning == 2)
            #expect(await fake.waitUntil { $0.queued == 0 && $0.running == 0 && $0.inFlight == 0 })
        }
    }

    @Test func `the line for a load has an end`() async throws {
        try await with {
            $0.loadTime = 30
            $0.maxQueue = 2
        } _: { fake in
            let first = try generate(fake)
            #expect(await fake.waitUntil { $0.loading == 1 })
            let second = try generate(fake)
            #expect(await fake.waitUntil { $0.queued == 1 })
            let third = try generate(fake)
            let refused = await third.read()
            #expect(refused.head.hasPrefix("HTTP/1.1 503"))
            #expect(refused.body == #"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#)
            first.close()
            second.close()
            #expect(await fake.waitUntil { $0.inFlight == 0 && $0.queued == 0 && $0.loading == 0 })
        }
    }

    @Test func `clients that leave are counted by where they were`() async throws {
        try await with {
            $0.latency = 0.5
            $0.tokensPerSecond = 5
        } _: { fake in
            let prompt = try generate(fake)
            #expect(await fake.waitUntil { $0.running == 1 })
            prompt.close()
            #expect(await fake.waitUntil { $0.cancelledIn["prompt"] == 1 })
            let streaming = try generate(fake)
            _ = await streaming.read(until: "done")
            streaming.close()
            #expect(await fake.waitUntil { $0.cancelledIn == ["prompt": 1, "streaming": 1] })
            #expect(fake.statistics.cancelled == 2)
        }
    }

    @Test func `a model leaves after its time, and at once for a time of nothing`() async throws {
        try await with {
            $0.keepAlive = 0.1
        } _: { fake in
            let brief = try generate(fake)
            #expect(await brief.read().text.contains(end))
            #expect(await eventually { fake.loadedModels.isEmpty })
            let lasting = try generate(fake, "llama3.2", #","keep_alive":"-1s""#)
            #expect(await lasting.read().text.contains(end))
            // It outlives one that came later and has the usual time.
            let other = try generate(fake, "gemma3:270m")
            #expect(await other.read().text.contains(end))
            #expect(await eventually { fake.loadedModels == ["llama3.2:latest"] })
            let unload = try await RawClient.ask(
                port: fake.port, "POST", "/api/generate", #"{"model":"llama3.2","keep_alive":0}"#)
            #expect(unload.body.hasSuffix(#""response":"","done":true,"done_reason":"unload"}"#))
            #expect(fake.loadedModels.isEmpty)
            let load = try await RawClient.ask(port: fake.port, "POST", "/api/chat", #"{"model":"llama3.2"}"#)
            #expect(
                load.body.hasSuffix(#""message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}"#))
            #expect(fake.loadedModels == ["llama3.2:latest"])
        }
    }

    @Test func `a storm of clients that come and go leaves nothing behind`() async throws {
        try await with {
            $0.loadTime = 0.02
            $0.numParallel = 3
            $0.maxLoaded = 1
            $0.tokensPerSecond = 500
            $0.tokens = 5
        } _: { fake in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<120 {
                    group.addTask {
                        let model = ["llama3.2", "gemma3:270m"][number / 20 % 2]
                        let connection = try generate(
                            fake, model, #","options":{"num_ctx":\#(2048 << (number / 40 % 2))}"#)
                        if number % 3 == 0 {
                            try await Task.sleep(for: .milliseconds(number % 50))
                        } else {
                            #expect(await connection.read().text.contains(end))
                        }
                        connection.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(await fake.waitUntil { $0.inFlight == 0 && $0.queued == 0 && $0.loading == 0 && $0.running == 0 })
            #expect(fake.statistics.maxRunning <= 3)
            let after = try generate(fake)
            #expect(await after.read().text.contains(end))
        }
    }
}
