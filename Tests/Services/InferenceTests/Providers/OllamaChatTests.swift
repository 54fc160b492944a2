import FakeOllama
import Foundation
import GatewayAPI
import Logging
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Chats over Ollama's own API, against a synthetic Ollama.
@Suite(.serialized) struct OllamaChats {
    private static let weather = ChatTool(
        name: "get_weather", summary: "The weather of a place.",
        parameters: .object([
            "type": .string("object"), "properties": .object(["city": .object(["type": .string("string")])]),
        ]))

    private func with(
        _ options: FakeOllama.Options = .init(), rules: ModelRules = .none, places: Int = 4,
        _ body: (FakeOllama, OllamaChat, Admission) async throws -> Void
    ) async throws {
        try await FakeOllama.withServer(options) { fake in
            let endpoint = EndpointConfiguration(upstream: try UpstreamConfiguration(host: fake.baseURL))
            let pool = try EndpointPool([endpoint], logger: EndpointPools.logger)
            let admission = Admission(maxInFlight: places, maxWaiting: 8)
            let upstream = OllamaUpstream(pool: pool, rules: rules)
            try await body(fake, OllamaChat(upstream: upstream, admission: admission), admission)
            #expect(admission.load == (0, 0))
            await pool.shutdown(within: .zero)
        }
    }

    private func ask(_ text: String, of model: String = "llama3.2") -> ModelChatRequest {
        ModelChatRequest(model: model, turns: [.system("Be brief."), .user(text)])
    }

    private func body(_ fake: FakeOllama) throws -> JSONValue {
        let sent = try #require(fake.lastRequest?.body)
        return try #require(try JSONDocument(parsing: Array(sent.utf8)).value)
    }

    @Test func `an answer streams with its counts and its end`() async throws {
        try await with { fake, chat, _ in
            var request = ask("Hello")
            (request.maxTokens, request.contextTokens, request.temperature) = (3, 2048, 0.5)
            let answer = await ChatRecording(request, to: chat)
            #expect(answer.error == nil)
            #expect(answer.events.first == .sent)
            #expect(answer.text == "the gateway passes ")
            #expect(answer.end == ChatEnd(.length))
            #expect(answer.usage?.promptTokens == 3)
            #expect(answer.usage?.completionTokens == 3)
            #expect(answer.usage?.loadTime != nil)
            let body = try body(fake)
            #expect(body["truncate"] == .bool(false))
            #expect(body["shift"] == .bool(false))
            #expect(
                body["options"]
                    == .object(["num_predict": .integer(3), "num_ctx": .integer(2048), "temperature": .number(0.5)]))
        }
    }

    @Test func `a tool is called, and its result is answered`() async throws {
        try await with { fake, chat, _ in
            var request = ask("The weather in Oslo", of: "qwen3:0.6b")
            request.tools = [Self.weather]
            let first = await ChatRecording(request, to: chat)
            let call = try #require(first.calls.first)
            #expect(call.name == "get_weather")
            #expect(call.arguments == .object(["city": .string("Oslo")]))
            #expect(first.end?.reason == .calls)
            #expect(first.end?.continuation == .object(["thinking": .string(first.thinking)]))
            request.turns += [
                .assistant(ChatReply(text: "", calls: first.calls, continuation: first.end?.continuation)),
                .toolResult(id: call.id, name: call.name, text: "sunny", isError: false),
            ]
            let second = await ChatRecording(request, to: chat)
            #expect(second.text == "The tool says: sunny")
            #expect(second.end == ChatEnd(.stop))
            let messages = try #require(try body(fake)["messages"]?.elements)
            #expect(messages[2]["thinking"] == .string(first.thinking))
            #expect(messages[2]["tool_calls"]?.elements?.first?["id"] == .string(call.id))
            #expect(messages[3]["tool_name"] == .string("get_weather"))
            #expect(messages[3]["tool_call_id"] == .string(call.id))
        }
    }

    @Test func `arguments that are no object go back as an empty one`() async throws {
        try await with { _, chat, _ in
            var request = ask("x")
            request.turns += [
                .assistant(ChatReply(text: "", calls: [ChatCall(id: "", name: "f", arguments: .string("{"))])),
                .toolResult(id: "", name: "f", text: "not valid", isError: true),
            ]
            let answer = await ChatRecording(request, to: chat)
            #expect(answer.text == "The tool says: not valid")
        }
    }

    @Test func `a model thinks unless it is switched off, and a schema shapes the answer`() async throws {
        try await with { _, chat, _ in
            var request = ask("x", of: "qwen3:0.6b")
            #expect(await ChatRecording(request, to: chat).thinking == "The question asks for thought.")
            request.thinks = false
            request.format = .schema(
                .object([
                    "type": .string("object"), "properties": .object(["age": .object(["type": .string("integer")])]),
                ]))
            let answer = await ChatRecording(request, to: chat)
            #expect(answer.thinking == "")
            #expect(answer.text == #"{"age":1}"#)
        }
    }

    @Test func `what a model can do is looked up once`() async throws {
        var options = FakeOllama.Options()
        options.cloudModels = ["big:cloud"]
        try await with(options, rules: try ModelRules(aliases: ["fast": "qwen3:0.6b"])) { fake, chat, _ in
            let plain = ChatCapabilities(tools: false, thinking: false, contextTokens: 8192)
            let able = ChatCapabilities(tools: true, thinking: true, contextTokens: 8192)
            for _ in 0..<2 {
                let found = try await chat.capabilities(of: "gemma3:270m")
                #expect(found == plain)
            }
            #expect(fake.statistics.requests["/api/show"] == 1)
            let found = (try await chat.capabilities(of: "fast"), try await chat.capabilities(of: "big:cloud"))
            #expect(found.0 == able)
            #expect(found.1.isRemote)
            #expect(fake.loadedModels == [])
            do throws(UpstreamError) {
                _ = try await chat.capabilities(of: "none")
                Issue.record("no error")
            } catch {
                #expect(error.status == 404)
            }
            let models = try await chat.models()
            #expect(models.contains("llama3.2:latest"))
        }
    }

    @Test func `a prompt that is longer than the context is refused, not cut`() async throws {
        try await with { _, chat, _ in
            var request = ask("one two three four five")
            request.contextTokens = 4
            let answer = await ChatRecording(request, to: chat)
            #expect(answer.error?.status == 400)
            #expect(answer.events == [.sent])
            request.contextTokens = 10
            let full = await ChatRecording(request, to: chat)
            #expect(full.end == ChatEnd(.length))
        }
    }

    @Test(arguments: [
        ("drop", UpstreamError.Code.cut, false), ("cut=2", .cut, true), ("reset=2", .cut, true),
        ("error-line=2", .status, true), ("bad-json=2", .invalidResponse, true), ("status=503", .status, false),
        ("busy=503:7", .status, false),
    ])
    func `a fault is an error, after the events before it`(fault: String, code: UpstreamError.Code, isMid: Bool)
        async throws
    {
        try await with { fake, chat, _ in
            fake.setFaults(["\(fault)@/api/chat"])
            let answer = await ChatRecording(ask("Hello"), to: chat)
            #expect(answer.error?.code == code)
            #expect(answer.text == (isMid ? "the gateway " : ""))
            #expect(answer.end == nil)
            if fault.hasPrefix("busy") { #expect(answer.error?.retryAfterSeconds == 7) }
        }
    }

    @Test(arguments: ["cut=3", "reset=3", "bad-json=3", "error-line=3"])
    func `text that might have become thinking is there when the answer breaks off`(fault: String) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("Otto <think>so it goes on and on")])
        try await with(options) { fake, chat, _ in
            fake.setFaults(["\(fault)@/api/chat"])
            let answer = await ChatRecording(ask("Hello"), to: chat)
            #expect(answer.error != nil)
            #expect(answer.text == "Otto <think>so it ")
        }
    }

    @Test func `a request that waits learns its place, and leaves when its reader does`() async throws {
        try await with(places: 1) { fake, chat, admission in
            let held = try await admission.acquire(AdmissionCaller("b"))
            let waiting = Collected<ChatEvent>()
            let task = Task {
                try await chat.chat(ask("Hello"), for: AdmissionCaller("a")) { waiting.add($0) }
            }
            try await waitUntil { waiting.all == [.waiting(place: 1)] }
            #expect(fake.statistics.requests["/api/chat"] == nil)
            struct Gone: Error {}
            await #expect(throws: Gone.self) {
                try await chat.chat(ask("Hello"), for: AdmissionCaller("c")) { _ in throw Gone() }
            }
            #expect(admission.load.waiting == 1)
            held.release()
            try await task.value
            #expect(waiting.all.dropFirst().first == .sent)
        }
    }

    @Test func `cancelling closes the upstream's connection, in every phase`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await with(options) { fake, chat, _ in
            for (index, fault) in ["stall-first=600@/api/chat", "stall-mid=3:600@/api/chat", ""].enumerated() {
                fake.setFaults(fault.isEmpty ? [] : [fault])
                let seen = Collected<ChatEvent>()
                let task = Task { try await chat.chat(ask("Hello"), for: AdmissionCaller("a")) { seen.add($0) } }
                let least = index == 0 ? 1 : 3
                try await waitUntil { seen.all.count >= least && fake.statistics.inFlight == 1 }
                task.cancel()
                await #expect(throws: (any Error).self) { try await task.value }
                #expect(await fake.waitUntil { $0.cancelled == index + 1 && $0.inFlight == 0 })
            }
        }
    }

    @Test func `connections are used again`() async throws {
        try await with { fake, chat, _ in
            for _ in 0..<3 { #expect(await ChatRecording(ask("Hello"), to: chat).end == ChatEnd(.stop)) }
            #expect(fake.statistics.cancelled == 0)
        }
    }
}
