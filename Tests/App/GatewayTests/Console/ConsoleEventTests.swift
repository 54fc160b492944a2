import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// `GET /api/admin/events` of a running gateway.
@Suite(.serialized) struct ConsoleEventRoute {
    private func connect(_ gateway: LiveGateway, token: String? = nil) throws -> RemoteConsoleService {
        RemoteConsoleService(
            try GatewayConnection(gateway.base, tokens: StaticTokenStore(token)))
    }

    /// The first event for which a condition holds.
    private func find(
        _ source: ConsoleEventSource, _ holds: @escaping @Sendable (ConsoleEvent) throws -> Bool
    ) async throws -> ConsoleEvent {
        try await withThrowingTaskGroup(of: ConsoleEvent.self) { group in
            group.addTask {
                while true {
                    let event = try await source.next()
                    if try holds(event) { return event }
                }
            }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                throw TimedOut()
            }
            defer { group.cancelAll() }
            return try #require(try await group.next())
        }
    }
    private struct TimedOut: Error {}

    @Test func `a stream begins with the state of every topic`() async throws {
        try await LiveGateway.with { gateway in
            let source = try connect(gateway).events()
            var names: Set<String> = []
            while names.count < 7 { names.insert(try await source.next().name) }
            #expect(names == ["figures", "requests", "traffic", "jobs", "runs", "upstreams", "pushes"])
        }
    }

    @Test(.slow) func `a request in flight comes and goes, without the reader itself`() async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options) { gateway in
            let source = try connect(gateway).events(["requests"])
            let first = try await find(source) { _ in true }.decoded(as: LiveRequestList.self)
            #expect(first.requests.isEmpty && first.total == 0)
            let task = Task { try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#) }
            let shown = try await find(source) { try !$0.decoded(as: LiveRequestList.self).requests.isEmpty }
                .decoded(as: LiveRequestList.self)
            #expect(shown.total == 1 && shown.requests.first?.path == "/api/llm/generate")
            task.cancel()
            _ = await task.result
            _ = try await find(source) { try $0.decoded(as: LiveRequestList.self).requests.isEmpty }
        }
    }

    @Test(.slow) func `a job's end is told, and only the topics that were asked for`() async throws {
        try await LiveGateway.with { gateway in
            let source = try connect(gateway).events(["jobs"])
            #expect(try await find(source) { _ in true }.decoded(as: JobList.self).jobs.isEmpty)
            let reply = try await gateway.post("/api/jobs/tune", #"{"sample":10}"#)
            #expect(reply.status == 202, "\(reply.text)")
            let event = try await find(source) { event in
                #expect(event.name == "jobs")
                return try event.decoded(as: JobList.self).jobs.first?.state.isFinal == true
            }
            let job = try #require(event.decoded(as: JobList.self).jobs.first)
            #expect(job.kind == .tune && job.state == .failed && job.message?.contains("selene backfill") == true)
        }
    }

    @Test func `topics that are missing, unknown or beyond the key are refused`() async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: KeyGrant(scopes: [.admin]))
            try await gateway.waitForKeys()
            let headers = [(name: "Authorization", value: "Bearer \(admin.secret)")]
            for (query, status) in [
                ("", 400), ("?topics=", 400), ("?topics=jobs,nothing", 400), ("?topics=jobs", 403),
                ("?topics=figures,runs", 403),
            ] {
                let reply = try await gateway.request("GET", "/api/admin/events\(query)", headers: headers)
                #expect(reply.status == status, "\(query): \(reply.text)")
            }
            // All that the key may read.
            let source = try connect(gateway, token: admin.secret).events()
            var names: Set<String> = []
            while names.count < 4 { names.insert(try await source.next().name) }
            #expect(names == ["figures", "requests", "traffic", "upstreams"])
        }
    }

    @Test(.slow) func `a stream ends when its key is revoked`() async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            let source = try connect(gateway, token: admin.secret).events(["figures"])
            _ = try await source.next()
            try await gateway.store.keys.revoke("admin")
            // The client reconnects, and is refused.
            let error = await #expect(throws: GatewayClientError.self) {
                _ = try await find(source) { _ in false }
            }
            #expect(error?.status == 403, "\(String(describing: error))")
        }
    }

    @Test func `a key reads few streams at once`() async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            var sources: [ConsoleEventSource] = []
            for _ in 0..<8 {
                let source = try connect(gateway, token: admin.secret).events(["upstreams"])
                _ = try await source.next()
                sources.append(source)
            }
            let headers = [(name: "Authorization", value: "Bearer \(admin.secret)")]
            let reply = try await gateway.request("GET", "/api/admin/events?topics=all", headers: headers)
            #expect(reply.status == 429 && reply.head["Retry-After"] != nil, "\(reply.text)")
            withExtendedLifetime(sources) {}
        }
    }
}
