import FakeOllama
import Logging
import Testing
import Transport

@testable import Inference

/// Where models run: by name, by what Ollama says, by the address.
struct ModelPlaceTests {
    @Test(arguments: [
        "kimi-k2.5:cloud", "gpt-oss:120b-cloud", "GPT-OSS:120B-CLOUD", "x:Cloud", "hf.co/a/b:cloud",
        "host:5000/a/b:q4-cloud",
        "qwen3:8b:cloud", "x:cloud ", " x:cloud", "x:cloud@sha256:00", "x:8b-cloud:local",
        "registry.ollama.ai/library/x:cloud",
    ])
    func `names of Ollama's cloud`(name: String) { #expect(ModelPlace.isCloudName(name)) }

    @Test(arguments: [
        "llama3.2", "cloud", "cloud:latest", "mycloud", "x:cloudy", "x:8b", "cloud:8b", "a/cloud", "host:cloud/a",
        "x-cloud", "",
        "x:cloud8b",
    ])
    func `other names`(name: String) { #expect(!ModelPlace.isCloudName(name)) }

    @Test(arguments: [
        ("http://127.0.0.1:11434", true), ("localhost", true), (":11434", true), ("[::1]", true), ("10.0.0.2", true),
        ("192.168.1.4:11434", true), ("172.20.0.2", true), ("nas", true), ("http://ollama:11434", true),
        ("box.local", true),
        ("gpu.lan", true), ("host.docker.internal:11434", true), ("100.101.102.103", true), ("[fd00::1]", true),
        ("https://ollama.com", false), ("http://8.8.8.8", false), ("https://gpu.example.com/ollama", false),
        ("http://172.32.0.1", false), ("http://100.128.0.1", false), ("[2a00:1450::1]", false),
        ("http://134744072", false),
        ("http://0x08080808", false), ("https://127.0.0.1.example.com", false),
    ])
    func `addresses of the user's machines`(address: String, isHere: Bool) throws {
        #expect(ModelPlace.isHere(try UpstreamConfiguration(host: address)) == isHere)
    }

    @Test(arguments: [
        "http://localhost:x@evil.example/", "http://127.0.0.1@8.8.8.8", "http://localhost\\@evil.example",
    ])
    func `a user's name is no address`(url: String) {
        #expect(!ModelPlace.isHere(UpstreamConfiguration(baseURL: url, peer: "Ollama")))
        #expect(throws: UpstreamError.self) { try UpstreamConfiguration(host: url) }
    }

    private func with(
        _ options: FakeOllama.Options, others: [String] = [], rules: ModelRules = .none,
        cloud: CloudSwitch = CloudSwitch(),
        _ body: (OllamaUpstream, FakeOllama) async throws -> Void
    ) async throws {
        let fake = try await FakeOllama.start(options)
        let addresses = try ([fake.baseURL] + others).map { try UpstreamConfiguration(host: $0) }
        let pool = try EndpointPool(
            addresses.enumerated().map { EndpointConfiguration(name: "u\($0)", upstream: $1) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await body(OllamaUpstream(pool: pool, rules: rules, cloud: cloud), fake)
        await pool.shutdown(within: .zero)
        await fake.shutdown()
    }

    private static var options: FakeOllama.Options {
        var options = FakeOllama.Options()
        options.cloudModels = ["stub"]
        options.listedCloudModels = ["listed"]
        options.hostedModels = ["kimi-k2.5:cloud", "gpt-oss:120b-cloud", "embed:cloud"]
        return options
    }

    @Test(arguments: [
        ("llama3.2", true), ("stub", false), ("listed", false), ("kimi-k2.5:cloud", false),
        ("GPT-OSS:120b-Cloud", false),
        ("fast", false), ("small", true), ("unknown", true),
    ])
    func `Ollama's lists and descriptions, and aliases`(model: String, isHere: Bool) async throws {
        let rules = try ModelRules(aliases: ["fast": "gpt-oss:120b-cloud", "small": "llama3.2"])
        try await with(Self.options, rules: rules) { upstream, _ in
            let answers = [try await upstream.runsHere(model), try await upstream.runsHere(model)]
            #expect(answers == [isHere, isHere])
            let chat = OllamaChat(upstream: upstream, admission: Admission(maxInFlight: 4, maxWaiting: 4))
            #expect(chat.isLocal)
            guard model != "unknown" else { return }
            let isRemote = try await chat.capabilities(of: model).isRemote
            #expect(isRemote == !isHere)
        }
    }

    @Test func `one public upstream among several is enough`() async throws {
        try await with(Self.options, others: ["https://ollama.com"]) { upstream, _ in
            #expect(!upstream.isHere)
            let isHere = try await upstream.runsHere("llama3.2")
            #expect(!isHere)
            #expect(!OllamaChat(upstream: upstream, admission: Admission(maxInFlight: 4, maxWaiting: 4)).isLocal)
        }
    }

    @Test func `a model whose place Ollama does not tell is not called local`() async throws {
        try await with(Self.options) { upstream, fake in
            fake.setFaults(["status=500", "status=500"])
            await #expect(throws: UpstreamError.self) { try await upstream.runsHere("llama3.2") }
        }
    }

    @Test func `an answer made before the address moved still counts as one of the user's machines`() async throws {
        try await with(Self.options, others: ["https://ollama.com"]) { upstream, _ in
            let chat = OllamaChat(upstream: upstream, admission: Admission(maxInFlight: 4, maxWaiting: 4))
            let providers = ChatProviders(ollama: chat)
            #expect(!chat.isLocal)
            #expect(providers.mayRunHere("llama3.2") && !providers.mayRunHere("kimi-k2.5:cloud"))
        }
    }

    @Test func `a failure is kept for a second, an answer for longer, and a failure replaces no answer`() {
        let (places, start) = (KnownPlaces(), ContinuousClock.now)
        let failure = UpstreamError(.refused, "away")
        places.keep(.failure(failure), of: "m", at: start)
        #expect(places.failure(of: "m:latest", at: start + .milliseconds(999))?.message == failure.message)
        #expect(places.failure(of: "m", at: start + .seconds(1)) == nil)
        #expect(places.isHere("m", at: start) == nil)
        places.keep(.success(true), of: "m", at: start)
        places.keep(.failure(failure), of: "m", at: start + .seconds(1))
        #expect(places.isHere("m", at: start + .seconds(2)) == true && places.failure(of: "m", at: start) == nil)
        #expect(places.isHere("m", at: start + .seconds(31)) == nil)
    }

    @Test func `a model whose place was not told is not asked for again at once`() async throws {
        try await with(Self.options) { upstream, fake in
            upstream.places.keep(.failure(UpstreamError(.refused, "away")), of: "llama3.2", at: .now + .seconds(60))
            await #expect(throws: UpstreamError.self) { try await upstream.runsHere("llama3.2") }
            #expect(fake.received.isEmpty)
        }
    }

    @Test(arguments: ["stub", "listed", "kimi-k2.5:cloud", "gpt-oss:120b-cloud"])
    func `without the cloud nothing is sent to such a model`(model: String) async throws {
        try await with(Self.options, cloud: CloudSwitch(isOn: false)) { upstream, fake in
            let chat = OllamaChat(upstream: upstream, admission: Admission(maxInFlight: 4, maxWaiting: 4))
            let request = ModelChatRequest(model: model, turns: [.user("secret")])
            do {
                try await chat.chat(request, for: AdmissionCaller("test")) { _ in }
                Issue.record("the model answered")
            } catch let error as UpstreamError {
                #expect(error.code == .cloudOff && error.message.contains("SELENE_CLOUD"))
            }
            await #expect(throws: UpstreamError.self) { try await upstream.embed(model: model, inputs: ["secret"]) }
            await #expect(throws: UpstreamError.self) {
                try await upstream.rerank(.texts, model: model, "q", ["secret"])
            }
            #expect(!fake.received.contains { $0.body.contains("secret") })
            try await chat.chat(
                ModelChatRequest(model: "llama3.2", turns: [.user("hello")]), for: AdmissionCaller("test")
            ) { _ in }
        }
    }
}
