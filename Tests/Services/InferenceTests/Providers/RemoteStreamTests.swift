import GatewayAPI
import TestSupport
import Testing
import Transport

@testable import Inference

/// The events of other providers, without a connection.
@Suite struct RemoteStreams {
    private static let openAI = """
        : a comment
        data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"Hm 日本"},"finish_reason":null}],"usage":null}

        data: {"choices":[{"index":0,"delta":{"content":"Grüße \\ud83c\\udfbb"}},{"index":1,"delta":{"content":"another choice"}}]}

        data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}}]}

        data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"a\\""}},{"index":1,"id":"c2","function":{"name":"g","arguments":"{"}}]}}]}

        data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":":[1,2]}"}}]}}]}

        data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

        data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}

        data: [DONE]

        data: {"choices":[{"index":0,"delta":{"content":"after the end"}}]}


        """
    private static let openAIEvents: [ChatEvent] = [
        .thinking("Hm 日本"), .text("Grüße 🎻"), .usage(ChatUsage(promptTokens: 3, completionTokens: 4)),
        .call(ChatCall(id: "c1", name: "f", arguments: .object(["a": .array([.integer(1), .integer(2)])]))),
        .call(ChatCall(id: "c2", name: "g", arguments: .object([:]))),
        .ended(
            ChatEnd(
                .calls, continuation: .object(["provider": .string("p"), "reasoning_content": .string("Hm 日本")]))),
    ]

    private static let anthropic = """
        event: message_start
        data: {"type":"message_start","message":{"usage":{"input_tokens":2,"cache_creation_input_tokens":1,"cache_read_input_tokens":4,"output_tokens":1}}}

        event: ping
        data: {"type":"ping"}

        event: content_block_start
        data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

        data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}

        data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}

        data: {"type":"content_block_stop","index":0}

        data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}

        data: {"type":"content_block_stop","index":1}

        data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

        data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Grüße 🎻"}}

        data: {"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{}}}

        data: {"type":"content_block_stop","index":2}

        data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{}}}

        data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

        data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\":"}}

        data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"1}"}}

        data: {"type":"content_block_stop","index":3}

        data: {"type":"something_new"}

        data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}

        data: {"type":"message_stop"}


        """
    private static let anthropicEvents: [ChatEvent] = [
        .usage(ChatUsage(promptTokens: 7, completionTokens: 1, cachedTokens: 4)), .thinking("Hm"), .text("Grüße 🎻"),
        .call(ChatCall(id: "t1", name: "f", arguments: .object(["a": .integer(1)]))),
        .usage(ChatUsage(promptTokens: 7, completionTokens: 5, cachedTokens: 4)),
        .ended(
            ChatEnd(
                .calls,
                continuation: .object([
                    "provider": .string("p"),
                    "content": .array([
                        .object([
                            "type": .string("thinking"), "thinking": .string("Hm"), "signature": .string("s1"),
                        ]), .object(["type": .string("redacted_thinking"), "data": .string("xyz")]),
                        .object(["type": .string("text"), "text": .string("Grüße 🎻")]),
                        .object([
                            "type": .string("tool_use"), "id": .string("t1"), "name": .string("f"),
                            "input": .object(["a": .integer(1)]),
                        ]),
                    ]),
                ]))),
    ]

    private func read(_ kind: String, _ pieces: [[UInt8]]) -> ChatRecording {
        kind == "openai"
            ? ChatRecording(OpenAIChatStream(provider: "p"), pieces)
            : ChatRecording(AnthropicChatStream(provider: "p"), pieces)
    }

    private func read(_ kind: String, _ lines: String...) -> ChatRecording {
        read(kind, [Array(lines.map { "data: \($0)\n\n" }.joined().utf8)])
    }

    @Test(.slow, arguments: [("openai", openAI, openAIEvents), ("anthropic", anthropic, anthropicEvents)])
    func `events are the same over any cut`(kind: String, text: String, events: [ChatEvent]) {
        for (form, step) in [(text, 5), ("\u{FEFF}" + text.replacing("\n", with: "\r\n"), 13)] {
            let bytes = Array(form.utf8)
            for cut in stride(from: 0, through: bytes.count, by: step) {
                let reading = read(kind, [Array(bytes[..<cut]), Array(bytes[cut...])])
                #expect(reading.events == events)
                #expect(reading.error == nil)
            }
            #expect(read(kind, bytes.map { [$0] }).events == events)
        }
    }

    @Test(.slow, arguments: [("openai", openAI), ("anthropic", anthropic)])
    func `any bytes give events or an error`(kind: String, text: String) {
        var random = SeededGenerator(11)
        let bytes = Array(text.utf8)
        for _ in 0..<400 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = read(kind, [broken])
            let cut = Int.random(in: 0...broken.count, using: &random)
            let parts = read(kind, [Array(broken[..<cut]), Array(broken[cut...])])
            #expect(whole.events == parts.events)
            #expect(whole.error?.code == parts.error?.code)
            #expect((whole.error == nil) == (whole.end != nil))
            let half = read(kind, [Array(bytes[..<(cut / 2)])])
            #expect(half.end == nil && half.error?.code == .cut)
        }
    }

    @Test func `variants of OpenAI's stream are understood`() {
        // No [DONE] and no last line ends; the counts in every event; another name for thinking.
        let bare = read(
            "openai",
            [
                Array(
                    #"data:{"choices":[{"delta":{"content":"a","reasoning":"r"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#
                        .utf8)
            ])
        #expect(bare.error == nil && bare.text == "a" && bare.thinking == "r" && bare.end == ChatEnd(.stop))
        // Calls without an index, with one index for all, and with arguments as an object.
        for (first, second) in [("", ""), (#""index":0,"#, #""index":0,"#)] {
            let calls = read(
                "openai",
                #"{"choices":[{"delta":{"tool_calls":[{\#(first)"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#,
                #"{"choices":[{"delta":{"tool_calls":[{\#(second)"id":"b","function":{"name":"g","arguments":{"x":1}}}]}}]}"#,
                #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, "[DONE]")
            #expect(calls.calls.map(\.name) == ["f", "g"])
            #expect(calls.calls.last?.arguments == .object(["x": .integer(1)]))
            #expect(calls.end == ChatEnd(.calls))
        }
        let refused = read("openai", #"{"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}"#, "[DONE]")
        #expect(refused.text == "No." && refused.end == ChatEnd(.refused))
        let cut = read(
            "openai",
            #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"length"}]}"#, "[DONE]")
        #expect(cut.calls == [] && cut.end == ChatEnd(.length))
    }

    @Test func `the pieces of calls come before the call, and only one call at a time`() {
        func read(_ lines: String...) -> ChatRecording {
            ChatRecording(
                OpenAIChatStream(provider: "p", streamsCalls: true),
                [Array(lines.map { "data: \($0)\n\n" }.joined().utf8)])
        }
        func piece(_ index: Int, _ text: String) -> String {
            #"{"choices":[{"delta":{"tool_calls":[{"index":\#(index),"id":"c\#(index)","function":{"name":"f","arguments":"\#(text)"}}]}}]}"#
        }
        let end = #"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#
        let whole = read(piece(0, "{"), piece(0, "}"), piece(1, "{}"), end, "[DONE]")
        let pieces = whole.events.compactMap { if case .callPiece(let piece) = $0 { piece } else { nil } }
        #expect(pieces.map(\.index) == [0, 0, 1] && pieces.map(\.text).joined() == "{}{}")
        #expect(whole.calls.map(\.id) == ["c0", "c1"] && whole.error == nil)
        let mixed = read(piece(0, "{"), piece(1, "{"), piece(0, "}"))
        #expect(mixed.error?.code == .invalidResponse)
        let anthropic = ChatRecording(
            AnthropicChatStream(provider: "p", streamsCalls: true), [Array(Self.anthropic.utf8)])
        let parts = anthropic.events.compactMap { if case .callPiece(let piece) = $0 { piece } else { nil } }
        #expect(parts.map(\.text) == ["", #"{"a":"#, "1}"] && parts.allSatisfy { $0.id == "t1" && $0.name == "f" })
    }

    @Test func `a call that a limit cut is left out, and one that is merely wrong is not`() {
        for (reason, end) in [("max_tokens", ChatEnd.Reason.length), ("tool_use", .calls)] {
            let reading = read(
                "anthropic",
                #"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}}"#,
                #"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}"#,
                #"{"type":"content_block_stop","index":0}"#,
                #"{"type":"message_delta","delta":{"stop_reason":"\#(reason)"}}"#, #"{"type":"message_stop"}"#)
            #expect(reading.end?.reason == end)
            #expect(reading.calls.map(\.arguments) == (end == .calls ? [.string("{\"a")] : []))
        }
    }

    @Test(arguments: [
        ("openai", #"{"error":{"message":"no\nluck","type":"server_error","code":null}}"#, 500, ": no luck"),
        ("openai", #"{"error":{"message":"bad","code":502},"choices":[{"finish_reason":"error"}]}"#, 502, ": bad"),
        ("openai", #"{"object":"error","message":"bad","code":400}"#, 400, ": bad"),
        ("openai", #"{"error":"plain"}"#, 500, ": plain"), ("openai", #"{"error":{}}"#, 500, ""),
        (
            "anthropic", #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, 529,
            ": Overloaded"
        ),
        ("anthropic", #"{"type":"error","error":{"type":"new_error"}}"#, 500, ""),
        ("anthropic", #"{"type":"error"}"#, 500, ""),
    ])
    func `an error in a stream keeps its message`(kind: String, line: String, status: Int, message: String) {
        let reading = read(kind, line)
        #expect(reading.error?.code == .status)
        #expect(reading.error?.status == status)
        #expect(reading.error?.message == "provider \"p\" failed in mid-stream\(message)")
    }

    @Test func `endless calls and answers are refused`() {
        var random = SeededGenerator(3)
        let many = (0..<200).map {
            "data: "
                + #"{"choices":[{"delta":{"tool_calls":[{"index":\#($0),"id":"c\#($0)","function":{"name":"f"}}]}}]}"#
                + "\n\n"
        }
        #expect(read("openai", [Array(many.joined().utf8)]).error?.code == .invalidResponse)
        let blocks = (0..<200).map {
            #"data: {"type":"content_block_start","index":\#($0),"content_block":{"type":"text","text":""}}"# + "\n\n"
        }
        #expect(
            read("anthropic", [Array(blocks.shuffled(using: &random).joined().utf8)]).error?.code == .invalidResponse)
    }
}
