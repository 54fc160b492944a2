import GatewayAPI
import NIOCore
import Testing

@testable import Inference

/// Which model a request is for, and how its body goes on.
@Suite struct ModelResolvers {
    static func rules() throws -> ModelRules {
        try ModelRules(
            aliases: ["fast": "small:1b"],
            defaults: ["small:1b": ModelDefaults(options: ["num_ctx": .integer(8192)])])
    }

    static func resolve(
        _ pieces: [String], path: String = "/api/chat", rules: ModelRules = .none, isRestricted: Bool = false,
        isEncoded: Bool = false, isWhole: Bool = true, allows: (String) -> Bool = { _ in true }
    ) -> (ModelResolver, ModelResolver.Step) {
        var resolver = ModelResolver(path: path, rules: rules, isRestricted: isRestricted, isEncoded: isEncoded)
        for piece in pieces { #expect(resolver.push(ByteBuffer(string: piece), allows: allows) == nil) }
        let step = resolver.resolve(ByteBuffer(string: pieces.joined()), isWhole: isWhole, allows: allows)
        return (resolver, step)
    }

    static func refusal(_ step: ModelResolver.Step) -> ModelResolver.Refusal? {
        if case .refused(let refusal) = step { refusal } else { nil }
    }

    static func request(_ step: ModelResolver.Step) -> ModelRequest? {
        if case .resolved(let request) = step { request } else { nil }
    }

    @Test func `an alias gives way to its model, and defaults are filled in, wherever the body is cut`() throws {
        let body = #"{"model":"fast","prompt":"x"}"#
        let whole = ModelResolver.request(
            path: "/api/generate", body: ByteBuffer(string: body), rules: try Self.rules())
        #expect(whole.name == "fast" && whole.model == "small:1b")
        #expect(String(buffer: whole.body).contains("8192"))
        for cut in 0...body.count {
            let (_, step) = Self.resolve(
                [String(body.prefix(cut)), String(body.dropFirst(cut))], path: "/api/generate", rules: try Self.rules())
            let request = try #require(Self.request(step))
            #expect(request.body == whole.body && request.model == whole.model)
        }
    }

    @Test func `a body without rules goes on as it is`() throws {
        let body = #"{ "prompt": "x", "model": "m" }"#
        let (resolver, step) = Self.resolve([body])
        let request = try #require(Self.request(step))
        #expect(request.model == "m" && String(buffer: request.body) == body)
        #expect(!resolver.isReadAsJSON)
        for text in ["", "no JSON", "[1]", #"{"model":7}"#] {
            let request = try #require(Self.request(Self.resolve([text]).1))
            #expect(request.model == nil && String(buffer: request.body) == text)
        }
    }

    @Test func `more of a body is wanted once, to fill in defaults`() throws {
        var resolver = ModelResolver(path: "/api/chat", rules: try Self.rules())
        let beginning = ByteBuffer(string: #"{"model":"fast","messages":["#)
        _ = resolver.push(beginning) { _ in true }
        guard case .needsMore(let limit) = resolver.resolve(beginning, isWhole: false, allows: { _ in true }) else {
            Issue.record("the model is resolved")
            return
        }
        #expect(limit == ModelResolver.rewriteLimit && resolver.limit == limit)
        let request = Self.request(resolver.resolve(beginning, isWhole: false, allows: { _ in true }))
        #expect(request?.model == "small:1b")
        #expect(resolver.request?.model == "small:1b")
        // Without defaults nothing is gained by more of it.
        #expect(Self.request(Self.resolve([#"{"model":"m","#], rules: try Self.rules(), isWhole: false).1) != nil)
    }

    @Test func `a model that is named twice is refused where rules depend on it`() throws {
        let body = #"{"model":"a","model":"b"}"#
        #expect(Self.refusal(Self.resolve([body], rules: try Self.rules()).1) == .repeated)
        #expect(Self.request(Self.resolve([body]).1)?.model == "b")
        #expect(Self.request(Self.resolve([body], rules: try Self.rules(), isEncoded: true).1)?.model == nil)
    }

    @Test func `a restricted key gets what it may name, and nothing unclear`() {
        func step(_ body: String, isEncoded: Bool = false, isWhole: Bool = true) -> ModelResolver.Step {
            Self.resolve([body], isRestricted: true, isEncoded: isEncoded, isWhole: isWhole) { $0 == "mine" }.1
        }
        #expect(Self.request(step(#"{"model":"mine"}"#))?.model == "mine")
        #expect(Self.refusal(step(#"{"model":"other"}"#)) == .notAllowed("other"))
        for body in [#"{"model":"mine","model":"mine"}"#, #"{"Model":"mine"}"#, "{}", "x", #"{"model":"mine""#] {
            #expect(Self.refusal(step(body)) == .unclear, "\(body)")
        }
        #expect(Self.refusal(step(#"{"model":"mine"}"#, isEncoded: true)) == .unclear)
        #expect(Self.request(step(#"{"model":"mine","#, isWhole: false))?.model == "mine")
    }

    @Test func `what comes later must not name another model to a restricted key`() {
        var resolver = ModelResolver(path: "/api/chat", rules: .none, isRestricted: true)
        let beginning = ByteBuffer(string: #"{"model":"mine","#)
        #expect(resolver.push(beginning) { $0 == "mine" } == nil)
        guard case .resolved = resolver.resolve(beginning, isWhole: false, allows: { $0 == "mine" }) else {
            Issue.record("the model is not resolved")
            return
        }
        #expect(resolver.isReadAsJSON)
        #expect(resolver.push(ByteBuffer(string: #""prompt":"x","#)) { $0 == "mine" } == nil)
        #expect(resolver.push(ByteBuffer(string: #""model":"other"}"#)) { $0 == "mine" } == .unclear)
    }
}
