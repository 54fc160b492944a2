import FakeOllama
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Transport

/// libcurl over real sockets against the synthetic Ollama.
@Suite(.serialized) struct Transport {
    func transport(
        _ fake: FakeOllama, _ change: (inout UpstreamConfiguration) -> Void = { _ in }
    ) throws -> UpstreamTransport {
        var configuration = UpstreamConfiguration(baseURL: fake.baseURL, peer: "Ollama")
        change(&configuration)
        return try UpstreamTransport(configuration: configuration)
    }

    func generate(stream: Bool = true, tokens: Int = 20) -> UpstreamRequest {
        UpstreamRequest(
            method: "POST", path: "/api/generate", headers: [("Content-Type", "application/json")],
            body: ByteBuffer(
                string: #"{"model":"llama3.2","prompt":"x","stream":\#(stream),"options":{"num_predict":\#(tokens)}}"#))
    }

    func code(_ body: () async throws -> Void) async -> UpstreamError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? UpstreamError)?.code
        }
    }

    @Test func `a stream arrives byte for byte as it does directly`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake)
            let response = try await transport.send(generate())
            #expect(response.status == 200)
            #expect(response.head["content-type"] == "application/x-ndjson")
            let through = try await response.body.collect(upTo: 1 << 20)
            let body = try #require(generate().body)
            let expected = try await DirectClient.post(fake.baseURL + "/api/generate", Data(body.readableBytesView))
            #expect(Data(through.readableBytesView) == expected)
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(.slow) func `a thousand requests one after another share a connection`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake)
            let before = openDescriptors()
            for _ in 0..<1000 {
                let response = try await transport.send(UpstreamRequest(method: "GET", path: "/api/version"))
                _ = try await response.body.collect(upTo: 1000)
            }
            // Both ends of one connection are in this process.
            #expect(openDescriptors() <= before + 4)
            #expect(transport.inFlight == 0)
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(.slow) func `many requests at once are all answered`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let response = try await transport.send(generate(tokens: 30))
                        var lines = 0
                        for try await part in NDJSONLines(response.body) {
                            lines += part.readableBytesView.count { $0 == UInt8(ascii: "\n") }
                        }
                        return lines
                    }
                }
                for try await lines in group { #expect(lines == 31) }
            }
            #expect(await fake.waitUntil { $0.completed == 200 })
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(arguments: ["waiting", "streaming", "whole"])
    func `an abort reaches the upstream`(phase: String) async throws {
        var options = FakeOllama.Options()
        options.latency = phase == "waiting" ? 30 : 0
        options.tokensPerSecond = 20
        try await FakeOllama.withServer(options) { fake in
            let transport = try transport(fake)
            // The upstream would go on for minutes.
            for attempt in 1...3 {
                let task = Task {
                    let response = try await transport.send(generate(stream: phase != "whole", tokens: 100_000))
                    for try await _ in response.body {}
                }
                #expect(await fake.waitUntil { $0.inFlight == 1 })
                if phase == "streaming" { #expect(await fake.waitUntil { $0.bytesWritten > 100 * attempt }) }
                task.cancel()
                #expect(await fake.waitUntil { $0.cancelled == attempt })
                #expect(await code { try await task.value } == .cancelled)
            }
            #expect(transport.inFlight == 0)
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test func `thousands of aborts leak nothing`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake)
            let before = openDescriptors()
            for round in 0..<20 {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let task = Task {
                                let response = try await transport.send(generate(tokens: 200))
                                for try await _ in response.body {}
                            }
                            for _ in 0..<(number * round % 40) { await Task.yield() }
                            task.cancel()
                            _ = await task.result
                        }
                    }
                }
            }
            #expect(await fake.waitUntil { $0.inFlight == 0 })
            #expect(await eventually { transport.inFlight == 0 && openDescriptors() <= before + 2 * 64 + 8 })
            // Every request that the upstream saw comes to one end; it may notice the last ones late.
            #expect(
                await fake.waitUntil { $0.completed + $0.cancelled == $0.requests["/api/generate", default: 0] })
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test func `a response that is dropped closes its connection`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 10
        try await FakeOllama.withServer(options) { fake in
            let transport = try transport(fake)
            _ = try await transport.send(generate(tokens: 1000)).status
            #expect(await fake.waitUntil { $0.cancelled == 1 })
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(.slow) func `a slow reader holds the upstream back within bounded memory`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake) { $0.highWatermark = 64 << 10 }
            fake.setFaults(["giant-line=67108864"])
            let response = try await transport.send(generate(tokens: 1))
            var iterator = response.body.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            // Nobody reads: the fake's one write of 64 MiB must not complete.
            #expect(await valueAtRest { fake.statistics.bytesWritten } == 0)
            var total = first.readableBytes
            var largest = first.readableBytes
            while let chunk = try await iterator.next() {
                total += chunk.readableBytes
                largest = max(largest, chunk.readableBytes)
            }
            #expect(total > 64 << 20)
            #expect(largest <= (64 << 10) + (64 << 10))
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(arguments: [
        ("drop", UpstreamError.Code.cut), ("cut=3", .cut), ("reset=3", .cut), ("stall-first=30", .firstByteTimeout),
        ("stall-mid=3:30", .idleTimeout),
    ])
    func `faults become errors that say what happened`(fault: String, expected: UpstreamError.Code) async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake) {
                $0.firstByteTimeout = .milliseconds(300)
                $0.idleTimeout = .milliseconds(300)
            }
            fake.setFaults([fault])
            let actual = await code {
                let response = try await transport.send(generate())
                for try await _ in response.body {}
            }
            #expect(actual == expected)
            #expect(transport.inFlight == 0)
            fake.setFaults([])
            _ = try await transport.send(generate()).body.collect(upTo: 1 << 20)
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test(.slow) func `a reader's own pauses are not the upstream's silence`() async throws {
        try await FakeOllama.withServer { fake in
            let transport = try transport(fake) {
                $0.idleTimeout = .seconds(1)
                $0.highWatermark = 1 << 10
            }
            fake.setFaults(["giant-line=8388608"])
            let response = try await transport.send(generate(tokens: 1))
            var iterator = response.body.makeAsyncIterator()
            var total = 0
            var pauses = 0
            while let chunk = try await iterator.next() {
                total += chunk.readableBytes
                if pauses < 2 {
                    pauses += 1
                    try await Task.sleep(for: .milliseconds(1300))
                }
            }
            #expect(total > 8 << 20)
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test func `nobody listening is refused, and a foreign name is not found`() async throws {
        let fake = try await FakeOllama.start()
        await fake.shutdown()
        let transport = try transport(fake)
        #expect(await code { _ = try await transport.send(generate()) } == .refused)
        let nowhere = try UpstreamTransport(
            configuration: UpstreamConfiguration(baseURL: "http://no-such-host.invalid:11434", peer: "Ollama"))
        #expect(await code { _ = try await nowhere.send(generate()) } == .dns)
        await transport.shutdown(within: .seconds(1))
        await nowhere.shutdown(within: .seconds(1))
    }

    @Test func `shutdown waits for what is in flight, refuses what is new, and aborts at the deadline`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await FakeOllama.withServer(options) { fake in
            let patient = try transport(fake)
            let short = Task { try await patient.send(generate(tokens: 20)).body.collect(upTo: 1 << 20) }
            #expect(await fake.waitUntil { $0.inFlight == 1 })
            await patient.shutdown(within: .seconds(10))
            #expect(try await short.value.readableBytes > 0)
            #expect(await code { _ = try await patient.send(generate()) } == .shuttingDown)

            let hasty = try transport(fake)
            let long = Task { try await hasty.send(generate(tokens: 100_000)).body.collect(upTo: 1 << 30) }
            #expect(await fake.waitUntil { $0.inFlight == 1 })
            await hasty.shutdown(within: .milliseconds(50))
            #expect(await code { _ = try await long.value } == .shuttingDown)
            #expect(await fake.waitUntil { $0.inFlight == 0 })
        }
    }

    private func openDescriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
}
