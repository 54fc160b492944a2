import GatewayAPI
import TestSupport
import Testing
import Transport

@testable import Inference

/// The lines of `/api/chat`, without a connection.
@Suite struct OllamaChatStreams {
    private static let stream = """
        {"model":"x","message":{"role":"assistant","content":"","thinking":"Hm 日本"},"done":false}
        {"model":"x","message":{"role":"assistant","content":"Grüße \\ud83c\\udfbb "},"done":false}

        {"message":{"content":"🎻","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"a":[1,2.5]}}},{"function":{"name":"g","arguments":"{\\"b\\":1}"}},{"function":{"name":"h","arguments":"{"}}]}}
        {"message":{"content":""},"done":true,"done_reason":"stop","load_duration":1500000000,"prompt_eval_count":7,"eval_count":9}
        {"message":{"content":"after the end"}}

        """
    private static let events: [ChatEvent] = [
        .thinking("Hm 日本"), .text("Grüße 🎻 "), .text("🎻"),
        .call(ChatCall(id: "c1", name: "f", arguments: .object(["a": .array([.integer(1), .number(2.5)])]))),
        .call(ChatCall(id: "", name: "g", arguments: .object(["b": .integer(1)]))),
        .call(ChatCall(id: "", name: "h", arguments: .string("{"))),
        .usage(ChatUsage(promptTokens: 7, completionTokens: 9, loadTime: .milliseconds(1500))),
        .ended(ChatEnd(.calls, continuation: .object(["thinking": .string("Hm 日本")]))),
    ]

    @Test func `events are the same over any cut`() {
        let bytes = Array(Self.stream.utf8)
        for cut in 0...bytes.count {
            let reading = ChatRecording(OllamaChatStream(), [Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(reading.events == Self.events)
            #expect(reading.error == nil)
        }
        #expect(ChatRecording(OllamaChatStream(), bytes.map { [$0] }).events == Self.events)
    }

    @Test func `a stream without its last line is cut, and a last line needs no end`() {
        let lines = Self.stream.split(separator: "\n")
        for count in 0..<3 {
            let reading = ChatRecording(OllamaChatStream(), [Array(lines[..<count].joined(separator: "\n").utf8)])
            #expect(reading.error?.code == .cut)
        }
        #expect(ChatRecording(OllamaChatStream(), [Array(lines[..<4].joined(separator: "\n").utf8)]).error == nil)
    }

    @Test func `a stream that ends within its lines is cut`() {
        let bytes = Array(Self.stream.utf8)
        for end in 0..<(bytes.count / 2) {
            let reading = ChatRecording(OllamaChatStream(), [Array(bytes[..<end])])
            #expect(reading.error?.code == .cut && reading.end == nil)
        }
    }

    @Test(arguments: [
        (#"{"error":"out of memory"}"#, 500, "out of memory"),
        (#"{"error":"too long","status":400}"#, 400, "too long"),
        (#"{"error":{"a":1}}"#, 500, "the model failed in mid-stream"),
    ])
    func `a line with an error ends the stream`(line: String, status: Int, message: String) {
        let reading = ChatRecording(
            OllamaChatStream(), [Array((#"{"message":{"content":"a"}}"# + "\n" + line + "\n").utf8)])
        #expect(reading.events == [.text("a")])
        #expect(reading.error?.code == .status)
        #expect(reading.error?.status == status)
        #expect(reading.error?.message == message)
    }

    @Test func `members of other types are passed over`() {
        let lines = [
            #"{"message":5}"#, #"{"message":{"content":5,"thinking":null,"tool_calls":{}}}"#,
            #"{"message":{"tool_calls":[5]}}"#, #"{"done":1}"#,
            #"{"done":true,"done_reason":5,"prompt_eval_count":-1,"eval_count":1e30,"load_duration":"x"}"#,
        ]
        let reading = ChatRecording(OllamaChatStream(), [Array(lines.joined(separator: "\n").utf8)])
        #expect(reading.error == nil)
        #expect(
            reading.events == [
                .call(ChatCall(id: "", name: "", arguments: .object([:]))), .usage(ChatUsage()),
                .ended(ChatEnd(.calls)),
            ])
    }

    @Test(.slow) func `any bytes give events or an error`() {
        var random = SeededGenerator(7)
        let bytes = Array(Self.stream.utf8)
        for _ in 0..<2000 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = ChatRecording(OllamaChatStream(), [broken])
            let cut = Int.random(in: 0...broken.count, using: &random)
            let parts = ChatRecording(OllamaChatStream(), [Array(broken[..<cut]), Array(broken[cut...])])
            #expect(whole.events == parts.events)
            #expect(whole.error?.code == parts.error?.code)
            #expect((whole.error == nil) == (whole.end != nil))
        }
    }
}
