import Foundation
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// One client's work is that client's wait.
@Suite(.serialized) struct KeyConcurrencyLimiterTests {
    /// An operation that runs until it is let go.
    private final class Held: Sendable {
        private let ends = AsyncStream.makeStream(of: Void.self)
        let hasBegun = Atomic(false)

        func run() async {
            hasBegun.store(true, ordering: .relaxed)
            for await _ in ends.stream {}
        }
        func end() { ends.continuation.finish() }
    }

    /// Who had a place, in order.
    private final class Names: Sendable {
        let list = Mutex<[String]>([])
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(1))) func `a client's operations wait for its own, another's do not`() async throws {
        let limiter = KeyConcurrencyLimiter(KeyConcurrencyLimiter.Limits(running: 2, waiting: 3, total: 3))
        let loud = (0..<5).map { _ in Held() }
        let tasks = loud.map { held in Task { try await limiter.run("loud") { await held.run() } } }
        await until { limiter.load.running == 2 && limiter.load.waiting == 3 }
        // The room is full for this one.
        do {
            try await limiter.run("loud") {}
            Issue.record("no error")
        } catch let refusal as AccessRefusal {
            let error = GatewayError(refusal)
            #expect(error.description.hasPrefix("429 ") && error.code == .overloaded)
            #expect((error.retryAfterSeconds ?? 0) > 0)
        }
        #expect(limiter.refused.value == 1)
        // Another comes and goes.
        for _ in 0..<10 { try await limiter.run("quiet") {} }
        #expect(limiter.load.running == 2)
        // One that leaves while it waits makes room.
        let waiting = tasks.indices.filter { !loud[$0].hasBegun.load(ordering: .relaxed) }
        let leaving = try #require(waiting.last)
        tasks[leaving].cancel()
        await #expect(throws: (any Error).self) { try await tasks[leaving].value }
        #expect(limiter.load.waiting == 2)
        for held in loud { held.end() }
        for (number, task) in tasks.enumerated() where number != leaving { try await task.value }
        #expect(limiter.load == (0, 0))
    }

    @Test(.timeLimit(.minutes(1))) func `clients take turns for the places of all`() async throws {
        let limiter = KeyConcurrencyLimiter(KeyConcurrencyLimiter.Limits(running: 2, waiting: 64, total: 1))
        let first = Held()
        let holder = Task { try await limiter.run("a") { await first.run() } }
        await until { limiter.load.running == 1 }
        let order = Names()
        var tasks: [Task<Void, any Error>] = []
        for name in ["a", "b", "c"] {
            let before = limiter.load.waiting
            tasks += (0..<4).map { _ in
                Task { try await limiter.run(name) { order.list.withLock { $0.append(name) } } }
            }
            await until { limiter.load.waiting == before + 4 }
        }
        first.end()
        try await holder.value
        for task in tasks { try await task.value }
        // Each of the three has had a place before any has had its third.
        let names = order.list.withLock { $0 }
        #expect(Set(names.prefix(4)) == ["a", "b", "c"])
        #expect(names.count == 12 && limiter.load == (0, 0))
    }

    @Test(.timeLimit(.minutes(1))) func `a key's searches wait behind its own, and then it is told when to try again`()
        async throws
    {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) { gateway in
            let (loud, quiet) = (
                try await gateway.store.keys.create(name: "loud"),
                try await gateway.store.keys.create(name: "quiet")
            )
            let scans = gateway.application.shared.keys.scans
            let held = [Held(), Held()]
            let holders = held.map { held in
                Task { try await scans.run("key \(loud.record.id)") { await held.run() } }
            }
            await until { scans.load.running == 2 }
            let paths: [(String, String, String?)] = [
                ("POST", "/api/notes/search", #"{"query":"x"}"#), ("GET", "/api/notes", nil),
                ("GET", "/api/threads/search/x", nil), ("GET", "/api/memories", nil),
                ("GET", "/api/briefing/associations", nil), ("GET", "/api/sessions", nil),
            ]
            let waiting = (0..<KeyConcurrencyLimiter.Limits.scans.waiting).map { number in
                let (method, path, body) = paths[number % paths.count]
                return Task {
                    try await gateway.request(
                        method, path, body, headers: [("Authorization", "Bearer \(loud.secret)")]
                    ).status
                }
            }
            await until { scans.load.waiting == KeyConcurrencyLimiter.Limits.scans.waiting }
            for (method, path, body) in paths {
                let reply = try await gateway.request(
                    method, path, body, headers: [("Authorization", "Bearer \(loud.secret)")])
                #expect(reply.status == 429 && reply.code == "overloaded", "\(path)")
                #expect(reply.head["retry-after"] != nil)
                let other = try await gateway.request(
                    method, path, body, headers: [("Authorization", "Bearer \(quiet.secret)")])
                #expect(other.status == (path.contains("search/x") ? 404 : 200), "\(path): \(other.text)")
            }
            for held in held { held.end() }
            for holder in holders { try await holder.value }
            for task in waiting { #expect([200, 404].contains(try await task.value)) }
            let token = [(name: "Authorization", value: "Bearer a-token-of-some-length")]
            let metrics = try await PrometheusReader(gateway.request("GET", "/metrics", headers: token).text)
            #expect(metrics["selene_scans_refused_total"] == Double(paths.count))
            #expect(metrics["selene_scans_running"] == 0)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a client that leaves while its search waits takes it along`() async throws {
        try await LiveGateway.with { gateway in
            let scans = gateway.application.shared.keys.scans
            let held = [Held(), Held()]
            let holders = held.map { held in Task { try await scans.run("anonymous") { await held.run() } } }
            await until { scans.load.running == 2 }
            let client = try RawClient(port: gateway.port)
            try client.send("GET /api/threads/search/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await until { scans.load.waiting == 1 }
            client.close()
            await until { scans.load.waiting == 0 }
            for held in held { held.end() }
            for holder in holders { try await holder.value }
        }
    }
}
