import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// What a model thinks before it answers from the notes, in each protocol.
@Suite(.serialized) struct NotesModelThoughts {
    private static let question = "Who repaired the harbour gauge?"
    private static let answer = "The harbour gauge was repaired in May by Anna Brandt [1]."
    /// What the stand-in thinks of every question.
    private static let thought = "The question asks for thought."
    private static let model = "notes+qwen3:0.6b"

    /// A protocol, and how it says that the model does not think.
    struct Form: Sendable, CustomTestStringConvertible {
        let path: String
        let off: String
        var testDescription: String { path }

        static let all = [
            Form(path: "/api/chat", off: #""think":false"#), Form(path: "/api/generate", off: #""think":false"#),
            Form(path: "/v1/chat/completions", off: #""reasoning_effort":"none""#),
            Form(path: "/v1/responses", off: #""reasoning":{"effort":"none"}"#),
            Form(path: "/v1/messages", off: #""thinking":{"type":"disabled"}"#),
        ]

        /// A request for an answer, with more fields.
        func body(_ more: String, streams: Bool = false) -> String {
            let asked =
                switch path {
                case "/api/generate": #""prompt":"\#(question)""#
                case "/v1/responses": #""input":"\#(question)""#
                default: #""messages":[{"role":"user","content":"\#(question)"}]"#
                }
            return #"{"model":"\#(model)","stream":\#(streams),\#(asked)\#(more.isEmpty ? "" : "," + more)}"#
        }
    }

    private func with(_ script: [FakeOllama.Script.Line], _ body: (LiveGateway) async throws -> Void) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await LiveGateway.with(options) { gateway in
            try await gateway.create([
                NoteDraft(
                    title: "gauge", content: "The harbour gauge was repaired in May by Anna Brandt.", createdAt: 2)
            ])
            try await body(gateway)
        }
    }

    private static func object(_ text: some StringProtocol) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    private typealias Parts = (thinking: String, text: String)

    /// The thinking and the text of a part, which all protocols but that of responses name alike in a stream and as a whole.
    private static func parts(_ object: [String: Any]) -> Parts {
        if let event = object["type"] as? String, event.hasPrefix("response.") {
            let piece = object["delta"] as? String ?? ""
            let isThinking = event == "response.reasoning_summary_text.delta"
            return (isThinking ? piece : "", event == "response.output_text.delta" ? piece : "")
        }
        let choice = (object["choices"] as? [[String: Any]])?.first
        let holders = [
            object, object["message"], object["delta"], choice?["message"], choice?["delta"],
        ].compactMap { $0 as? [String: Any] }
        let blocks = (object["content"] as? [[String: Any]] ?? []) + (object["output"] as? [[String: Any]] ?? [])
        var (thinking, text) = ("", "")
        for part in holders + blocks + blocks.flatMap({ $0["content"] as? [[String: Any]] ?? [] }) {
            thinking += part["thinking"] as? String ?? part["reasoning_content"] as? String ?? ""
            thinking += (part["summary"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }.joined()
            text += part["content"] as? String ?? part["response"] as? String ?? part["text"] as? String ?? ""
        }
        return (thinking, text)
    }

    /// The parts of a stream, in order.
    private static func stream(_ text: String) -> [Parts] {
        text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("{") { return parts(object(line)) }
            return line.hasPrefix("data: {") ? parts(object(line.dropFirst(6))) : nil
        }
    }

    @Test(.slow, arguments: Form.all)
    func `it comes before the text, unless the request turns it off`(_ form: Form) async throws {
        try await with(Array(repeating: .text(Self.answer), count: 3)) { gateway in
            let whole = try await gateway.post(form.path, form.body(""))
            let parts = Self.parts(whole.object)
            #expect(parts.thinking == Self.thought, "\(whole.text)")
            #expect(parts.text.hasPrefix(Self.answer + "\n\nSources:\n"), "\(whole.text)")

            let stream = try await gateway.post(form.path, form.body("", streams: true))
            let pieces = Self.stream(stream.text)
            #expect(pieces.map(\.thinking).joined() == Self.thought, "\(stream.text)")
            #expect(pieces.map(\.text).joined() == parts.text, "\(stream.text)")
            let (last, first) = (
                pieces.lastIndex { !$0.thinking.isEmpty }, pieces.firstIndex { !$0.text.isEmpty }
            )
            #expect(try #require(last) < (try #require(first)))

            let off = try await gateway.post(form.path, form.body(form.off))
            #expect(Self.parts(off.object) == ("", parts.text), "\(off.text)")
        }
    }

    @Test func `it comes from every round of tools before the text, and from none behind`() async throws {
        let lines: [FakeOllama.Script.Line] = [
            .call("find_text", #"{"text":"gauge"}"#), .text(Self.answer),
            .textAndCall("Let me look. ", "find_text", #"{"text":"gauge"}"#), .text(Self.answer),
        ]
        try await with(lines) { gateway in
            let both = Self.parts(try await gateway.post("/api/chat", Form.all[0].body("")).object)
            #expect(both.thinking == Self.thought + "\n\n" + Self.thought && both.text.hasPrefix(Self.answer))
            let stream = try await gateway.post("/api/chat", Form.all[0].body("", streams: true))
            let pieces = Self.stream(stream.text)
            #expect(pieces.map(\.thinking).joined() == Self.thought, "\(stream.text)")
            #expect(pieces.map(\.text).joined().hasPrefix("Let me look. \n\n" + Self.answer), "\(stream.text)")
        }
    }

    @Test func `it is not stored, and a conversation that is sent again with it goes on in its session`() async throws {
        try await with(Array(repeating: .text(Self.answer), count: 5)) { gateway in
            let first = Self.parts(try await gateway.post("/api/chat", Form.all[0].body("")).object)
            func text(_ value: String) throws -> String {
                String(decoding: try JSONSerialization.data(withJSONObject: [value]), as: UTF8.self)
                    .dropFirst().dropLast().description
            }
            let (answer, thought) = (try text(first.text), try text(first.thinking))
            let asked = #"{"role":"user","content":"\#(Self.question)"}"#
            let next = #"{"role":"user","content":"Where is the pilot boat moored?"}"#
            let signed = #"{"type":"thinking","thinking":\#(thought),"signature":""}"#
            for (path, field, sent) in [
                ("/api/chat", "messages", #"{"role":"assistant","content":\#(answer),"thinking":\#(thought)}"#),
                (
                    "/v1/chat/completions", "messages",
                    #"{"role":"assistant","content":\#(answer),"reasoning_content":\#(thought)}"#
                ),
                (
                    "/v1/messages", "messages",
                    #"{"role":"assistant","content":[\#(signed),{"type":"text","text":\#(answer)}]}"#
                ),
                (
                    "/v1/responses", "input",
                    #"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":\#(thought)}]},"#
                        + #"{"type":"message","role":"assistant","content":[{"type":"output_text","text":\#(answer)}]}"#
                ),
            ] {
                let reply = try await gateway.post(
                    path, #"{"model":"\#(Self.model)","stream":false,"\#(field)":[\#(asked),\#(sent),\#(next)]}"#)
                #expect(reply.status == 200, "\(path): \(reply.text)")
                let sessions = try await gateway.done("GET", "/api/sessions").objects("sessions")
                #expect(sessions.count == 1, "\(path)")
            }
            let run = try #require(try await gateway.done("GET", "/api/chat/runs").objects("runs").first)
            let id = try #require(run["id"] as? String)
            let stored = try await gateway.done("GET", "/api/chat/runs/\(id)")
            #expect(stored.text.contains("Anna Brandt") && !stored.text.contains(Self.thought), "\(stored.text)")
            #expect(stored.text.contains(#""first_thought":"#), "\(stored.text)")
        }
    }

    @Test func `a model of the notes can think when the model behind it can`() async throws {
        try await with([]) { gateway in
            for (name, more) in [("notes", []), (Self.model, ["thinking"])] {
                let shown = try await gateway.post("/api/show", #"{"model":"\#(name)"}"#)
                #expect(shown.object["capabilities"] as? [String] == ["completion", "tools"] + more, "\(shown.text)")
            }
        }
    }
}
