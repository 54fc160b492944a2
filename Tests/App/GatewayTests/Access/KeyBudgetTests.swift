import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway

/// Prices of models, budgets, places at once and priority of keys, at the routes where they count.
@Suite(.serialized) struct KeyBudgets {
    private static let chat = #""messages":[{"role":"user","content":"two words"}]"#
    private static let prices =
        "currency EUR\nllama3.2 100 1000\nnomic-embed-text 10 0\ngpu/* 0 2000\nelsewhere 1 1 E\n"

    private static func bearer(_ key: String) -> [(name: String, value: String)] {
        [(name: "Authorization", value: "Bearer \(key)")]
    }

    /// A gateway with a price list, and its file.
    private func withPrices(
        _ text: String = prices, settings: [String: String] = [:], _ body: (LiveGateway, URL) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-prices-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var options = FakeOllama.Options()
        options.tokens = 10
        var settings = settings
        settings["prices"] = file.path
        try await ProviderGateway.with({ _ in }, ollama: options, settings: settings) { gateway, _ in
            try await body(gateway, file)
        }
    }

    @Test(.slow) func `each route counts the money of the model that answered`() async throws {
        try await withPrices(settings: ["model_aliases": "quick=llama3.2"]) { gateway, _ in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant())
            try await gateway.waitForKeys()
            var expected = Money.zero
            func ask(_ path: String, _ body: String, cost: String) async throws {
                let reply = try await gateway.post(path, body, token: key.secret)
                #expect(reply.status == 200, "\(path): \(reply.text)")
                expected += try #require(Money(cost))
                let sum = expected
                let usage = try await gateway.usage(of: key) { $0.cost == sum }
                #expect(usage.cost == sum, "\(path): \(usage)")
            }
            // 2 tokens read and 10 written: 0.0002 and 0.01.
            try await ask("/api/generate", #"{"model":"llama3.2","prompt":"two words"}"#, cost: "0.0102")
            try await ask("/api/chat", #"{"model":"quick",\#(Self.chat)}"#, cost: "0.0102")
            try await ask("/v1/chat/completions", #"{"model":"llama3.2:latest",\#(Self.chat)}"#, cost: "0.0102")
            try await ask("/api/llm/generate", #"{"prompt":"two words"}"#, cost: "0.0102")
            try await ask("/api/embed", #"{"model":"nomic-embed-text","input":["a b c","d"]}"#, cost: "0.00004")
            try await ask("/api/llm/embed", #"{"text":"a b"}"#, cost: "0.00002")
            try await ask("/api/chat", #"{"model":"gemma3:270m",\#(Self.chat)}"#, cost: "0")
            let before = try await gateway.usage(of: key) { $0.completionTokens == 50 }
            let reply = try await gateway.post("/api/chat", #"{"model":"gpu/small",\#(Self.chat)}"#, token: key.secret)
            #expect(reply.status == 200, "\(reply.text)")
            let usage = try await gateway.usage(of: key) { $0.completionTokens > before.completionTokens }
            let written = usage.completionTokens - before.completionTokens
            #expect(usage.cost == expected + (try #require(Money(units: Double(written) * 0.002))))
        }
    }

    @Test(.slow) func `a budget ends at its limit, and no body hides its model`() async throws {
        try await withPrices { gateway, file in
            let key = try await gateway.store.keys.create(
                name: "a", grant: KeyGrant(budgetPerMonth: Money("0.02")))
            try await gateway.waitForKeys()
            let body = #"{"model":"llama3.2",\#(Self.chat)}"#
            for (path, hidden) in [
                ("/api/generate", #"{"prompt":"x"}"#), ("/api/chat", #"{"model":"gemma3:270m","model":"llama3.2"}"#),
            ] {
                let reply = try await gateway.post(path, hidden, token: key.secret)
                #expect(reply.status == 403 && reply.error.contains("spend so much only"), "\(reply.text)")
            }
            for _ in 0..<2 { #expect(try await gateway.post("/api/chat", body, token: key.secret).status == 200) }
            let refused = try await gateway.post("/api/chat", body, token: key.secret)
            #expect(refused.status == 429 && refused.code == "quota_exceeded", "\(refused.text)")
            #expect(refused.error.contains("0.02 EUR a month") && refused.head["retry-after"] != nil)
            #expect(try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#, token: key.secret).status == 429)
            #expect(try await gateway.request("GET", "/api/tags", headers: Self.bearer(key.secret)).status == 200)
            // A wrong list changes nothing; a new one holds from then on.
            try Data("llama3.2 free".utf8).write(to: file)
            #expect(await gateway.application.reloadConfiguration() == false)
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            try Data("llama3.2 0 1\n".utf8).write(to: file)
            #expect(await gateway.application.reloadConfiguration())
            #expect(try await gateway.post("/api/chat", body, token: admin.secret).status == 200)
            let usage = try await gateway.usage(of: admin) { $0.cost > .zero }
            #expect(usage.cost == Money("0.00001"))
        }
    }

    @Test(.slow) func `the console's routes set the limits and show the money`() async throws {
        try await withPrices { gateway, _ in
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            let headers = Self.bearer(admin.secret)
            let made = try await gateway.post(
                "/api/admin/keys",
                #"{"name":"a","requests_at_once":2,"budget_per_month":0.5,"priority":"low"}"#, token: admin.secret)
            #expect(made.status == 201 && made.object["budget_per_month"] as? Double == 0.5, "\(made.text)")
            #expect(made.object["priority"] as? String == "low" && made.object["currency"] as? String == "EUR")
            let id = try #require(made.object["id"] as? Int)
            let secret = try #require(made.object["key"] as? String)
            let body = #"{"model":"llama3.2",\#(Self.chat)}"#
            #expect(try await gateway.post("/api/chat", body, token: secret).status == 200)
            let isCounted = try await eventually {
                try await gateway.store.keys.usage(since: UTCDay(unixSeconds: 0)).contains { $0.usage.cost > .zero }
            }
            #expect(isCounted)
            let shown = try await gateway.request("GET", "/api/admin/keys/\(id)", headers: headers)
            let day = try #require((shown.object["usage"] as? [[String: Any]])?.first)
            #expect(day["cost"] as? Double == 0.0102 && day["cost_elsewhere"] as? Double == 0.000012, "\(shown.text)")
            let changed = try await gateway.request(
                "PATCH", "/api/admin/keys/\(id)", #"{"budget_per_month":null,"priority":"high"}"#, headers: headers)
            #expect(changed.object["budget_per_month"] == nil && changed.object["requests_at_once"] as? Int == 2)
            #expect(try await gateway.store.keys.find("a").grant == KeyGrant(requestsAtOnce: 2, priority: .high))
            for (field, wrong) in [
                ("budget_per_month", "0"), ("budget_per_month", "-1"), ("budget_per_month", "1e9"),
                ("requests_at_once", "0"), ("priority", #""urgent""#),
            ] {
                let reply = try await gateway.post(
                    "/api/admin/keys", #"{"name":"b","\#(field)":\#(wrong)}"#, token: admin.secret)
                #expect(reply.status == 400 && reply.error.contains("\"\(field)\""), "\(reply.text)")
            }
        }
    }

    @Test(.slow) func `a key at its places waits while another one is answered`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 2000
        options.tokensPerSecond = 100
        try await LiveGateway.with(options) { gateway in
            let slow = try await gateway.store.keys.create(name: "slow", grant: KeyGrant(requestsAtOnce: 1))
            let other = try await gateway.store.keys.create(name: "other")
            try await gateway.waitForKeys()
            let body = #"{"model":"llama3.2",\#(Self.chat)}"#
            let first = try await gateway.open(
                "POST", "/api/chat", body, headers: Self.bearer(slow.secret))
            let second = Task {
                try await gateway.open("POST", "/api/chat", body, headers: Self.bearer(slow.secret))
            }
            try await waitUntil { gateway.application.shared.admission.load.waiting == 1 }
            let passing = try await gateway.open(
                "POST", "/api/chat", body, headers: Self.bearer(other.secret))
            #expect(passing.head["x-queue-position"] == "0")
            #expect(gateway.application.shared.admission.load == (2, 1))
            first.body.cancel()
            let late = try await second.value
            #expect(late.head["x-queue-position"] == "1")
            late.body.cancel()
            passing.body.cancel()
        }
    }
}
