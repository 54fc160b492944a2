import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import TestSupport
import Testing

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

    @Test(.slow) func `two clients that want other contexts reload a model directly, and not behind the guard`()
        async throws
    {
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

    @Test(.slow, arguments: [LiveGateway.Encryption.usual, .http2])
    func `a client that leaves during a load ends it directly, and not behind the shield`(
        encryption: LiveGateway.Encryption
    ) async throws {
        var options = FakeOllama.Options()
        options.loadTime = 0.6
        for (shield, aborted) in [("off", 1), ("on", 0)] {
            let settings = ["load_shield": shield]
            try await LiveGateway.with(options, settings: settings, encryption: encryption) { gateway in
                try await gateway.warmConnection()
                if shield == "on" {
                    // The gateway knows by its first probe what is loaded.
                    #expect(await gateway.waitForUpstreams { $0.allSatisfy { $0.models != nil } })
                }
                let body = #"{"model":"llama3.2","prompt":"x","stream":false,"options":{"num_ctx":2048}}"#
                let first = Task { try await gateway.post("/api/generate", body) }
                #expect(await gateway.fake.waitUntil { $0.loading == 1 })
                let second = Task { try await gateway.post("/api/generate", body) }
                let bothWait = await gateway.waitForUpstreams { $0.first?.inFlight == 2 }
                #expect(bothWait)
                first.cancel()
                _ = await first.result
                try await gateway.sendResets()
                let answer = try await second.value
                #expect(answer.status == 200)
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
            #expect(await gateway.waitForUpstreams { $0.allSatisfy { $0.models != nil } })
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
