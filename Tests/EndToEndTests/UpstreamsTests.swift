import FakeOllama
import Foundation
import Gateway
import NIOCore
import Storage
import Testing
import Upstream

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

    func names(_ reply: LiveGateway.Reply, _ list: String = "models", _ key: String = "name") -> [String] {
        (reply.object[list] as? [[String: Any]] ?? []).compactMap { $0[key] as? String }
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

    @Test func `one that is down is passed over before the first byte, and all down is the usual error`() async throws {
        try await Self.with { gateway, a, b in
            for fault in ["drop", "status=503", "status=500"] {
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
            #expect(try await gateway.request("GET", "/api/tags").code == "upstream_refused")
            #expect(try await gateway.post("/api/generate", body("z")).code == "upstream_refused")
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

    @Test func `upstreams are replaced while requests run`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        try await Self.with(options: options) { gateway, a, b in
            let request = Task { try await gateway.post("/api/generate", body("x", stream: true)) }
            #expect(await a.waitUntil { $0.running == 1 })
            var configuration = gateway.application.configuration
            configuration.upstreams.removeFirst()
            try gateway.application.replaceUpstreams(with: configuration)
            #expect(try await gateway.post("/api/generate", body("y")).status == 200)
            #expect(try await gateway.post("/api/generate", body("x")).status == 404)
            let whole = try await request.value
            #expect(whole.text.contains(#""done":true"#))
            #expect(a.statistics.cancelled == 0)
            try gateway.application.replaceUpstreams(with: gateway.application.configuration)
            #expect(try await gateway.post("/api/generate", body("x")).status == 200)
        }
    }

    @Test func `a storm of clients, faults and changes leaves nothing behind, and every request is answered once`()
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
                            if number % 120 == 30 { configuration.upstreams.removeFirst() }
                            try gateway.application.replaceUpstreams(with: configuration)
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
            try gateway.application.replaceUpstreams(with: gateway.application.configuration)
            #expect(await a.waitUntil { $0.inFlight == 0 && b.statistics.inFlight == 0 })
            let deadline = ContinuousClock.now + .seconds(10)
            var inFlight = [-1]
            while inFlight != [0, 0], ContinuousClock.now < deadline {
                let health = try await gateway.request("GET", "/api/llm/health")
                inFlight = (health.object["upstreams"] as? [[String: Any]] ?? []).compactMap { $0["in_flight"] as? Int }
            }
            #expect(inFlight == [0, 0])
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

/// Other names for models, what they are loaded with, and who loads them.
@Suite(.serialized) struct ModelRulesOverHTTP {
    @Test func `an alias is sent under the real name, and only that changes`() async throws {
        try await LiveGateway.with(settings: ["model_aliases": "fast=llama3.2, tiny:v1=gemma3:270m"]) { gateway in
            for (alias, real) in [("fast", "llama3.2"), ("fast:latest", "llama3.2"), ("tiny:v1", "gemma3:270m")] {
                let sent = #"{"stream":false, "model" : "\#(alias)","prompt":"ü \u2028"}"#
                #expect(try await gateway.post("/api/generate", sent).status == 200)
                #expect(gateway.fake.statistics.lastBody == sent.replacingOccurrences(of: alias, with: real))
            }
            let plain = #"{"stream":false, "model" : "llama3.2","prompt":"ü \u2028"}"#
            #expect(try await gateway.post("/api/generate", plain).status == 200)
            #expect(gateway.fake.statistics.lastBody == plain)
            let tags = try await gateway.request("GET", "/api/tags")
            let names = (tags.object["models"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(names.contains("fast:latest") && names.contains("tiny:v1") && names.contains("llama3.2:latest"))
            #expect(try await gateway.request("GET", "/v1/models/fast").status == 200)
            #expect(try await gateway.post("/api/show", #"{"model":"fast"}"#).status == 200)
            #expect(try await gateway.post("/api/llm/generate", #"{"model":"fast","prompt":"x"}"#).status == 200)
            let image = String(repeating: "QUJD", count: 1 << 19)
            let large = #"{"model":"fast","stream":false,"prompt":"x","images":["\#(image)"]}"#
            #expect(try await gateway.post("/api/generate", large).object["model"] as? String == "llama3.2")
        }
    }

    @Test func `two clients that want other contexts reload a model directly, and not behind the guard`() async throws {
        let defaults = #"{"llama3.2": {"num_ctx": 4096, "keep_alive": "30m", "pin": true}}"#
        for (settings, reloads) in [([:], 5), (["model_defaults": defaults], 0)] {
            try await LiveGateway.with(settings: settings) { gateway in
                for length in [2048, 8192, 2048, 8192, 2048, 8192] {
                    let reply = try await gateway.post(
                        "/api/generate",
                        #"{"model":"llama3.2","prompt":"x","stream":false,"options":{"num_ctx":\#(length),"seed":1}}"#)
                    #expect(reply.status == 200)
                }
                #expect(gateway.fake.statistics.reloads == reloads)
                #expect(gateway.fake.statistics.loads == reloads + 1)
                #expect(try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#).status == 200)
                let other = #"{"model":"gemma3:270m","prompt":"x","options":{"num_ctx":1024},"stream":false}"#
                #expect(try await gateway.post("/api/generate", other).status == 200)
                #expect(gateway.fake.statistics.lastBody == other)
            }
        }
    }

    @Test func `a client that leaves during a load ends it directly, and not behind the shield`() async throws {
        var options = FakeOllama.Options()
        options.loadTime = 0.6
        for (shield, aborted) in [("off", 1), ("on", 0)] {
            try await LiveGateway.with(options, settings: ["load_shield": shield]) { gateway in
                if shield == "on" {
                    // The gateway knows by its first probe what is loaded.
                    #expect(await gateway.fake.waitUntil { $0.requests["/api/ps"] != nil && $0.inFlight == 0 })
                    try await Task.sleep(for: .milliseconds(100))
                }
                let body = #"{"model":"llama3.2","prompt":"x","stream":false,"options":{"num_ctx":2048}}"#
                let first = Task { try await gateway.post("/api/generate", body) }
                #expect(await gateway.fake.waitUntil { $0.loading == 1 })
                let second = Task { try await gateway.post("/api/generate", body) }
                try await Task.sleep(for: .milliseconds(100))
                first.cancel()
                _ = await first.result
                #expect(try await second.value.status == 200)
                let seen = gateway.fake.statistics
                #expect(seen.abortedLoads == aborted)
                #expect(seen.loads == 1 && seen.reloads == 0)
                // The one that left was never sent; nothing is added once the model is loaded.
                if shield == "on" { #expect(seen.requests["/api/generate"] == 2) }
                let before = seen.requests["/api/generate", default: 0]
                #expect(try await gateway.post("/api/generate", body).status == 200)
                #expect(gateway.fake.statistics.requests["/api/generate"] == before + 1)
            }
        }
    }

    @Test func `behind the shield embedding models load too, and what cannot load tells why itself`() async throws {
        try await LiveGateway.with(settings: ["load_shield": "on"]) { gateway in
            #expect(await gateway.fake.waitUntil { $0.requests["/api/ps"] != nil && $0.inFlight == 0 })
            try await Task.sleep(for: .milliseconds(100))
            let embed = try await gateway.post("/api/embed", #"{"model":"nomic-embed-text","input":"x"}"#)
            #expect(embed.status == 200)
            #expect(gateway.fake.statistics.requests["/api/embed"] == 2)
            gateway.fake.setFaults(["status=500@/api/generate"])
            let failed = try await gateway.post("/api/generate", #"{"model":"llama3.2","prompt":"x"}"#)
            #expect(failed.status == 500 && failed.error == "fault 500")
            gateway.fake.setFaults([])
            let chat = #"{"model":"gemma3:270m","messages":[{"role":"user","content":"x"}]}"#
            #expect(try await gateway.post("/v1/chat/completions", chat).status == 200)
            #expect(try await gateway.post("/api/generate", #"{"model":"none","prompt":"x"}"#).status == 404)
        }
    }
}
