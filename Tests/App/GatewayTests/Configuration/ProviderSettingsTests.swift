import Foundation
import Gateway
import Inference
import LLM
import TestSupport
import Testing
import Transport

/// The setting of other providers.
@Suite struct ProviderConfigurations {
    private func load(_ providers: String, _ environment: [String: String] = [:]) throws -> GatewayConfiguration {
        try GatewayConfiguration.load(
            environment: environment.merging(["HOME": "/nonexistent", "SELENE_PROVIDERS": providers]) { $1 })
    }

    @Test func `providers are read with their keys, addresses and abilities`() throws {
        let configuration = try load(
            #"""
            {"openai": {"kind": "openai", "key_env": "MY_KEY", "first_byte_timeout": 9},
             "claude": {"kind": "anthropic", "key_env": "NO_KEY"},
             "vllm": {"kind": "openai", "url": "http://10.0.0.7:8000/v1/", "local": true, "tools": false,
                      "thinking": true, "context": 32768, "max_in_flight": 2}}
            """#, ["MY_KEY": " sk-secret-0123456789\n", "SELENE_IDLE_TIMEOUT": "7"])
        let providers = configuration.llm.providers
        #expect(providers.map(\.name) == ["claude", "openai", "vllm"])
        #expect(providers.map(\.dialect) == [.anthropic, .openAI, .openAI])
        #expect(
            providers.map(\.upstream.baseURL) == [
                "https://api.anthropic.com:443", "https://api.openai.com:443/v1", "http://10.0.0.7:8000/v1",
            ])
        #expect(providers[0].key.problem == "the environment variable NO_KEY is not set")
        #expect(providers[1].key == .value("sk-secret-0123456789"))
        #expect(providers[2].key == .none)
        #expect(providers.map(\.isLocal) == [false, false, true])
        #expect(providers.map(\.hasTools) == [true, true, false])
        #expect(providers[2].canThink && providers[2].contextTokens == 32768 && providers[2].maxInFlight == 2)
        #expect(providers[1].upstream.firstByteTimeout == .seconds(9))
        #expect(providers.allSatisfy { $0.upstream.idleTimeout == .seconds(7) })
        var dumped = "\(configuration) \(providers) \(String(reflecting: configuration.llm))"
        dump(configuration.llm, to: &dumped)
        #expect(!dumped.contains("sk-secret"))
        #expect(try load("").llm.providers == [])
    }

    @Test func `a key's file has to be its owner's alone`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("key")
        func key() throws -> ProviderKey {
            try #require(
                try load(#"{"a":{"kind":"openai","key_file":"\#(file)"}}"#).llm.providers.first?.key)
        }
        #expect(try key().problem?.contains(file) == true)
        try Data("sk-secret-0123456789\n".utf8).write(to: URL(filePath: file))
        for mode in [0o644, 0o640, 0o604, 0o601, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let problem = try key().problem
            #expect(problem == "other users may read \(file); run: chmod 600 \(file)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try key() == .value("sk-secret-0123456789"))
        for content in ["", " \n", "two words", "sk-\u{e9}", String(repeating: "k", count: 5000)] {
            try Data(content.utf8).write(to: URL(filePath: file))
            #expect(try key().problem?.contains("holds no key") == true)
        }
    }

    @Test(arguments: [
        "[]", "{", #"{"a":1}"#, #"{"ollama":{"kind":"openai"}}"#, #"{"A":{"kind":"openai"}}"#,
        #"{"":{"kind":"openai"}}"#,
        #"{"a":{}}"#, #"{"a":{"kind":"sk-secret"}}"#, #"{"a":{"kind":"openai","key":"sk-secret"}}"#,
        #"{"a":{"kind":"openai","url":"sk-secret"}}"#, #"{"a":{"kind":"openai","url":"https://x:sk-secret@h/v1"}}"#,
        #"{"a":{"kind":"openai","url":"ftp://sk-secret"}}"#, #"{"a":{"kind":"openai","tools":"sk-secret"}}"#,
        #"{"a":{"kind":"openai","key_env":"A","key_file":"sk-secret"}}"#,
        #"{"a":{"kind":"openai","key_env":"A","url":"http://sk-secret.example.org/v1"}}"#,
        #"{"a":{"kind":"openai","local":true}}"#, #"{"a":{"kind":"openai","local":true,"url":"http://8.8.8.8"}}"#,
        #"{"a":{"kind":"openai","local":true,"url":"http://10.0.0.1.sk-secret.org"}}"#,
        #"{"a":{"kind":"openai","context":0}}"#, #"{"a":{"kind":"openai","max_in_flight":1e99}}"#,
    ])
    func `what cannot be meant is refused by name, without its value`(text: String) {
        let error = #expect(throws: (any Error).self) { try load(text) }
        let message = "\(error.map { "\($0)" } ?? "")"
        #expect(message.contains("SELENE_PROVIDERS"), "\(message)")
        #expect(!message.contains("sk-secret"), "\(message)")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("localhost", true), ("[::1]", true), ("10.1.2.3", true), ("172.16.0.1", true),
        ("172.31.0.1", true), ("192.168.1.1", true), ("gpu", true), ("gpu.local", true), ("gpu.lan", true),
        ("[fd00::1]", true), ("[fe80::1]", true), ("172.32.0.1", false), ("11.0.0.1", false), ("example.org", false),
        ("10.0.0.1.example.org", false), ("[2001:db8::1]", false), ("local", true), ("0x8080808", false),
        ("134744072", false),
    ])
    func `private addresses are told from others`(host: String, isPrivate: Bool) throws {
        let text = #"{"a":{"kind":"openai","local":true,"url":"http://\#(host):8000/v1"}}"#
        if isPrivate {
            #expect(try load(text).llm.providers.first?.isLocal == true)
        } else {
            #expect(throws: (any Error).self) { try load(text) }
        }
    }
}
