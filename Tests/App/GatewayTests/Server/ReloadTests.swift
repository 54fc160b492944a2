import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import KeyRoom
import Logging
import NIOCore
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

/// A configuration that changes while the gateway runs.
@Suite(.serialized) struct ConfigurationReload {
    private static let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#

    private func write(_ text: String, _ gateway: LiveGateway) throws {
        try Data(text.utf8).write(to: gateway.folder.appending(path: "config.json"), options: .atomic)
    }

    @Test(.slow) func `a changed file is taken over without a word to the streams that run`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 40
        options.tokensPerSecond = 40
        let file = #"{"generate_model":"llama3.2","max_in_flight":1,"api_token":"the-first-token"}"#
        try await LiveGateway.with(options, files: ["config.json": file]) { gateway in
            let first = [(name: "Authorization", value: "Bearer the-first-token")]
            let second = [(name: "Authorization", value: "Bearer the-second-token")]
            let streaming = try await gateway.open("POST", "/api/chat", Self.chat, headers: first)
            var lines = NDJSONLines(streaming.body).makeAsyncIterator()
            var text = try #require(try await lines.next())
            // The one place is taken: this one waits until the reload makes another.
            let waiting = Task {
                try await gateway.request("POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: first)
            }
            try await waitUntil { gateway.application.shared.admission.load.waiting > 0 }
            try write(#"{"generate_model":"gemma3:270m","max_in_flight":2,"api_token":"the-second-token"}"#, gateway)
            #expect(await gateway.application.reloadConfiguration())
            let reply = try await waiting.value
            #expect(reply.status == 200)
            #expect(reply.object["model"] as? String == "llama3.2")
            while var more = try await lines.next() { text.writeBuffer(&more) }
            let stream = String(buffer: text).split(separator: "\n")
            #expect(stream.count == 41)
            #expect(stream.last?.contains(#""done":true"#) == true)
            #expect(try await gateway.request("GET", "/api/llm/health", headers: first).status == 403)
            let now = try await gateway.request("POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: second)
            #expect(now.object["model"] as? String == "gemma3:270m")
        }
    }

    @Test(
        .slow,
        arguments: [
            "{", #"{"max_in_flight":0}"#, #"{"unknown":1}"#, #"{"generate_model":"new","idle_timeout":"soon"}"#, "[]",
        ]) func `a wrong file changes nothing at all`(text: String) async throws
    {
        let file = #"{"generate_model":"llama3.2","max_in_flight":7}"#
        try await LiveGateway.with(files: ["config.json": file]) { gateway in
            try write(text, gateway)
            #expect(await gateway.application.reloadConfiguration() == false)
            #expect(gateway.application.shared.live.current.generateModel == "llama3.2")
            #expect(gateway.application.shared.admission.limits.maxInFlight == 7)
            let metrics = try await gateway.metrics()
            #expect(metrics[#"selene_configuration_reloads_total{result="refused"}"#] >= 1)
            // And the next right one is taken.
            try write(#"{"max_in_flight":9}"#, gateway)
            #expect(await gateway.application.reloadConfiguration())
            #expect(gateway.application.shared.admission.limits.maxInFlight == 9)
        }
    }

    @Test(.slow) func `a file that changes is noticed by itself`() async throws {
        try await LiveGateway.with(files: ["config.json": #"{"max_in_flight":7}"#]) { gateway in
            try write(#"{"max_in_flight":11}"#, gateway)
            #expect(await eventually { gateway.application.shared.admission.limits.maxInFlight == 11 })
        }
    }

    @Test func `the timeouts of the upstream follow, and what needs a restart is remembered`() async throws {
        try await LiveGateway.with(files: ["config.json": "{}"]) { gateway in
            gateway.fake.setFaults(["stall-first=30"])
            try write(#"{"first_byte_timeout":0.2,"max_body_bytes":2048}"#, gateway)
            #expect(await gateway.application.reloadConfiguration())
            let reply = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#)
            #expect(reply.code == "upstream_first_byte_timeout")
            #expect(await gateway.application.reloader?.pending == ["max_body_bytes"])
        }
    }

    @Test func `a configuration that would open the gateway to everybody is refused`() async throws {
        let applied = Mutex(0)
        let open = try GatewayConfiguration.load(flags: ["host": "0.0.0.0"], environment: [:])
        let closed = try GatewayConfiguration.load(
            flags: ["host": "0.0.0.0", "api_token": "a-token-that-is-long"], environment: [:])
        let reloader = ConfigurationReloader(
            current: closed, load: { _ in open }, parts: [.simple(.apiToken) { _ in applied.withLock { $0 += 1 } }],
            check: { _, configuration in
                if configuration.server.apiToken == nil { throw ConfigurationError(message: "anybody could come in") }
            },
            metrics: GatewayMetrics(), logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(await reloader.reload(because: "test") == false)
        #expect(applied.withLock { $0 } == 0)
        #expect(open.changes(since: closed) == ["api_token"])
    }

    @Test func `a file that vanishes changes nothing, and the gateway stays closed`() async throws {
        let file = #"{"max_in_flight":7,"api_token":"a-token-of-some-length"}"#
        try await LiveGateway.with(files: ["config.json": file]) { gateway in
            let path = gateway.folder.appending(path: "config.json").path
            #expect(try await gateway.request("GET", "/api/notes").status == 401)
            try FileManager.default.moveItem(atPath: path, toPath: path + "~")
            #expect(await gateway.application.reloadConfiguration() == false)
            #expect(try await gateway.request("GET", "/api/notes").status == 401)
            #expect(gateway.application.shared.admission.limits.maxInFlight == 7)
            // The one that an editor then puts in its place holds.
            try write(#"{"max_in_flight":8,"api_token":"another-token-of-some-length"}"#, gateway)
            #expect(await gateway.application.reloadConfiguration())
            let other = [(name: "Authorization", value: "Bearer another-token-of-some-length")]
            #expect(try await gateway.request("GET", "/api/notes", headers: other).status == 200)
            #expect(gateway.application.shared.admission.limits.maxInFlight == 8)
        }
    }

    @Test(.slow, arguments: ["", "{}", #"{"max_in_flight":9}"#]) func `a reload never takes the last credential away`(
        text: String
    ) async throws {
        try await LiveGateway.with(files: ["config.json": #"{"api_token":"a-token-of-some-length"}"#]) { gateway in
            try write(text, gateway)
            #expect(await gateway.application.reloadConfiguration() == false)
            #expect(gateway.application.shared.admission.limits.maxInFlight == 64)
            #expect(try await gateway.request("GET", "/api/notes").status == 401)
        }
    }

    @Test func `a token may go when a key is left, and the gateway stays closed without either`() async throws {
        try await LiveGateway.with(files: ["config.json": #"{"api_token":"a-token-of-some-length"}"#]) { gateway in
            let key = try await gateway.store.keys.create(name: "phone")
            try write("{}", gateway)
            #expect(await gateway.application.reloadConfiguration())
            let phone = [(name: "Authorization", value: "Bearer \(key.secret)")]
            #expect(try await gateway.request("GET", "/api/notes", headers: phone).status == 200)
            try await gateway.execute("DELETE FROM gateway_keys")
            #expect(
                try await eventually {
                    try await gateway.request("GET", "/api/notes", headers: phone).status == 403
                })
            #expect(try await gateway.request("GET", "/api/notes").status == 401)
        }
    }

    @Test func `a token that could be guessed is refused beyond this machine, at a reload too`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-token-\(UUID().uuidString)")
        let database = try GatewayDatabase(path: folder.appending(path: "n.sqlite").path)
        defer {
            try? database.close()
            try? FileManager.default.removeItem(at: folder)
        }
        func configuration(_ host: String, _ token: String) throws -> ServerSettings {
            try GatewayConfiguration.load(flags: ["host": host, "api_token": token], environment: [:]).server
        }
        let check = CredentialCheck(
            hasKey: database.keys.hasLiveKey, mayHaveKey: database.keys.mayHaveLiveKey)
        let (short, long) = (String(repeating: "a", count: 15), String(repeating: "a", count: 16))
        try await check.check(configuration("0.0.0.0", long))
        try await check.check(configuration("127.0.0.1", short))
        let started = try configuration("0.0.0.0", long)
        for refused in [try configuration("0.0.0.0", short), try configuration("127.0.0.1", short)] {
            do {
                // The address changes with a restart only.
                try await check.check(refused, after: started, listeningAs: started)
                Issue.record("it was taken")
            } catch let error as ConfigurationError {
                #expect(error.message.contains("16") && error.message.contains("SELENE_API_TOKEN"))
                #expect(!error.message.contains(short))
            }
        }
        await #expect(throws: ConfigurationError.self) { try await check.check(configuration("0.0.0.0", short)) }
    }

    @Test(.slow) func `SIGHUP reloads a server, and its log says what changed`() async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let (log, file) = (home.url.appending(path: "log"), home.url.appending(path: "own.json"))
            try Data().write(to: log)
            try Data(#"{"max_in_flight":3}"#.utf8).write(to: file)
            let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_CONFIG": file.path]
            func hasLogged(_ text: String) async throws -> Bool {
                try await eventually { try String(contentsOf: log, encoding: .utf8).contains(text) }
            }
            try await ServeProcess.with(environment, home: home, log: try FileHandle(forWritingTo: log)) { server in
                try Data(#"{"max_in_flight":4,"max_body_bytes":4096}"#.utf8).write(to: file, options: .atomic)
                kill(server.process.processIdentifier, SIGHUP)
                #expect(try await hasLogged("changed=max_in_flight"))
                #expect(try await hasLogged("settings=max_body_bytes"))
                #expect(try await server.request("GET", "/api/admin/stats").text.contains(#""max_in_flight":4"#))
                try Data("{".utf8).write(to: file, options: .atomic)
                kill(server.process.processIdentifier, SIGHUP)
                #expect(try await hasLogged("the old one stays in force"))
                #expect(try await server.request("GET", "/health").status == 200)
            }
        }
    }
}
