import FakeProviders
import GatewayAPI
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Chats with other providers, against a synthetic one.
@Suite(.serialized) struct RemoteChats {
    private func ask(_ text: String, of model: String = "small") -> ModelChatRequest {
        ModelChatRequest(model: model, turns: [.system("Be brief."), .user(text)])
    }

    @Test func `an answer streams with its counts and its end`() async throws {
        try await RemoteStand.with { stand in
            for provider in stand.both {
                var request = ask("Hello")
                let whole = await ChatRecording(request, to: provider)
                #expect(whole.error == nil)
                #expect(whole.events.first == .sent)
                #expect(whole.text.hasPrefix("Grüße 🎻 日本 the gateway "))
                #expect(whole.end == ChatEnd(.stop))
                #expect(whole.usage?.promptTokens == 3 && whole.usage?.completionTokens == 12)
                request.maxTokens = 2
                let cut = await ChatRecording(request, to: provider)
                #expect(cut.text == "Grüße 🎻 ")
                #expect(cut.end == ChatEnd(.length))
                #expect(await ChatRecording(ask("Please refuse"), to: provider).end == ChatEnd(.refused))
                request.format = .schema(
                    .object([
                        "type": .string("object"),
                        "properties": .object(["age": .object(["type": .string("integer")])]),
                    ]))
                request.maxTokens = nil
                #expect(await ChatRecording(request, to: provider).text == #"{"age":1}"#)
            }
            #expect(stand.fake.statistics.cancelled == 0)
        }
    }

    @Test func `several calls at once, their results and the signed thinking go back`() async throws {
        try await RemoteStand.with { stand in
            for provider in stand.both {
                var request = ask("Use the tools find_text and read_pages", of: "thinker")
                request.tools = RemoteStand.tools
                request.thinks = true
                request.temperature = provider.name == "openai" ? 0.5 : nil
                let first = await ChatRecording(request, to: provider)
                #expect(first.error == nil)
                #expect(first.thinking == "The question asks for thought 🤔.")
                #expect(first.calls.map(\.name) == ["find_text", "read_pages"])
                #expect(first.calls.last?.arguments == .object(["from": .integer(1), "to": .integer(1)]))
                #expect(first.end?.reason == .calls)
                request.turns.append(
                    .assistant(
                        ChatReply(text: first.text, calls: first.calls, continuation: first.end?.continuation)))
                for call in first.calls {
                    request.turns.append(
                        .toolResult(id: call.id, name: call.name, text: "of \(call.name)", isError: false))
                }
                let second = await ChatRecording(request, to: provider)
                #expect(second.error == nil)
                #expect(second.text == "The tools say: of find_text; of read_pages")
                #expect(second.end == ChatEnd(.stop))
            }
        }
    }

    @Test func `a conversation of another provider is continued`() async throws {
        try await RemoteStand.with { stand in
            let calls = [
                ChatCall(id: "", name: "f", arguments: .string("{")), ChatCall(id: "", name: "g", arguments: .null),
                ChatCall(id: "not valid!", name: "h", arguments: .object([:])),
            ]
            for provider in stand.both {
                let turns: [ChatTurn] = [
                    .user("one"), .assistant(ChatReply(text: "")), .user("two"),
                    .assistant(
                        ChatReply(
                            text: "", calls: calls, continuation: .object(["thinking": .string("x")]))),
                    .toolResult(id: "", name: "g", text: "of g", isError: true), .user("three"),
                    .toolResult(id: "lost", name: "h", text: "late", isError: false), .assistant(ChatReply(text: "so")),
                    .user("four"),
                ]
                let answer = await ChatRecording(ModelChatRequest(model: "small", turns: turns), to: provider)
                #expect(answer.error == nil)
                #expect(answer.end == ChatEnd(.stop))
            }
        }
    }

    @Test func `Anthropic's citations come as the passages' numbers`() async throws {
        try await RemoteStand.with { stand in
            var request = ask("What do they say?")
            request.turns.insert(contentsOf: [.user("Before"), .assistant(ChatReply(text: "Yes"))], at: 1)
            request.passages = [
                CitablePassage(number: 4, title: "A", text: "the sea is blue"),
                CitablePassage(number: 5, title: "Empty", text: " "),
                CitablePassage(number: 7, title: "", text: "so is the sky"),
            ]
            let answer = await ChatRecording(request, to: stand.anthropic)
            #expect(answer.error == nil)
            #expect(answer.text == "The passages say: the sea is blue [4]so is the sky [7].")
            request.format = .schema(.object(["type": .string("object")]))
            #expect(await ChatRecording(request, to: stand.anthropic).error == nil)
            request.format = nil
            #expect(await ChatRecording(request, to: stand.openAI).text.hasPrefix("Grüße"))
        }
    }

    @Test func `what models can do, and which there are`() async throws {
        try await RemoteStand.with { stand in
            let (openAI, anthropic) = (
                try await stand.openAI.capabilities(of: "small"), try await stand.anthropic.capabilities(of: "small")
            )
            #expect(openAI == ChatCapabilities(tools: true, thinking: true, isRemote: true))
            #expect(
                anthropic
                    == ChatCapabilities(
                        tools: true, thinking: false, contextTokens: 200_000, isRemote: true, cites: true))
            let thinker = try await stand.anthropic.capabilities(of: "thinker")
            #expect(thinker.thinking)
            for provider in stand.both {
                let models = try await provider.models()
                #expect(models == ["small", "thinker"])
            }
            do throws(UpstreamError) {
                _ = try await stand.anthropic.capabilities(of: "a/../b?c")
                Issue.record("no error")
            } catch {
                #expect(error.status == 404)
            }
        }
    }

    @Test func `thinking is switched on and off only where the model knows it`() async throws {
        try await RemoteStand.with { stand in
            for (model, thinks, type) in [
                ("thinker", true, "adaptive"), ("thinker", false, "disabled"), ("small", true, nil),
            ] {
                var request = ask("Hello", of: model)
                request.thinks = thinks
                let answer = await ChatRecording(request, to: stand.anthropic)
                #expect(answer.error == nil)
                #expect(stand.lastBody()?["thinking"]?["type"]?.text == type)
                #expect(answer.thinking.isEmpty == (type != "adaptive"))
            }
        }
    }

    @Test func `vectors come in the order of the texts`() async throws {
        try await RemoteStand.with { stand in
            let texts = ["tide", "日本語 🎻", "the sea"]
            func embed(_ texts: [String]) async throws -> Embeddings {
                try await OpenAIEmbeddings.embed(stand.openAI.client, model: "small", inputs: texts, dimensions: 6)
            }
            let vectors = try await embed(texts)
            #expect(vectors.count == 3 && vectors.dimensions == 6 && vectors.promptTokens == 5)
            for (index, text) in texts.enumerated() {
                #expect(try await embed([text]).values == vectors.vector(index))
            }
        }
    }

    @Test func `a provider that is not named is never used`() async throws {
        try await RemoteStand.with { stand in
            let ollama = NoProvider(name: "ollama")
            let providers = ChatProviders(ollama: ollama, others: stand.both)
            for (name, provider, model) in [
                ("llama3.2", "ollama", "llama3.2"), ("hf.co/x/y:q4", "ollama", "hf.co/x/y:q4"),
                ("ollama/llama3.2", "ollama", "llama3.2"), ("openai/gpt", "openai", "gpt"),
                ("openai/meta/llama", "openai", "meta/llama"), ("anthropic/c", "anthropic", "c"),
                ("OpenAI/gpt", "ollama", "OpenAI/gpt"), ("openai", "ollama", "openai"),
                ("openai/", "ollama", "openai/"), ("/x", "ollama", "/x"), ("", "ollama", ""),
            ] {
                let found = providers.resolve(name)
                #expect(found.provider.name == provider && found.model == model)
            }
        }
    }
}

/// A provider that answers nothing.
private struct NoProvider: ChatProvider {
    var name: String
    var isLocal: Bool { true }
    func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities { throw .cancelled }
    func models() async throws(UpstreamError) -> [String] { [] }
    func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {}
}
