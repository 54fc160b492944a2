import GatewayAPI
import TestSupport
import Testing

@testable import Inference

/// Requests in the protocols of clients, and what of them reaches a provider of another protocol.
@Suite struct ProtocolRequests {
    private static let written: [ChatProtocol] = [.ollamaChat, .completions, .messages]

    @Test(.slow, arguments: written) func `a request that was read is written as it was`(form: ChatProtocol) throws {
        var samples = SampleRequests(1, form)
        for _ in 0..<300 {
            let json = form.encode(samples.next())
            let read = try form.decode(json)
            #expect(read.streams)
            try #require(
                String(decoding: form.encode(read.request), as: UTF8.self) == String(decoding: json, as: UTF8.self))
        }
    }

    @Test(.slow, arguments: written) func `a request keeps what the other protocol can say`(form: ChatProtocol) throws {
        var samples = SampleRequests(2, form)
        for _ in 0..<300 {
            let read = try form.decode(form.encode(samples.next())).request
            for other in Self.written {
                var (kept, expected) = (try other.decode(other.encode(read)).request, other.keeping(read))
                // Whether a model thinks depends on the model there.
                if other == .messages || form == .messages {
                    (kept.thinks, kept.effort, expected.thinks, expected.effort) = (nil, nil, nil, nil)
                    kept.maxTokens = expected.maxTokens == nil ? nil : kept.maxTokens
                }
                // Two messages in a row are one message with two parts there.
                guard other != .messages || !read.turns.hasNeighbours else { continue }
                try #require(kept == expected, "\(form.path) to \(other.path)")
            }
        }
    }

    @Test func `the members of a schema keep their order, whatever the protocols`() throws {
        var random = SeededGenerator(3)
        for _ in 0..<40 {
            let schema = SampleRequests.schema(&random).text
            let forms: [(ChatProtocol, String)] = [
                (
                    .ollamaChat,
                    #"{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":\#(schema)}}],"format":\#(schema)}"#
                ),
                (.ollamaGenerate, #"{"model":"m","prompt":"x","format":\#(schema)}"#),
                (
                    .completions,
                    #"{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":\#(schema)}}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":\#(schema)}}}"#
                ),
                (
                    .responses,
                    #"{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":\#(schema)}],"text":{"format":{"type":"json_schema","name":"a","schema":\#(schema)}}}"#
                ),
                (
                    .messages,
                    #"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"f","input_schema":\#(schema)}],"output_config":{"format":{"type":"json_schema","schema":\#(schema)}}}"#
                ),
            ]
            for (form, text) in forms {
                let request = try form.decode(text).request
                for other in Self.written {
                    let sent = String(decoding: other.encode(request), as: UTF8.self)
                    let count = sent.split(separator: schema, omittingEmptySubsequences: false).count - 1
                    try #require(count == (form == .ollamaGenerate ? 1 : 2), "\(form.path) to \(other.path): \(sent)")
                }
            }
        }
    }

    @Test func `a schema over several lines stays in order and becomes one line`() throws {
        let text = "{\r\n  \"properties\": { \"b c\": {}, \"a\\n\": { } },\n  \"type\" : \"object\"\n}"
        let source = try #require(JSONSource(parsing: text))
        #expect(source.text == #"{"properties":{"b c":{},"a\n":{}},"type":"object"}"#)
        #expect(JSONSource(parsing: "{ }")?.leading(with: "type", .string("object")).text == #"{"type":"object" }"#)
        #expect(source.leading(with: "type", .string("x")) == source)
    }

    @Test func `Responses are read with their items as turns`() throws {
        let text = """
            {"model":"p/m","stream":true,"instructions":"Be brief.","input":[
             {"role":"developer","content":"Also this."},
             {"role":"user","content":[{"type":"input_text","text":"Look"},{"type":"input_image","image_url":"data:image/png;base64,iVBOR","detail":"low"}]},
             {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm"}],"encrypted_content":"x"},
             {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},
             {"type":"function_call","call_id":"c1","name":"f","arguments":"{\\"b\\":1,\\"a\\":2}"},
             {"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},
             {"type":"function_call_output","call_id":"c1","output":"one"},
             {"type":"function_call_output","call_id":"c2","output":[{"type":"input_image","image_url":"https://a/b"},{"type":"input_text","text":"two"}]},
             {"type":"function_call","call_id":"c3","name":"f","arguments":""}],
             "tools":[{"type":"function","name":"f","description":"F","parameters":{"type":"object"},"strict":true},{"type":"web_search"}],
             "tool_choice":{"type":"function","name":"f"},"parallel_tool_calls":false,"reasoning":{"effort":"high","summary":"auto"},
             "text":{"format":{"type":"json_object"},"verbosity":"low"},"max_output_tokens":9,"temperature":1,"top_p":0.5,
             "include":["message.output_text.logprobs"],"top_logprobs":2,"store":false,"metadata":{"a":"b"}}
            """
        let read = try ChatProtocol.responses.decode(text)
        let request = read.request
        #expect(read.streams && request.model == "p/m")
        #expect(
            request.turns == [
                .system("Be brief."), .system("Also this."),
                .parts([.text("Look"), .image(ChatImage(.data(type: "image/png", base64: "iVBOR"), detail: "low"))]),
                .assistant(
                    ChatReply(
                        text: "Let me look.",
                        calls: [
                            ChatCall(id: "c1", name: "f", written: #"{"b":1,"a":2}"#),
                            ChatCall(id: "c2", name: "g", written: "{}"),
                        ], thinking: "Hm")),
                .toolResult(id: "c1", name: "f", text: "one", isError: false),
                .toolResult(id: "c2", name: "g", text: "two", isError: false),
                .parts([.image(ChatImage(.address("https://a/b")))]),
                .assistant(ChatReply(text: "", calls: [ChatCall(id: "c3", name: "f", written: "")])),
            ])
        #expect(request.tools.map(\.name) == ["f"] && request.tools[0].isStrict == true)
        #expect(request.toolChoice == .named("f") && request.callsInParallel == false)
        #expect(request.effort == "high" && request.thinks == true && request.format == .json)
        #expect(request.maxTokens == 9 && request.temperature == 1 && request.sampling.topP == 0.5)
        #expect(request.givesProbabilities && request.otherProbabilities == 2)
    }

    @Test func `Anthropic's messages are read with results before what is said`() throws {
        let text = """
            {"model":"p/m","max_tokens":9,"system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"type":"text","text":"B"}],
             "messages":[{"role":"user","content":"Hi"},
              {"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"redacted_thinking","data":"x"},
               {"type":"text","text":"Look"},{"type":"tool_use","id":"t1","name":"f","input":{"z":1,"a":{"c":2,"b":3}}}]},
              {"role":"user","content":[{"type":"text","text":"also"},{"type":"tool_result","tool_use_id":"t1","is_error":true,
               "content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"url","url":"https://a/b"}}]}]}],
             "thinking":{"type":"enabled","budget_tokens":1024},"metadata":{"user_id":"u"}}
            """
        let request = try ChatProtocol.messages.decode(text).request
        #expect(
            request.turns == [
                .system("A\nB"), .user("Hi"),
                .assistant(
                    ChatReply(
                        text: "Look", calls: [ChatCall(id: "t1", name: "f", written: #"{"z":1,"a":{"c":2,"b":3}}"#)],
                        thinking: "Hm")),
                .toolResult(id: "t1", name: "f", text: "one", isError: true),
                .parts([.text("also"), .image(ChatImage(.address("https://a/b")))]),
            ])
        #expect(request.thinks == true && request.maxTokens == 9)
        let sent = String(decoding: ChatProtocol.completions.encode(request), as: UTF8.self)
        #expect(sent.contains(#""arguments":"{\"z\":1,\"a\":{\"c\":2,\"b\":3}}""#))
    }

    @Test func `calls of Ollama without ids get some that results find`() throws {
        let text = """
            {"model":"p/m","messages":[{"role":"user","content":"x"},
             {"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"b":1,"a":2}}},{"function":{"name":"g","arguments":{}}}]},
             {"role":"tool","tool_name":"g","content":"of g"},{"role":"tool","tool_name":"f","content":"of f"}]}
            """
        let request = try ChatProtocol.ollamaChat.decode(text).request
        let sent = try #require(try JSONDocument(parsing: ChatProtocol.completions.encode(request)).value)
        let messages = try #require(sent["messages"]?.elements)
        let ids = messages[1]["tool_calls"]?.elements?.compactMap { $0["id"]?.text }
        #expect(ids == ["call_1", "call_2"])
        #expect(messages[2]["tool_call_id"] == .string("call_2") && messages[3]["tool_call_id"] == .string("call_1"))
    }

    @Test func `a request that only loads a model asks nothing`() throws {
        #expect(try ChatProtocol.ollamaChat.decode(#"{"model":"p/m"}"#).onlyLoads == "load")
        #expect(
            try ChatProtocol.ollamaGenerate.decode(#"{"model":"p/m","system":"x","keep_alive":0}"#).onlyLoads
                == "unload")
        #expect(try ChatProtocol.ollamaGenerate.decode(#"{"model":"p/m","prompt":"x"}"#).onlyLoads == nil)
    }

    @Test(arguments: [
        (ChatProtocol.completions, #"{"model":"m","messages":[{"role":"user","content":"x"}],"n":2}"#, "n"),
        (.completions, #"{"model":"m","messages":[]}"#, "messages"),
        (.completions, #"{"messages":[{"role":"user","content":"x"}]}"#, "model"),
        (
            .completions, #"{"model":"m","messages":[{"role":"user","content":[{"type":"input_audio"}]}]}"#,
            "messages[0].content[0].type"
        ),
        (.completions, #"{"model":"m","messages":[{"role":"function","content":"x"}]}"#, "messages[0].role"),
        (.completions, #"{"model":"m","messages":[{"role":"user","content":"x"}],"logit_bias":{"1":5}}"#, "logit_bias"),
        (.completions, #"{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":"hot"}"#, "temperature"),
        (.completions, #"{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":0}"#, "max_tokens"),
        (
            .completions, #"{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"custom"}]}"#,
            "tools[0].type"
        ),
        (.ollamaGenerate, #"{"model":"m","prompt":"x","raw":true}"#, "raw"),
        (.ollamaGenerate, #"{"model":"m","prompt":"x","suffix":"y"}"#, "suffix"),
        (.ollamaGenerate, #"{"model":"m","prompt":"x","context":[1,2]}"#, "context"),
        (.ollamaChat, #"{"model":"m","messages":[5]}"#, "messages[0]"),
        (.ollamaChat, #"{"model":"m","messages":[],"format":5}"#, "format"),
        (.ollamaChat, #"{"model":"m","messages":[],"think":5}"#, "think"),
        (.responses, #"{"model":"m","input":"x","previous_response_id":"resp_1"}"#, "previous_response_id"),
        (.responses, #"{"model":"m","input":"x","tools":[{"type":"code_interpreter"}]}"#, "tools[0].type"),
        (.responses, #"{"model":"m","input":[]}"#, "input"),
        (.responses, #"{"model":"m","input":[{"type":"item_reference","id":"x"}]}"#, "input[0].type"),
        (
            .messages, #"{"model":"m","messages":[{"role":"user","content":[{"type":"document"}]}]}"#,
            "messages[0].content[0].type"
        ),
        (
            .messages,
            #"{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}"#,
            "tools[0].type"
        ),
        (.messages, #"[1]"#, ""), (.messages, #"{"model":"m\ud800","messages":[]}"#, ""),
    ])
    func `what would change the answer is refused by name`(form: ChatProtocol, text: String, field: String) {
        do {
            _ = try form.decode(text)
            Issue.record("\(text) was read")
        } catch {
            #expect((error as? RequestFault)?.field == field, "\(error)")
            #expect((error as? RequestFault)?.reason.isEmpty == false)
        }
    }

    @Test(.slow, arguments: ChatProtocol.allCases) func `any JSON is a request or a fault`(form: ChatProtocol) throws {
        var random = SeededGenerator(5)
        let seeds = [
            #"{"model":"m","max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{}}],"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"x","content":[{"type":"text","text":"y"}]}],"tools":[{"type":"function","function":{"name":"f"},"name":"f"}],"tool_choice":{"type":"tool","name":"f"},"format":{"a":1},"options":{"stop":["a"]},"input":[{"type":"reasoning","summary":[]},{"role":"user","content":[{"type":"input_image","image_url":"data:;base64,"}]}],"prompt":"x","images":["a"]}"#
        ]
        for _ in 0..<Gear.rounds(5000) {
            var bytes = Array(seeds[0].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes[place] = Array(#"{}[]",:n50"#.utf8).randomElement(using: &random) ?? 0
                }
            }
            guard let document = try? JSONDocument(parsing: bytes), let read = try? form.read(document) else {
                continue
            }
            for other in Self.written { #expect((try? JSONDocument(parsing: other.encode(read.request))) != nil) }
        }
    }
}

extension [ChatTurn] {
    /// Whether two turns of the user follow each other, or an answer says nothing.
    fileprivate var hasNeighbours: Bool {
        var isUser = false
        for turn in self {
            switch turn {
            case .system(let text): if text.isEmpty || isUser { return true }
            case .user, .parts:
                if isUser { return true }
                isUser = true
            case .toolResult: isUser = true
            case .assistant(let reply):
                if reply.text.isEmpty, reply.calls.isEmpty { return true }
                isUser = false
            }
        }
        return false
    }
}
