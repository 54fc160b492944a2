import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import LLM
import NIOCore
import Storage
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

/// Several Ollamas behind one gateway.
@Suite(.serialized) struct Upstreams {
    /// A gateway with two upstreams, `a` with the model x and `b` with y, and both with z.
    static func with(
        settings: [String: String] = [:], options base: FakeOllama.Options = .init(),
        _ body: (LiveGateway, FakeOllama, FakeOllama) async throws -> Void
    ) async throws {
        var fakes: [FakeOllama] = []
        for models in [["x", "z"], ["y", "z"]] {
            var options = base
            options.generateModels = models
            options.thinkingModels = []
            options.embedModels = ["nomic-embed-text:latest"]
            fakes.append(try await FakeOllama.start(options))
        }
        let (a, b) = (fakes[0], fakes[1])
        let all = ["upstreams": "a=\(a.baseURL), b=\(b.baseURL)"].merging(settings) { $1 }
        do {
            try await LiveGateway.with(settings: all) { gateway in try await body(gateway, a, b) }
        } catch {
            Issue.record(error)
        }
        await a.shutdown()
        await b.shutdown()
    }

    func body(_ model: String, stream: Bool = false) -> String {
        #"{"model":"\#(model)","prompt":"x","stream":\#(stream)}"#
    }

    /// The names of a list's models that the upstreams have.
    func names(_ reply: LiveGateway.Reply, _ list: String = "models", _ key: String = "name") -> [String] {
        (reply.object[list] as? [[String: Any]] ?? []).compactMap { $0[key] as? String }
            .filter { !$0.hasPrefix("notes") }
    }

    @Test func `each request goes where its model is, and lists are those of all`() async throws {
        try await Self.with { gateway, a, b in
            for model in ["x", "y", "z", "y", "x"] {
                let reply = try await gateway.post("/api/generate", body(model))
                #expect(reply.status == 200)
                #expect(reply.object["model"] as? String == model)
                let chat = try await gateway.post(
                    "/v1/chat/completions", #"{"messages":[{"role":"user","content":"x"}],"model":"\#(model)"}"#)
                #expect(chat.status == 200)
                #expect(try await gateway.post("/api/show", #"{"model":"\#(model)"}"#).status == 200)
                #expect(try await gateway.request("GET", "/v1/models/\(model)").status == 200)
            }
            #expect(try await gateway.post("/api/generate", body("none")).status == 404)
            // Of names that mean the same, one upstream holds the model; what it says of the name is its own affair.
            for fake in [a, b] { fake.reset() }
            _ = try await gateway.post("/api/generate", body("library/Y"))
            #expect(a.statistics.requests["/api/generate"] == nil)
            let tags = try await gateway.request("GET", "/api/tags")
            #expect(Set(names(tags)) == ["x:latest", "y:latest", "z:latest", "nomic-embed-text:latest"])
            #expect(names(tags).count == 4)
            #expect(tags.head["content-type"] == "application/json; charset=utf-8")
            let head = try await gateway.request("HEAD", "/api/tags")
            #expect(head.status == 200 && head.data.isEmpty)
            #expect(Set(names(try await gateway.request("GET", "/api/ps"))).isSuperset(of: ["x:latest", "y:latest"]))
            let models = try await gateway.request("GET", "/v1/models")
            #expect(Set(names(models, "data", "id")) == Set(names(tags)))
            #expect(models.object["object"] as? String == "list")
            #expect(try await gateway.request("GET", "/api/version").status == 200)
            #expect(try await gateway.request("GET", "/").text == "Ollama is running")
            let health = try await gateway.request("GET", "/api/llm/health")
            #expect((health.object["models"] as? [String])?.count == 4)
            let upstreams = health.object["upstreams"] as? [[String: Any]] ?? []
            #expect(upstreams.compactMap { $0["name"] as? String } == ["a", "b"])
            #expect(upstreams.allSatisfy { $0["available"] as? Bool == true })
            #expect(try await gateway.post("/api/llm/generate", #"{"model":"y","prompt":"x"}"#).status == 200)
            #expect(try await gateway.post("/api/llm/embed", #"{"text":"x"}"#).status == 200)
            #expect(a.statistics.cancelled == 0 && b.statistics.cancelled == 0)
        }
    }

    @Test(.slow) func `one that is down is passed over before the first byte, and all down is the usual error`()
        async throws
    {
        try await Self.with { gateway, a, b in
            for fault in ["drop", "status=503", "status=500", "status=429"] {
                a.setFaults(["\(fault)@/api/generate"])
                for _ in 0..<4 {
                    let reply = try await gateway.post("/api/generate", body("z"))
                    #expect(reply.status == 200, "\(fault) \(reply.text)")
                }
            }
            // What has begun is not tried again.
            a.setFaults(["cut=2@/api/generate"])
            b.setFaults(["cut=2@/api/generate"])
            let reply = try await gateway.post("/api/generate", body("z", stream: true))
            #expect(reply.status == 200 && reply.text.contains("upstream_cut"))
            b.setFaults([])
            await a.shutdown()
            #expect(try await gateway.post("/api/generate", body("z")).status == 200)
            let tags = try await gateway.request("GET", "/api/tags")
            #expect(tags.status == 200)
            #expect(Set(names(tags)) == ["y:latest", "z:latest", "nomic-embed-text:latest"])
            await b.shutdown()
            // A list is good for a moment.
            #expect(
                try await eventually { try await gateway.request("GET", "/api/tags").code == "upstream_refused" })
            #expect(try await gateway.post("/api/generate", body("z")).code == "upstream_refused")
        }
    }

    @Test func `one that asks for time gets none of the next requests, and both answer it alone`() async throws {
        try await Self.with { gateway, a, b in
            a.setFaults(["busy=429:30@/api/generate"])
            for _ in 0..<6 { #expect(try await gateway.post("/api/generate", body("z")).status == 200) }
            // Until its Retry-After the other one is preferred.
            #expect((a.statistics.requests["/api/generate"] ?? 0) <= 1)
            b.setFaults(["busy=429:30@/api/generate"])
            let reply = try await gateway.post("/api/generate", body("z"))
            #expect(reply.status == 429 && reply.head["Retry-After"] == "30", "\(reply.text)")
        }
    }

    @Test func `an upload that streams is sent once, and where its model is`() async throws {
        try await Self.with { gateway, a, b in
            let image = String(repeating: "QUJD", count: 1 << 20)
            let large = #"{"model":"y","stream":false,"prompt":"x","images":["\#(image)"]}"#
            let reply = try await gateway.post("/api/generate", large)
            #expect(reply.status == 200 && reply.object["model"] as? String == "y")
            b.setFaults(["status=500@/api/generate"])
            #expect(try await gateway.post("/api/generate", large).status == 500)
            #expect(a.statistics.requests["/api/generate"] == nil)
        }
    }

    @Test func `administration is for the upstream that is named, else the first`() async throws {
        try await Self.with { gateway, a, b in
            let copy = #"{"source":"z","destination":"new"}"#
            #expect(try await gateway.post("/api/copy", copy).status == 200)
            #expect(a.statistics.requests["/api/copy"] == 1)
            let named = try await gateway.request("POST", "/api/copy", copy, headers: [("X-Selene-Upstream", "b")])
            #expect(named.status == 200)
            #expect(b.statistics.requests["/api/copy"] == 1)
            #expect(b.statistics.lastHeaders["x-selene-upstream"] == nil)
            let wrong = try await gateway.request("POST", "/api/copy", copy, headers: [("X-Selene-Upstream", "c")])
            #expect(wrong.status == 400)
            #expect(wrong.error.contains("known: a, b"))
        }
    }

    @Test func `a model that was pulled through the gateway is found at once`() async throws {
        try await Self.with { gateway, a, b in
            let pull = #"{"model":"fresh"}"#
            let reply = try await gateway.request("POST", "/api/pull", pull, headers: [("X-Selene-Upstream", "b")])
            #expect(reply.text.contains("success"))
            #expect(try await gateway.post("/api/generate", body("fresh")).status == 200)
        }
    }

    @Test(.slow) func `upstreams are replaced while requests run`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        try await Self.with(options: options) { gateway, a, b in
            let request = Task { try await gateway.post("/api/generate", body("x", stream: true)) }
            #expect(await a.waitUntil { $0.running == 1 })
            var configuration = gateway.application.configuration
            configuration.llm.upstreams.removeFirst()
            try gateway.application.shared.pool.replace(with: configuration.llm.upstreams)
            #expect(try await gateway.post("/api/generate", body("y")).status == 200)
            #expect(try await gateway.post("/api/generate", body("x")).status == 404)
            let whole = try await request.value
            #expect(whole.text.contains(#""done":true"#))
            #expect(a.statistics.cancelled == 0)
            try gateway.application.shared.pool.replace(with: gateway.application.configuration.llm.upstreams)
            #expect(try await gateway.post("/api/generate", body("x")).status == 200)
        }
    }

    @Test(.slow)
    func `a storm of clients, faults and changes leaves nothing behind, and every request is answered once`()
        async throws
    {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 1000
        options.loadTime = 0.02
        let settings = ["load_shield": "on", "max_in_flight": "8", "model_aliases": "w=z"]
        try await Self.with(settings: settings, options: options) { gateway, a, b in
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<240 {
                    group.addTask {
                        if number % 40 == 0 {
                            a.setFaults([["drop", "cut=3", "status=500", "stall-first=0.05"][number / 40 % 4]])
                        }
                        if number % 40 == 20 { a.setFaults([]) }
                        if number % 60 == 30 {
                            var configuration = gateway.application.configuration
                            if number % 120 == 30 { configuration.llm.upstreams.removeFirst() }
                            try gateway.application.shared.pool.replace(with: configuration.llm.upstreams)
                        }
                        let model = ["z", "w", "z", "y"][number % 4]
                        let request = Task {
                            try await gateway.post("/api/generate", body(model, stream: number % 3 > 0))
                        }
                        if number % 5 == 0 {
                            try await Task.sleep(for: .milliseconds(number % 37))
                            request.cancel()
                            _ = await request.result
                            return nil
                        }
                        return try await request.value.status
                    }
                }
                var statuses: [Int] = []
                for try await status in group { if let status { statuses.append(status) } }
                return statuses
            }
            #expect(statuses.count == 192)
            // What cannot be tried again is told; nothing else goes wrong.
            #expect(statuses.allSatisfy { [200, 404, 500, 502].contains($0) }, "\(Set(statuses))")
            #expect(statuses.count { $0 == 200 } > 150)
            a.setFaults([])
            try gateway.application.shared.pool.replace(with: gateway.application.configuration.llm.upstreams)
            #expect(await a.waitUntil { $0.inFlight == 0 && b.statistics.inFlight == 0 })
            #expect(await gateway.waitForUpstreams { $0.map(\.inFlight) == [0, 0] })
            #expect(try await gateway.post("/api/generate", body("w")).status == 200)
        }
    }

    @Test func `clients that leave are gone upstream, whichever that is`() async throws {
        var options = FakeOllama.Options()
        options.latency = 30
        try await Self.with(options: options) { gateway, a, b in
            let tasks = (0..<6).map { _ in Task { try await gateway.post("/api/generate", body("z")) } }
            #expect(await a.waitUntil { $0.inFlight + b.statistics.inFlight == 6 })
            for task in tasks { task.cancel() }
            #expect(await a.waitUntil { $0.inFlight + b.statistics.inFlight == 0 })
            #expect(a.statistics.cancelled + b.statistics.cancelled == 6)
        }
    }
}
