import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// Tools of a client's program, which a model of the notes calls and the program carries out.
@Suite(.serialized) struct NotesModelTools {
    private static let question = "Who repaired the harbour gauge?"
    private static let answer = "The harbour gauge was repaired in May by Anna Brandt [1]."
    private static let called = FakeOllama.Script.Line.call("get_weather", #"{"city":"Skagen"}"#)

    fileprivate typealias Object = [String: Any]

    /// A protocol, and where its calls and results are.
    struct Form: Sendable, CustomTestStringConvertible {
        let path: String
        /// What a stream with a call has.
        let reason: String
        var testDescription: String { path }

        static let all = [
            Form(path: "/api/chat", reason: #""tool_calls":[{"#),
            Form(path: "/v1/chat/completions", reason: #""finish_reason":"tool_calls""#),
            Form(path: "/v1/responses", reason: #""type":"function_call""#),
            Form(path: "/v1/messages", reason: #""stop_reason":"tool_use""#),
        ]

        /// A request with a conversation, which offers a tool.
        fileprivate func body(_ conversation: [Object], streams: Bool = false) throws -> String {
            let schema: Object = ["type": "object", "properties": ["city": ["type": "string"]]]
            let inner: Object = ["name": "get_weather", "description": "The weather now.", "parameters": schema]
            let tool: Object =
                switch path {
                case "/v1/responses": inner.merging(["type": "function"]) { $1 }
                case "/v1/messages": ["name": "get_weather", "input_schema": schema]
                default: ["type": "function", "function": inner]
                }
            let body: Object = [
                "model": "notes", "stream": streams, "tools": [tool], "max_tokens": 99,
                path == "/v1/responses" ? "input" : "messages": conversation,
            ]
            return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        }

        /// The messages that an answer is sent again as.
        fileprivate func resent(_ reply: Object) -> [Object] {
            switch path {
            case "/v1/responses": return reply["output"] as? [Object] ?? []
            case "/v1/messages": return [["role": "assistant", "content": reply["content"] ?? ""]]
            case "/v1/chat/completions":
                let choice = (reply["choices"] as? [Object])?.first
                return (choice?["message"] as? Object).map { [$0] } ?? []
            default:
                // Ollama's own clients leave out the ids of calls.
                var message = reply["message"] as? Object ?? [:]
                message["tool_calls"] = (message["tool_calls"] as? [Object])?.map { ["function": $0["function"] ?? ""] }
                return [message]
            }
        }

        /// The name and the id of each call of an answer.
        fileprivate func calls(_ reply: Object) -> [(name: String, id: String)] {
            let items = resent(reply)
            let blocks = items + items.flatMap { $0["content"] as? [Object] ?? [] }
            let lists = items.flatMap { $0["tool_calls"] as? [Object] ?? [] }
            return (blocks.filter { ["function_call", "tool_use"].contains($0["type"] as? String) } + lists).map {
                let function = $0["function"] as? Object ?? $0
                return (function["name"] as? String ?? "", ($0["call_id"] ?? $0["id"]) as? String ?? "")
            }
        }

        fileprivate func result(_ text: String, of id: String) -> Object {
            switch path {
            case "/v1/responses": ["type": "function_call_output", "call_id": id, "output": text]
            case "/v1/messages":
                ["role": "user", "content": [["type": "tool_result", "tool_use_id": id, "content": text]]]
            case "/v1/chat/completions": ["role": "tool", "tool_call_id": id, "content": text]
            default: ["role": "tool", "tool_name": "get_weather", "content": text]
            }
        }

        /// The tokens of the prompts of an answer.
        fileprivate func tokens(_ reply: Object) -> Int {
            let usage = reply["usage"] as? Object ?? reply
            return (usage["prompt_tokens"] ?? usage["input_tokens"] ?? usage["prompt_eval_count"]) as? Int ?? 0
        }

        /// The text of an answer.
        fileprivate func text(_ reply: Object) -> String {
            resent(reply).map { message in
                message["content"] as? String
                    ?? (message["content"] as? [Object] ?? []).compactMap { $0["text"] as? String }.joined()
            }.joined()
        }
    }

    private func with(
        _ script: [FakeOllama.Script.Line], in place: NotesPlace = .usual,
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await LiveGateway.with(options, notesIn: place) { gateway in
            try await gateway.create([
                NoteDraft(
                    title: "gauge", content: "The harbour gauge was repaired in May by Anna Brandt.", createdAt: 2)
            ])
            try await body(gateway)
        }
    }

    private func run(_ reply: LiveGateway.Reply) -> String? {
        reply.head.headers.first { $0.name.lowercased() == "x-selene-run" }?.value
    }

    private func messages(_ gateway: LiveGateway) async throws -> [String] {
        let sessions = try await gateway.done("GET", "/api/sessions").objects("sessions")
        #expect(sessions.count == 1)
        let id = try #require(sessions.first?["id"] as? String)
        return try await gateway.done("GET", "/api/sessions/\(id)/messages").objects("messages")
            .compactMap { $0["content"] as? String }
    }

    @Test(arguments: Form.all)
    func `an answer ends with a call, and goes on with its result`(_ form: Form) async throws {
        let lines: [FakeOllama.Script.Line] = [
            .call("find_text", #"{"text":"gauge"}"#), Self.called, Self.called, .text(Self.answer),
            .text("In May [1]."),
        ]
        try await with(lines) { gateway in
            var conversation: [Object] = [["role": "user", "content": Self.question]]
            var tokens = 0
            // A tool of the gateway's own, then two of the program's in requests of their own.
            for round in 1...2 {
                let reply = try await gateway.post(form.path, try form.body(conversation))
                let calls = form.calls(reply.object)
                #expect(reply.status == 200 && calls.map(\.name) == ["get_weather"], "\(reply.text)")
                #expect(form.text(reply.object) == "" && reply.text.contains("Skagen"), "\(reply.text)")
                #expect(gateway.lastAsked.contains(#""get_weather""#) && gateway.lastAsked.contains(#""find_text""#))
                let id = try #require(calls.first?.id)
                tokens += form.tokens(reply.object)
                conversation += form.resent(reply.object) + [form.result("\(10 + round) degrees", of: id)]
            }
            let last = try await gateway.post(form.path, try form.body(conversation))
            #expect(form.text(last.object).hasPrefix(Self.answer + "\n\nSources:\n[1] gauge"), "\(last.text)")
            #expect(form.calls(last.object).isEmpty)
            let told = gateway.lastAsked
            #expect(told.contains("11 degrees") && told.contains("12 degrees") && told.contains("Anna Brandt"))
            #expect(try await messages(gateway) == [Self.question, Self.answer])
            let runs = try await gateway.done("GET", "/api/chat/runs").objects("runs")
            #expect(runs.count == 1 && runs.first?["state"] as? String == "done")
            // Each answer has the tokens of its own requests.
            let run = try await gateway.run(try #require(self.run(last)))
            #expect(run.record?.usage?.promptTokens == tokens + form.tokens(last.object))

            conversation += form.resent(last.object) + [["role": "user", "content": "Where is the pilot boat moored?"]]
            let next = try await gateway.post(form.path, try form.body(conversation))
            #expect(next.status == 200, "\(next.text)")
            #expect(try await messages(gateway).count == 4)
        }
    }

    @Test(arguments: Form.all)
    func `a stream ends with a call behind its text, and its answer does not repeat that`(_ form: Form) async throws {
        let lines: [FakeOllama.Script.Line] = [
            .textAndCall("Let me look.", "get_weather", #"{"city":"Skagen"}"#), .text(Self.answer),
            .text("In May [1]."),
        ]
        try await with(lines) { gateway in
            let asked: Object = ["role": "user", "content": Self.question]
            let stream = try await gateway.post(form.path, try form.body([asked], streams: true))
            #expect(stream.status == 200 && stream.text.contains(form.reason), "\(stream.text)")
            #expect(stream.text.contains("Skagen") && !stream.text.contains("Sources"), "\(stream.text)")
            let run = try #require(self.run(stream))
            let waiting = try await gateway.done("GET", "/api/chat/runs/\(run)").object
            #expect(waiting["state"] as? String == "interrupted" && waiting["text"] as? String == "Let me look.")
            let id = "call_\(run)_0_0"
            let written = #"{"city":"Skagen"}"#
            let call: [Object] =
                switch form.path {
                case "/v1/responses":
                    [
                        ["type": "message", "role": "assistant", "content": "Let me look."],
                        ["type": "function_call", "call_id": id, "name": "get_weather", "arguments": written],
                    ]
                case "/v1/messages":
                    [
                        [
                            "role": "assistant",
                            "content": [
                                ["type": "text", "text": "Let me look."],
                                ["type": "tool_use", "id": id, "name": "get_weather", "input": ["city": "Skagen"]],
                            ],
                        ]
                    ]
                case "/api/chat":
                    [
                        [
                            "role": "assistant", "content": "Let me look.",
                            "tool_calls": [["function": ["name": "get_weather", "arguments": ["city": "Skagen"]]]],
                        ]
                    ]
                default:
                    [
                        [
                            "role": "assistant", "content": "Let me look.",
                            "tool_calls": [
                                [
                                    "id": id, "type": "function",
                                    "function": ["name": "get_weather", "arguments": written],
                                ]
                            ],
                        ]
                    ]
                }
            let conversation = [asked] + call + [form.result("11 degrees", of: id)]
            let whole = try await gateway.post(form.path, try form.body(conversation))
            let text = form.text(whole.object)
            #expect(text.hasPrefix("\n\n" + Self.answer + "\n\nSources:\n[1] gauge"), "\(whole.text)")
            if form.path == "/v1/chat/completions" {
                let note = try #require((form.resent(whole.object).first?["annotations"] as? [Object])?.first)
                let cited = try #require(note["url_citation"] as? Object)
                let (start, end) = (cited["start_index"] as? Int ?? 0, cited["end_index"] as? Int ?? 0)
                #expect(Array(text.unicodeScalars)[start..<end].map(String.init).joined() == "[1]")
            }
            #expect(try await messages(gateway) == [Self.question, "Let me look.\n\n" + Self.answer])

            let more = conversation + form.resent(whole.object) + [["role": "user", "content": "And where is it?"]]
            #expect(try await gateway.post(form.path, try form.body(more)).status == 200)
            #expect(try await messages(gateway).count == 4)
        }
    }

    @Test func `results for which no run waits are told to the model in a run of their own`() async throws {
        try await with([.text(Self.answer)]) { gateway in
            let form = Form.all[1]
            let call: Object = ["id": "c", "type": "function", "function": ["name": "get_weather", "arguments": "{}"]]
            let reply = try await gateway.post(
                form.path,
                try form.body([
                    ["role": "user", "content": Self.question],
                    ["role": "assistant", "content": NSNull(), "tool_calls": [call]],
                    form.result("11 degrees", of: "c"),
                ]))
            #expect(form.text(reply.object).hasPrefix(Self.answer), "\(reply.text)")
            #expect(gateway.lastAsked.contains("11 degrees"))
            #expect(try await messages(gateway) == [Self.question, Self.answer])
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `another model does not get the calls, and another key's are not continued`(_ place: NotesPlace) async throws {
        try await with([Self.called, .text(Self.answer), .text(Self.answer)], in: place) { gateway in
            let form = Form.all[1]
            let grant = KeyGrant(scopes: [.llm, .notesRead])
            let own = try await gateway.store.keys.create(name: "own", grant: grant)
            let foreign = try await gateway.store.keys.create(name: "foreign", grant: grant)
            try await gateway.waitForKeys()
            let asked: Object = ["role": "user", "content": Self.question]
            let reply = try await gateway.post(form.path, try form.body([asked]), token: own.secret)
            let id = try #require(form.calls(reply.object).first?.id)
            let conversation = [asked] + form.resent(reply.object) + [form.result("11 degrees", of: id)]
            let body = try form.body(conversation)
            let other = try await gateway.post(
                form.path, body.replacing(#""model":"notes""#, with: #""model":"notes+gemma3:270m""#), token: own.secret
            )
            #expect(other.status == 400 && other.text.contains("another model"), "\(other.text)")
            let apart = try await gateway.post(form.path, body, token: foreign.secret)
            #expect(apart.status == 200 && run(apart) != run(reply), "\(apart.text)")
            let goneOn = try await gateway.post(form.path, body, token: own.secret)
            #expect(run(goneOn) == run(reply) && form.text(goneOn.object).hasPrefix(Self.answer), "\(goneOn.text)")
        }
    }

    @Test func `tools that leave no room for the question say so`() async throws {
        try await with([]) { gateway in
            let asked: Object = ["role": "user", "content": Self.question]
            let words = String(repeating: "The weather of many places. ", count: 4000)
            let body = try Form.all[1].body([asked]).replacing("The weather now.", with: words)
            let reply = try await gateway.post("/v1/chat/completions", body)
            #expect(reply.status == 502 && reply.text.contains("offer fewer tools"), "\(reply.text)")
        }
    }

    @Test func `a call without its result is refused, and so is one behind an answer's id`() async throws {
        try await with([.text(Self.answer), .text(Self.answer)]) { gateway in
            let call: Object = ["id": "c", "type": "function", "function": ["name": "get_weather", "arguments": "{}"]]
            let open = try await gateway.post(
                "/v1/chat/completions",
                try Form.all[1].body([
                    ["role": "user", "content": Self.question], ["role": "assistant", "tool_calls": [call]],
                ]))
            #expect(open.status == 400 && open.text.contains("the result of a call"), "\(open.text)")
            let first = try await gateway.post(
                "/v1/responses", try Form.all[2].body([["role": "user", "content": Self.question]]))
            let id = try #require(first.object["id"] as? String)
            let behind = try await gateway.post(
                "/v1/responses",
                #"{"model":"notes","previous_response_id":"\#(id)","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}"#
            )
            #expect(behind.status == 400 && behind.text.contains("previous_response_id"), "\(behind.text)")
        }
    }
}
