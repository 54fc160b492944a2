import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
@testable import KeyRoom
import NIOCore
import TestSupport
import Testing
import Transport

@testable import Storage

/// Keys between processes: the binary beside a gateway, two gateways on one file, and one that is killed.
@Suite(.serialized) struct KeysOfSeveralProcesses {
    private func generate(_ server: ServeProcess, _ key: NewKey) async throws -> Int {
        try await server.request(
            "POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: [("Authorization", "Bearer \(key.secret)")]
        ).status
    }

    /// Runs a gateway on the file of a home directory.
    private func withGateway(
        _ home: SeleneHome, _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.tokens = 10
        let gateway = try await LiveGateway.start(folder: home.url, options, settings: [:])
        do {
            try await body(gateway)
        } catch {
            await gateway.stop()
            throw error
        }
        await gateway.stop()
    }

    /// What `--json` says of a key.
    private struct Shown: Decodable {
        struct Day: Decodable {
            var requests: Int
            var refused: Int
            var completion_tokens: Int
        }
        var key: String?
        var scopes: [String]
        var models: [String]
        var requests_per_minute: Int?
        var tokens_per_day: Int?
        var expires_at: String?
        var usage: [Day]
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ outcome: SeleneHome.Outcome) throws -> Value {
        try JSONDecoder().decode(type, from: Data(outcome.output.utf8))
    }

    @Test(.slow) func `what the command line changes holds in a running gateway within a quarter of a second`()
        async throws
    {
        let home = try SeleneHome()
        try await withGateway(home) { gateway in
            let created = try await home.run(
                [
                    "keys", "create", "guest", "--scope", "llm", "--model", "llama3.2", "--expires", "30d", "--rpm",
                    "600", "--tokens-per-day", "100000", "--json",
                ])
            #expect(created.status == 0, "\(created.errors)")
            let guest = try decode(Shown.self, created)
            #expect(guest.scopes == ["llm"])
            #expect(guest.models == ["llama3.2"])
            #expect(guest.requests_per_minute == 600)
            #expect(guest.tokens_per_day == 100_000)
            #expect(guest.expires_at != nil)
            let key = NewKey(record: try await gateway.database.keys.find("guest"), secret: try #require(guest.key))
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).status == 200)
            let query = #"{"query":"x"}"#
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).code == "missing_scope")

            let edited = try await home.run(
                [
                    "keys", "set", "guest", "--scope", "notes:read", "--expires", "never", "--any-model", "--rpm",
                    "none", "--json",
                ])
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).code == "missing_scope")
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).status == 200)
            let changed = try decode(Shown.self, edited)
            #expect(changed.scopes == ["notes:read"])
            #expect(changed.models.isEmpty)
            #expect(changed.requests_per_minute == nil && changed.expires_at == nil)
            #expect(changed.tokens_per_day == 100_000)

            _ = try await gateway.usage(of: key) { $0.requests == 4 }
            let shown = try decode(Shown.self, try await home.run(["keys", "show", "guest", "--json"]))
            #expect(shown.usage.map(\.requests).reduce(0, +) == 4)
            #expect(shown.usage.map(\.refused).reduce(0, +) == 2)
            #expect(shown.usage.map(\.completion_tokens).reduce(0, +) == 10)
            #expect(try await home.run(["keys", "show", "guest"]).output.contains("100000 tokens a day"))
            let list = try await home.run(["keys", "list"]).output
            #expect(list.contains("guest") && list.contains("notes:read"))
            #expect(try await home.run(["keys", "revoke", "guest"]).status == 0)
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).code == "forbidden")
        }
    }

    @Test(
        .slow,
        arguments: [
            ["create", "a", "--scope", "root"], ["create", "a", "--expires", "soon"],
            ["create", "a", "--expires", "0d"],
            ["create", "a", "--expires", "2020-01-01"], ["create", "a", "--rpm", "0"], ["create", "a", "--rpm", "-1"],
            ["create", "a", "--tokens-per-day", "many"], ["set", "a"], ["set", "a", "--any-model", "--model", "b"],
        ]) func `terms that make no sense are refused as wrong usage`(arguments: [String]) async throws
    {
        let home = try SeleneHome()
        #expect(try await home.run(["keys"] + arguments).status == 64)
    }

    @Test(.slow) func `a quota survives a restart`() async throws {
        let home = try SeleneHome()
        var made: NewKey?
        try await withGateway(home) { gateway in
            let key = try await gateway.database.keys.create(name: "a", grant: KeyGrant(tokensPerDay: 11))
            made = key
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).status == 200)
            #expect(try await gateway.generate(key).code == "quota_exceeded")
        }
        let key = try #require(made)
        try await withGateway(home) { gateway in
            #expect(try await gateway.generate(key).code == "quota_exceeded")
            let usage = try await gateway.usage(of: key) { $0.requests == 3 }
            #expect(usage == KeyUsage(requests: 3, refused: 2, promptTokens: 1, completionTokens: 10))
        }
    }

    @Test(.slow) func `two processes share a quota, and a kill loses nothing that was written`() async throws {
        let home = try SeleneHome()
        try await withGateway(home) { gateway in
            let key = try await gateway.database.keys.create(name: "a", grant: KeyGrant(tokensPerDay: 20))
            try await ServeProcess.with(["OLLAMA_HOST": gateway.fake.baseURL], home: home) { server in
                #expect(try await generate(server, key) == 200)
                _ = try await gateway.usage(of: key) { $0.completionTokens == 10 }
                try await server.end(SIGKILL)
            }
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).status == 200)
            #expect(try await gateway.generate(key).code == "quota_exceeded")
            _ = try await gateway.usage(of: key) { $0.completionTokens == 20 }
            try await ServeProcess.with(["OLLAMA_HOST": gateway.fake.baseURL], home: home) { server in
                #expect(try await generate(server, key) == 429)
                try await server.end(SIGTERM)
            }
            let usage = try await gateway.usage(of: key) { $0.requests == 4 }
            #expect(usage == KeyUsage(requests: 4, refused: 2, promptTokens: 2, completionTokens: 20))
        }
    }
}
