import Foundation
import GatewayAPI
import Inference
import Testing
import Transport

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// One list of models made of several, without a server.
@Suite struct MergedCatalogues {
    private func merge(_ path: String, _ bodies: [String], aliases: [String: String] = [:]) throws -> String {
        let catalogue = try #require(MergedCatalogue(path: path))
        return String(decoding: try catalogue.merge(bodies.map { Data($0.utf8) }, aliases: aliases), as: UTF8.self)
    }

    @Test func `entries stay as they are, the newest first, and of two the newer one`() throws {
        let one =
            #"{"models": [ {"name":"a:1", "modified_at":"2026-01-01T00:00:00.5Z","x":1.0 },{"name":"b:1","modified_at":"2026-03-01T00:00:00Z"}]}"#
        let two =
            #"{"models":[{"modified_at":"2026-01-01T02:00:00.6+02:00","name":"a:1","y":"ü"},{"name":"c:1","modified_at":"2026-02-28T20:00:00.123456789-07:00"}],"more":[]}"#
        let merged = try merge("/api/tags", [one, two])
        #expect(
            merged
                == #"{"models":[{"name":"c:1","modified_at":"2026-02-28T20:00:00.123456789-07:00"},{"name":"b:1","modified_at":"2026-03-01T00:00:00Z"},{"modified_at":"2026-01-01T02:00:00.6+02:00","name":"a:1","y":"ü"}]}"#
        )
    }

    @Test func `an alias is listed behind its model, as its copy`() throws {
        let list =
            #"{"models":[{"name":"a:latest","model":"a:latest","size":1},{"name":"b:1","model":"b:1","size":2}]}"#
        #expect(
            try merge("/api/tags", [list], aliases: ["fast": "b:1", "none": "c", "b:1": "a"])
                == #"{"models":[{"name":"a:latest","model":"a:latest","size":1},{"name":"b:1","model":"b:1","size":2},{"name":"fast:latest","model":"fast:latest","size":2}]}"#
        )
        let models = #"{"object":"list","data":[{"id":"a:latest","created":5},{"id":"b:1","created":7.0}]}"#
        #expect(
            try merge("/v1/models", [models, #"{"object":"list","data":null}"#], aliases: ["z": "a"])
                == #"{"object":"list","data":[{"id":"b:1","created":7.0},{"id":"a:latest","created":5},{"id":"z:latest","created":5}]}"#
                + "\n")
    }

    @Test func `what is no list is left out, and nothing but that is an error`() throws {
        #expect(try merge("/api/ps", ["nonsense", #"{"models":[]}"#, #"{"models":5}"#, "[]"]) == #"{"models":[]}"#)
        #expect(throws: UpstreamError.self) { try merge("/api/ps", ["nonsense", "{}"]) }
        #expect(MergedCatalogue(path: "/api/version") == nil)
    }
}

/// The settings of upstreams and models.
@Suite struct UpstreamConfigurations {
    private func load(_ environment: [String: String], flags: [String: String] = [:]) throws -> GatewayConfiguration {
        try GatewayConfiguration.load(flags: flags, environment: environment.merging(["HOME": "/nonexistent"]) { $1 })
    }

    @Test func `upstreams are read from a list, with keys, and an address on the command line counts more`() throws {
        let several = [
            "SELENE_UPSTREAMS": "big=http://10.0.0.2:8080, 10.0.0.3", "SELENE_UPSTREAM_KEYS": "big=k1",
            "SELENE_IDLE_TIMEOUT": "7", "OLLAMA_HOST": "10.0.0.9",
        ]
        let configuration = try load(several)
        #expect(configuration.llm.upstreams.map(\.name) == ["big", "10.0.0.3:11434"])
        #expect(
            configuration.llm.upstreams.map(\.upstream.baseURL) == ["http://10.0.0.2:8080", "http://10.0.0.3:11434"])
        #expect(configuration.llm.upstreams.map(\.key) == ["k1", nil])
        #expect(configuration.llm.upstreams.allSatisfy { $0.upstream.idleTimeout == .seconds(7) })
        #expect(configuration.llm.upstream == configuration.llm.upstreams[0].upstream)
        #expect(configuration.effective.first { $0.key == "upstream_keys" }?.value == "********")
        let overruled = try load(several, flags: ["ollama_host": "10.0.0.8"])
        #expect(overruled.llm.upstreams.map(\.upstream.baseURL) == ["http://10.0.0.8:11434"])
        let single = try load(["OLLAMA_HOST": "10.0.0.9"])
        #expect(single.llm.upstreams.map(\.upstream.baseURL) == ["http://10.0.0.9:11434"])
    }

    @Test func `a file may hold lists and objects`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-config-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try #"""
        {"upstreams": ["a=10.0.0.2", "b=10.0.0.3"], "model_aliases": {"fast": "llama3.2:1b"}, "load_shield": true,
         "model_defaults": {"llama3.2": {"num_ctx": 8192, "keep_alive": "30m", "pin": true}}}
        """#.write(to: file, atomically: true, encoding: .utf8)
        let configuration = try GatewayConfiguration.load(environment: [:], file: file.path)
        #expect(configuration.llm.upstreams.map(\.name) == ["a", "b"])
        #expect(configuration.llm.modelRules.resolve("fast:latest") == "llama3.2:1b")
        #expect(configuration.llm.shieldsLoads)
        let defaults = try #require(configuration.llm.modelRules.defaults(for: "llama3.2:latest"))
        #expect(
            defaults == ModelDefaults(options: ["num_ctx": .integer(8192)], keepAlive: .string("30m"), isPinned: true))
    }

    @Test(arguments: [
        ("SELENE_UPSTREAMS", "a=ftp://x"), ("SELENE_UPSTREAMS", "a=10.0.0.1,a=10.0.0.2"),
        ("SELENE_UPSTREAMS", "a b/c=1"),
        ("SELENE_UPSTREAM_KEYS", "nobody=k"), ("SELENE_MODEL_ALIASES", "fast"), ("SELENE_MODEL_ALIASES", "a=b,b=c"),
        ("SELENE_MODEL_ALIASES", "a=b,a=c"), ("SELENE_MODEL_DEFAULTS", "num_ctx=1"),
        ("SELENE_MODEL_DEFAULTS", #"{"a":{"pin":1}}"#), ("SELENE_MODEL_DEFAULTS", #"{"a":{"num_ctx":{}}}"#),
        ("SELENE_LOAD_SHIELD", "maybe"),
    ])
    func `what cannot be meant is refused by name`(variable: String, value: String) {
        let key = variable.dropFirst("SELENE_".count).lowercased()
        do {
            _ = try load([variable: value])
            Issue.record("\(variable)=\(value) was taken")
        } catch {
            #expect("\(error)".contains(variable) || "\(error)".contains(key), "\(error)")
        }
    }
}
