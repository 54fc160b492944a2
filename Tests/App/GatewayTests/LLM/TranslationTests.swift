import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// Requests for a provider's models in protocols that the provider does not speak.
@Suite(.serialized) struct TranslatedRequests {
    /// The routes, each with the models of providers that do not answer it.
    private static let pairs = [
        ("/api/chat", "gpu/small"), ("/api/chat", "claude/small"), ("/api/generate", "gpu/small"),
        ("/api/generate", "claude/small"), ("/v1/chat/completions", "claude/small"), ("/v1/messages", "gpu/small"),
        ("/v1/responses", "gpu/small"), ("/v1/responses", "claude/small"),
    ]
    private static let words = "Grüße 🎻 日本 the gateway passes every word Grüße 🎻 日本 the "
    private static let schema = #"{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"integer"}}}"#

    /// A request with a question in the protocol of a route.
    private static func ask(_ path: String, _ model: String, _ text: String, stream: Bool, _ more: String = "")
        -> String
    {
        let question =
            switch path {
            case "/api/generate": #""prompt":"\#(text)""#
            case "/v1/responses": #""input":"\#(text)""#
            default: #""max_tokens":4096,"messages":[{"role":"user","content":"\#(text)"}]"#
            }
        return #"{"model":"\#(model)","stream":\#(stream),\#(question)\#(more)}"#
    }

    private static func objects(_ text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("data: {") || line.hasPrefix("{") else { return nil }
            let json = line.hasPrefix("{") ? line : line.dropFirst(6)
            return try JSONDocument(parsing: Array(json.utf8)).value
        }
    }

    /// The text of a stream or of a whole answer.
    private static func text(_ path: String, _ answers: [JSONValue]) -> String {
        answers.map { answer -> String in
            switch path {
            case "/api/chat": answer.at("message", "content").string
            case "/api/generate": answer.at("response").string
            case "/v1/chat/completions":
                answer.at("choices").first.at("delta", "content").string
                    + answer.at("choices").first.at("message", "content").string
            case "/v1/messages":
                answer.at("delta", "text").string + answer.at("content").all.map { $0.at("text").string }.joined()
            default:
                answer.at("type").string == "response.output_text.delta"
                    ? answer.at("delta").string
                    : answer.at("output").all.flatMap { $0.at("content").all }.map { $0.at("text").string }.joined()
            }
        }.joined()
    }

    @Test(arguments: pairs) func `text comes whole and as a stream`(path: String, model: String) async throws {
        try await ProviderGateway.with { gateway, provider in
            let whole = try await gateway.request("POST", path, Self.ask(path, model, "Hello", stream: false))
            #expect(whole.status == 200, "\(whole.text)")
            #expect(Self.text(path, try Self.objects(whole.text)) == Self.words, "\(whole.text)")
            let stream = try await gateway.request("POST", path, Self.ask(path, model, "Hello", stream: true))
            let type = path.hasPrefix("/api/") ? "application/x-ndjson" : "text/event-stream"
            #expect(stream.status == 200 && stream.head["Content-Type"] == type, "\(stream.text)")
            #expect(Self.text(path, try Self.objects(stream.text)) == Self.words, "\(stream.text)")
            let end = path == "/v1/chat/completions" ? "data: [DONE]\n\n" : nil
            if let end { #expect(stream.text.hasSuffix(end)) }
            let sent = try #require(provider.lastRequest)
            #expect(sent.body.contains(#""model":"small""#) && sent.body.contains(#""stream":true"#))
            #expect(gateway.fake.statistics.requests[path] == nil)
            let name = model.hasPrefix("gpu") ? "gpu" : "claude"
            let counted = #"selene_provider_requests_total{provider="\#(name)",outcome="done"}"#
            _ = try await gateway.metrics { $0[counted] == 2 }
        }
    }

    @Test func `the last line of Ollama has the counts, and Responses theirs`() async throws {
        try await ProviderGateway.with { gateway, _ in
            let chat = try await gateway.request(
                "POST", "/api/chat", Self.ask("/api/chat", "claude/small", "Hello there", stream: true))
            let last = try #require(try Self.objects(chat.text).last)
            #expect(last.at("done") == .bool(true) && last.at("done_reason").string == "stop")
            #expect(last.at("prompt_eval_count") == .integer(2) && last.at("eval_count") == .integer(12))
            guard case .integer(let total) = last.at("total_duration") else {
                Issue.record("no duration")
                return
            }
            #expect(total > 0)
            let response = try await gateway.request(
                "POST", "/v1/responses", Self.ask("/v1/responses", "gpu/small", "Hello there", stream: false))
            let usage = try #require(try Self.objects(response.text).first).at("usage")
            #expect(usage.at("input_tokens") == .integer(2) && usage.at("total_tokens") == .integer(14))
            let cut = try await gateway.request(
                "POST", "/api/chat",
                Self.ask("/api/chat", "gpu/small", "Hello", stream: true, #","options":{"num_predict":2}"#))
            #expect(try Self.objects(cut.text).last?.at("done_reason").string == "length")
            let loaded = try await gateway.request("POST", "/api/chat", #"{"model":"gpu/small"}"#)
            #expect(loaded.status == 200 && loaded.object["done_reason"] as? String == "load", "\(loaded.text)")
        }
    }

    @Test(arguments: [
        ("/api/chat", "claude/thinker"), ("/v1/messages", "gpu/thinker"), ("/v1/chat/completions", "claude/thinker"),
        ("/v1/responses", "gpu/thinker"),
    ])
    func `a model thinks, calls two tools and answers from their results`(path: String, model: String) async throws {
        try await ProviderGateway.with(thinks: true) { gateway, provider in
            let question = "Use the tools find_text and read_pages"
            let functions = ["find_text", "read_pages"].map { name in
                path == "/v1/messages"
                    ? #"{"name":"\#(name)","input_schema":\#(Self.schema)}"#
                    : path == "/v1/responses"
                        ? #"{"type":"function","name":"\#(name)","parameters":\#(Self.schema)}"#
                        : #"{"type":"function","function":{"name":"\#(name)","parameters":\#(Self.schema)}}"#
            }.joined(separator: ",")
            let think =
                [
                    "/api/chat": #""think":true"#, "/v1/messages": #""thinking":{"type":"adaptive"}"#,
                    "/v1/chat/completions": #""reasoning_effort":"low""#,
                    "/v1/responses": #""reasoning":{"effort":"low"}"#,
                ][path] ?? ""
            let more = #","tools":[\#(functions)],\#(think)"#
            let first = try await gateway.request(
                "POST", path, Self.ask(path, model, question, stream: true, more))
            #expect(first.status == 200, "\(first.text)")
            #expect(first.text.contains("The question "), "\(first.text)")
            #expect(try #require(provider.lastRequest).body.contains(Self.schema))
            let calls = try Self.calls(path, try Self.objects(first.text))
            #expect(calls.map(\.name) == ["find_text", "read_pages"], "\(first.text)")
            #expect(calls.allSatisfy { $0.arguments.hasPrefix(#"{"zeta":"#) && !$0.id.isEmpty }, "\(calls)")
            let body = Self.answering(path, model, question, calls, functions)
            let second = try await gateway.request("POST", path, body)
            #expect(second.status == 200, "\(second.text)")
            let text = Self.text(path, try Self.objects(second.text))
            #expect(text == "The tools say: of find_text; of read_pages", "\(second.text)")
        }
    }

    /// The calls of a stream, with their arguments as the client gets them.
    private static func calls(
        _ path: String, _ answers: [JSONValue]
    ) throws -> [(id: String, name: String, arguments: String)] {
        var calls: [(id: String, name: String, arguments: String)] = []
        for answer in answers {
            switch path {
            case "/api/chat":
                for call in answer.at("message", "tool_calls").all {
                    let arguments = String(decoding: call.at("function", "arguments").json, as: UTF8.self)
                    // Here the members are sorted by the test's own reader.
                    let isWhole = arguments.contains("zeta") && arguments.contains("alpha")
                    calls.append(
                        (call.at("id").string, call.at("function", "name").string, isWhole ? #"{"zeta":"# : arguments))
                }
            case "/v1/chat/completions":
                for call in answer.at("choices").first.at("delta", "tool_calls").all {
                    let name = call.at("function", "name").string
                    if !name.isEmpty { calls.append((call.at("id").string, name, "")) }
                    calls[calls.count - 1].arguments += call.at("function", "arguments").string
                }
            case "/v1/messages":
                if answer.at("content_block", "type").string == "tool_use" {
                    calls.append(
                        (answer.at("content_block", "id").string, answer.at("content_block", "name").string, ""))
                }
                let piece = answer.at("delta", "partial_json").string
                if !piece.isEmpty { calls[calls.count - 1].arguments += piece }
            default:
                guard answer.at("type").string == "response.output_item.done",
                    answer.at("item", "type").string == "function_call"
                else { continue }
                let item = answer.at("item")
                calls.append((item.at("call_id").string, item.at("name").string, item.at("arguments").string))
            }
        }
        return calls
    }

    /// The request that goes on with the results of calls.
    private static func answering(
        _ path: String, _ model: String, _ question: String, _ calls: [(id: String, name: String, arguments: String)],
        _ tools: String
    ) -> String {
        func join(_ form: ((id: String, name: String, arguments: String)) -> String) -> String {
            calls.map(form).joined(separator: ",")
        }
        let user = #"{"role":"user","content":"\#(question)"}"#
        let messages: String
        switch path {
        case "/api/chat":
            let made = join { #"{"id":"\#($0.id)","function":{"name":"\#($0.name)","arguments":{}}}"# }
            let results = join { #"{"role":"tool","tool_name":"\#($0.name)","content":"of \#($0.name)"}"# }
            messages = #""messages":[\#(user),{"role":"assistant","content":"","tool_calls":[\#(made)]},\#(results)]"#
        case "/v1/chat/completions":
            let made = join {
                #"{"id":"\#($0.id)","type":"function","function":{"name":"\#($0.name)","arguments":"{}"}}"#
            }
            let results = join { #"{"role":"tool","tool_call_id":"\#($0.id)","content":"of \#($0.name)"}"# }
            messages = #""messages":[\#(user),{"role":"assistant","content":null,"tool_calls":[\#(made)]},\#(results)]"#
        case "/v1/messages":
            let made = join { #"{"type":"tool_use","id":"\#($0.id)","name":"\#($0.name)","input":{}}"# }
            let results = join { #"{"type":"tool_result","tool_use_id":"\#($0.id)","content":"of \#($0.name)"}"# }
            messages =
                #""max_tokens":99,"messages":[\#(user),{"role":"assistant","content":[\#(made)]},{"role":"user","content":[\#(results)]}]"#
        default:
            let made = join { #"{"type":"function_call","call_id":"\#($0.id)","name":"\#($0.name)","arguments":"{}"}"# }
            let results = join { #"{"type":"function_call_output","call_id":"\#($0.id)","output":"of \#($0.name)"}"# }
            messages = #""input":[\#(user),\#(made),\#(results)]"#
        }
        return #"{"model":"\#(model)","stream":false,\#(messages),"tools":[\#(tools)]}"#
    }

    @Test func `pictures reach the provider in its own form`() async throws {
        try await ProviderGateway.with { gateway, provider in
            let data = "iVBORw0KGgo="
            let requests = [
                (
                    "/api/chat", "claude/small",
                    #"{"model":"claude/small","stream":false,"messages":[{"role":"user","content":"x","images":["\#(data)"]}]}"#
                ),
                (
                    "/api/generate", "gpu/small",
                    #"{"model":"gpu/small","stream":false,"prompt":"x","images":["\#(data)"]}"#
                ),
                (
                    "/v1/messages", "gpu/small",
                    #"{"model":"gpu/small","max_tokens":99,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(data)"}}]}]}"#
                ),
                (
                    "/v1/chat/completions", "claude/small",
                    #"{"model":"claude/small","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,\#(data)"}}]}]}"#
                ),
                (
                    "/v1/responses", "claude/small",
                    #"{"model":"claude/small","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\#(data)"}]}]}"#
                ),
            ]
            for (path, model, body) in requests {
                let reply = try await gateway.request("POST", path, body)
                #expect(reply.status == 200, "\(reply.text)")
                #expect(Self.text(path, try Self.objects(reply.text)) == "I see image/png", "\(path) \(reply.text)")
                #expect(try #require(provider.lastRequest).body.contains(data), "\(model)")
            }
            // A body larger than what is usually held in memory.
            let large = String(repeating: "iVBORw0K", count: 40_000)
            let reply = try await gateway.request(
                "POST", "/api/generate", #"{"model":"gpu/small","stream":false,"prompt":"x","images":["\#(large)"]}"#)
            #expect(reply.status == 200 && reply.text.contains("I see image/png"))
        }
    }

    @Test func `structured answers and probabilities, or a refusal that says why`() async throws {
        try await ProviderGateway.with { gateway, provider in
            for model in ["gpu/small", "claude/small"] {
                let reply = try await gateway.request(
                    "POST", "/api/chat",
                    Self.ask("/api/chat", model, "x", stream: false, #","format":\#(Self.schema)"#))
                let text = Self.text("/api/chat", try Self.objects(reply.text))
                #expect(text.hasPrefix(#"{"zeta":"#) && text.contains("alpha"), "\(reply.text)")
                #expect(try #require(provider.lastRequest).body.contains(Self.schema))
            }
            let chances = try await gateway.request(
                "POST", "/api/chat", Self.ask("/api/chat", "gpu/small", "x", stream: true, #","logprobs":true"#))
            let entries = try Self.objects(chances.text).flatMap { $0.at("logprobs").all }
            #expect(entries.map { $0.at("token").string }.joined() == Self.words, "\(chances.text)")
            for more in [#","logprobs":true"#, #","format":"json""#] {
                let refused = try await gateway.request(
                    "POST", "/api/chat", Self.ask("/api/chat", "claude/small", "x", stream: true, more))
                #expect(refused.status == 400 && refused.error.contains("leave it out"), "\(refused.text)")
            }
            let several = try await gateway.request(
                "POST", "/v1/chat/completions",
                Self.ask("/v1/chat/completions", "claude/small", "x", stream: true, #","n":2"#))
            #expect(several.status == 400 && several.text.contains(#"field \"n\""#), "\(several.text)")
        }
    }

    @Test(.slow, arguments: pairs) func `errors come in the client's form`(path: String, model: String) async throws {
        try await ProviderGateway.with { gateway, provider in
            let inner = { (reply: LiveGateway.Reply) in
                path.hasPrefix("/api/")
                    ? reply.error : (reply.object["error"] as? [String: Any])?["message"] as? String ?? ""
            }
            let echo = model.replacing("small", with: "echo")
            let unknown = try await gateway.request("POST", path, Self.ask(path, echo, "x", stream: true))
            #expect(unknown.status == 404 && inner(unknown).contains("does not exist"), "\(unknown.text)")
            #expect(!unknown.text.contains(FakeProvider.Options().key ?? "-"))
            let route = model.hasPrefix("gpu") ? "/v1/chat/completions" : "/v1/messages"
            provider.setFaults(["busy=429:30@\(route)"])
            let busy = try await gateway.request("POST", path, Self.ask(path, model, "x", stream: false))
            #expect(busy.status == 429 && busy.head["Retry-After"] == "30", "\(busy.text)")
            #expect(!inner(busy).isEmpty)
            for fault in ["error-line=4", "cut=4"] {
                provider.setFaults(["\(fault)@\(route)"])
                let broken = try await gateway.request("POST", path, Self.ask(path, model, "x", stream: true))
                #expect(broken.status == 200, "\(broken.text)")
                let last = broken.text.split(separator: "\n").last ?? ""
                #expect(last.contains(#""error":"#), "\(broken.text)")
                #expect(!broken.text.contains("[DONE]") && !broken.text.contains("message_stop"))
                #expect(!broken.text.contains("response.completed") && !broken.text.contains(#""done":true"#))
                let whole = try await gateway.request("POST", path, Self.ask(path, model, "x", stream: false))
                #expect(whole.status >= 500, "\(whole.text)")
            }
            let bare = try await gateway.request(
                "POST", "/api/chat", Self.ask("/api/chat", "bare/small", "x", stream: true))
            #expect(bare.status == 502 && bare.error.contains("has no key"))
        }
    }

    @Test(arguments: [("/api/chat", "claude/small"), ("/v1/responses", "gpu/small")])
    func `a client that leaves closes the provider's connection`(path: String, model: String) async throws {
        try await ProviderGateway.with({
            $0.tokens = 10_000
            $0.tokenPause = 0.02
        }) { gateway, provider in
            for streams in [true, false] {
                let before = provider.statistics.cancelled
                let body = Self.ask(path, model, "Hello", stream: streams)
                if streams {
                    let response = try await gateway.open("POST", path, body)
                    for try await _ in response.body { break }
                    response.body.cancel()
                } else {
                    let asking = Task { try await gateway.request("POST", path, body) }
                    try await waitUntil { provider.statistics.inFlight == 1 }
                    asking.cancel()
                    _ = try? await asking.value
                }
                try await waitUntil {
                    provider.statistics.cancelled == before + 1 && provider.statistics.inFlight == 0
                }
            }
        }
    }

    @Test func `keys count: their models, their tokens`() async throws {
        try await ProviderGateway.with { gateway, provider in
            let limited = try await gateway.store.keys.create(
                name: "limited", grant: KeyGrant(scopes: [.llm], models: ["claude/small"], tokensPerDay: 20)
            ).secret
            try await gateway.waitForKeys()
            func ask(_ model: String) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/chat", Self.ask("/api/chat", model, "Hello", stream: true),
                    headers: [("Authorization", "Bearer \(limited)")])
            }
            #expect(try await ask("gpu/small").status == 403)
            #expect(provider.statistics.requests.isEmpty)
            let first = try await ask("claude/small")
            #expect(first.status == 200, "\(first.text)")
            try await waitUntil { try await ask("claude/small").status == 429 }
            let tags = try await gateway.request(
                "GET", "/api/tags", headers: [("Authorization", "Bearer \(limited)")])
            #expect(tags.objects("models").map { $0["name"] as? String } == ["claude/small"], "\(tags.text)")
            let shown = try await gateway.request(
                "POST", "/api/show", #"{"model":"gpu/small"}"#, headers: [("Authorization", "Bearer \(limited)")])
            #expect(shown.status == 403)
        }
    }

    @Test func `what Claude Code and Codex send reaches a provider of another protocol`() async throws {
        try await ProviderGateway.with { gateway, provider in
            let schema =
                #"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#
            let claudeCode = """
                {"model":"gpu/small","max_tokens":32000,"stream":true,"temperature":1,"metadata":{"user_id":"u"},
                 "system":[{"type":"text","text":"You are a program.","cache_control":{"type":"ephemeral"}}],
                 "messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},
                  {"type":"text","text":"Use the tool Read","cache_control":{"type":"ephemeral"}}]}],
                 "tools":[{"name":"Read","description":"Reads a file","input_schema":\(schema)}],
                 "thinking":{"type":"enabled","budget_tokens":31999},"output_config":{"effort":"high"},
                 "context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}}
                """
            let events = try await gateway.request("POST", "/v1/messages?beta=true", claudeCode)
            #expect(events.status == 200 && events.text.contains(#""name":"Read""#), "\(events.text)")
            #expect(events.text.hasSuffix("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"))
            #expect(try #require(provider.lastRequest).body.contains(schema))
            for model in ["gpu/small", "claude/small"] {
                let codex = """
                    {"model":"\(model)","instructions":"You are Codex.","input":[
                     {"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]},
                     {"type":"message","role":"user","content":[{"type":"input_text","text":"Use the tool exec_command"}]}],
                     "tools":[{"type":"function","name":"exec_command","description":"Runs","strict":false,"parameters":\(schema)},
                     {"type":"web_search","external_web_access":false}],"tool_choice":"auto","parallel_tool_calls":true,
                     "reasoning":{"effort":"medium","summary":"auto"},"store":false,"stream":true,
                     "include":["reasoning.encrypted_content"],"prompt_cache_key":"k","text":{"verbosity":"low"}}
                    """
                let answer = try await gateway.request("POST", "/v1/responses", codex)
                #expect(answer.status == 200 && answer.text.contains("exec_command"), "\(answer.text)")
                #expect(try Self.objects(answer.text).last?.at("type").string == "response.completed")
                #expect(try #require(provider.lastRequest).body.contains(schema))
            }
        }
    }

    @Test(.slow) func `a body that is too large is refused before it is read whole`() async throws {
        try await ProviderGateway.with { gateway, provider in
            let large = String(repeating: "iVBORw0K", count: 33 << 17)
            let reply = try await gateway.request(
                "POST", "/api/generate", #"{"model":"gpu/small","prompt":"x","images":["\#(large)"]}"#)
            #expect(reply.status == 413 || reply.status == 503, "\(reply.status)")
            #expect(provider.statistics.requests.isEmpty)
        }
    }

    @Test func `an alias of a provider's model is translated too`() async throws {
        try await ProviderGateway.with(settings: ["model_aliases": "fast=claude/small"]) { gateway, _ in
            let reply = try await gateway.request(
                "POST", "/api/chat", Self.ask("/api/chat", "fast", "Hello", stream: false))
            #expect(reply.status == 200 && reply.object["model"] as? String == "fast", "\(reply.text)")
        }
    }
}

extension JSONValue {
    /// The value of a member within members; null when there is none.
    fileprivate func at(_ names: String...) -> JSONValue {
        names.reduce(self) { value, name in
            if case .object(let members) = value { members[name] ?? .null } else { .null }
        }
    }
    fileprivate var string: String { if case .string(let text) = self { text } else { "" } }
    fileprivate var all: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    fileprivate var first: JSONValue { all.first ?? .null }
}
