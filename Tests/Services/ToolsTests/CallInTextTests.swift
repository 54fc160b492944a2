import GatewayAPI
import TestSupport
import Testing

@testable import Tools

struct CallInTextTests {
    private static let names = ["search_notes", "read_note", "list_threads"]
    private static let call = #"{"name": "search_notes", "arguments": {"query": "a}\"b"}}"#

    /// The text that is shown and the names of the calls, `<name>` where each stood.
    private func read(_ text: String) -> String {
        var reader = CallInText(toolNames: Self.names)
        return (reader.push(text.utf8) + reader.finish()).map(line).joined()
    }

    private func line(_ piece: CallInText.Piece) -> String {
        switch piece {
        case .text(let text): text
        case .calls(let calls, _): "«" + calls.map(\.name).joined(separator: " ") + "»"
        }
    }

    @Test(arguments: [
        (call, "«search_notes»"),
        ("I search. \(call)\nThen", "I search. «search_notes»\nThen"),
        ("Call:\(call)", "Call:«search_notes»"),
        ("[\(call), {\"name\":\"read_note\",\"parameters\":{\"id\":1}}]", "«search_notes read_note»"),
        (#"{"type": "function", "function": {"name": "read_note", "arguments": "{\"id\": 1}"}}"#, "«read_note»"),
        (#"{"function": "read_note", "args": {}}"#, "«read_note»"),
        (#"{"tool": "read_note", "input": {}}"#, "«read_note»"),
        (#"{"arguments": {"a": [1, {"b": null}]}, "name": "read_note"}"#, "«read_note»"),
        (#"{"tool_calls": [{"id": "1", "function": {"name": "read_note", "arguments": {}}}]}"#, "«read_note»"),
        ("<tool_call>\n\(call)\n</tool_call>", "«search_notes»"),
        ("<tool_call>\(call)</tool_call>\n<tool_call>\(call)</tool_call> done", "«search_notes»\n«search_notes» done"),
        ("<tool_call>\(call)\n<tool_call>\(call)", "«search_notes»\n«search_notes»"),
        ("<tool_call>\(call)</too", "«search_notes»"),
        ("<tool_call>\(call)\n", "«search_notes»\n"),
        ("\(call)</tool_call>", "«search_notes»"),
        (#"<tool_call>{"name": "weather"}</tool_call>"#, "«weather»"),
        ("[TOOL_CALLS] [\(call)]", "«search_notes»"),
        ("[TOOL_CALLS][\(call), \(call)]", "«search_notes search_notes»"),
        (#"[TOOL_CALLS]read_note[ARGS]{"id": 1}"#, "«read_note»"),
        (#"[TOOL_CALLS]read_note[CALL_ID]ab1[ARGS]{"id": 1}[TOOL_CALLS]list_threads{}"#, "«read_note»«list_threads»"),
        ("<|python_tag|>\(call)<|eom_id|>", "«search_notes»"),
        ("<|python_tag|>\(call); \(call)", "«search_notes»«search_notes»"),
        ("```json\n\(call)\n```", "«search_notes»"),
        ("So:\n  ```\n\(call)\n\(call)\n```\nok", "So:\n  «search_notes search_notes»\nok"),
        ("```tool_call\r\n\(call)\n``` ", "«search_notes» "),
        ("```json\n\(call)\n", "«search_notes»"),
    ])
    func `a call is taken`(text: String, wanted: String) {
        #expect(read(text) == wanted)
    }

    @Test(arguments: [
        "", "Plain text, a [1] and [2, 3], a [link](x), {curly} and `code`.",
        #"{"name": "Alice", "arguments": {}}"#, #"{"name": "search_notes_2", "arguments": {}}"#,
        #"{"name": "search_notes", "description": "Finds notes."}"#, #"{"name": "search_notes"}"#,
        #"[{"name": "search_notes"}, {"name": "read_note"}]"#,
        #"{"name": "search_notes", "arguments": 5}"#, #"{"name": "search_notes", "arguments": {}"#,
        #"{"type": "object", "properties": {}}"#, "{}", "[]", "[{}]", "- [ ] task\n- [x] done",
        "`\(call)`", "say\"\(call)\"", "```swift\n\(call)\n```", "```json\n{\"title\": 1}\n\(call)\n```",
        "~~~\n\(call)\n~~~", "````\n\(call)\n````", "```json\n\(call)\nand more\n```", "```json \(call)",
        "<tool_call>", "<tool_call>{", "`<tool_call>` opens a call", "<tool_call>search</tool_call>", "a < b <t",
        "[TOOL_CALLS] none", "[TOOL", #"[TOOL_CALLS]a b{"id": 1}"#, #"[TOOL_CALLS]read_note[X]{"id": 1}"#,
        "<|python_tag|>print(1)", #"<|python_tag|>{"code": 1}"#, "```", "``", "```json\n", "```json\n```",
        #"{"name": "read\u005fnote", "arguments": {}}"#, "{\"name\": \"read_note\", \"arguments\": {\"a\": \"\n\"}}",
        #"{"name": "read_note", "arguments": {"a": tru}}"#, #"{"name" "read_note"}"#, #"{"name": }"#,
    ])
    func `other text is shown unchanged`(text: String) {
        #expect(read(text) == text)
    }

    @Test func `a call is found after a block of code and after an example`() {
        let example = "```json\n{\"name\": \"Bob\"}\n```\n"
        #expect(read(example + Self.call) == example + "«search_notes»")
        #expect(read("{\"a\": 1} [x \(Self.call)") == "{\"a\": 1} [x «search_notes»")
        #expect(read("[TOOL[TOOL_CALLS][\(Self.call)]") == "[TOOL«search_notes»")
        #expect(read("<<tool_call>\(Self.call)</tool_call>") == "<«search_notes»")
    }

    @Test func `arguments and ids are kept`() {
        var reader = CallInText(toolNames: Self.names)
        let text = #"{"id": "x", "function": {"name": "read_note", "arguments": "{\"id\": 1}"}}"#
        #expect(
            reader.push(text.utf8) + reader.finish() == [
                .calls([ToolCall(id: "x", name: "read_note", arguments: .text(#"{"id": 1}"#))], raw: text)
            ])
    }

    /// Text, and how much of it is shown as soon as it was pushed.
    @Test(arguments: [
        ("{\"na", 0), ("{\"title", 7), ("{ x", 3), ("a [", 2), ("a [1", 4), ("[T", 0), ("[Th", 3), ("[ ]", 3), ("ä", 2),
        ("<tool_", 0), ("<table", 6), ("<tool_call> {", 0), ("<tool_call> x", 13), ("``", 0), ("```", 0), ("```py", 5),
        ("```json\n", 0), ("```json\n{\"name\": \"A", 19), ("{\"name\": \"sea", 0), ("{\"name\": \"seb", 13),
        ("{\"name\": \"search_notes\", \"v", 27),
    ])
    func `text is held back only while it may become a call`(text: String, shown: Int) {
        var reader = CallInText(toolNames: Self.names)
        let count = reader.push(text.utf8).reduce(0) { count, piece in
            if case .text(let text) = piece { count + text.utf8.count } else { count }
        }
        #expect(count == shown)
    }

    @Test func `what is held back is bounded`() {
        let start = #"{"name": "read_note", "arguments": {"a": ""#
        let text = start + String(repeating: "x", count: 2 * CallInText.maxHeldBytes) + "\"}}"
        var reader = CallInText(toolNames: Self.names)
        var (shown, mostHeld) = (0, 0)
        for (place, byte) in text.utf8.enumerated() {
            for case .text(let piece) in reader.push([byte]) { shown += piece.utf8.count }
            mostHeld = max(mostHeld, place + 1 - shown)
        }
        #expect(mostHeld == CallInText.maxHeldBytes)
        #expect(read(text) == text)
    }

    @Test(
        .slow,
        arguments: [
            "[", "{", "<", "`", "```\n", "{\"", "[{", "{\"name\":", "<tool_call>", "[TOOL_CALLS]{", "<|python_tag|>;",
            #"{"name":"read_note","arguments":{"#, #"{"name":"read_note","arguments":""#, "<tool_call>\(call)\n",
        ])
    func `hostile text passes in linear time`(unit: String) {
        let text = String(repeating: unit, count: 100_000 / unit.utf8.count)
        var reader = CallInText(toolNames: Self.names)
        var raw = 0
        for piece in reader.push(text.utf8) + reader.finish() {
            switch piece {
            case .text(let text), .calls(_, let text): raw += text.utf8.count
            }
        }
        #expect(raw == text.utf8.count)
    }

    // MARK: Any cut

    private static let fragments = [
        call, "{", "}", "[", "]", "\"", "name", ":", ",", " ", "\n", "```", "json", "~~~", "<tool_call>",
        "</tool_call>", "<", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|eom_id|>", ";", "read_note", "arguments",
        "text", "ä",
        "😀", "\\", #"{"name":"read_note","arguments":{}}"#, #"{"name":"Bob","arguments":{}}"#, "{\"function\":",
        "\r\n", "    ",
    ]

    /// Neighbouring pieces of text as one.
    private func merged(_ pieces: [CallInText.Piece]) -> [CallInText.Piece] {
        pieces.reduce(into: []) { merged, piece in
            if case .text(let text) = piece, case .text(let before)? = merged.last {
                merged[merged.count - 1] = .text(before + text)
            } else {
                merged.append(piece)
            }
        }
    }

    @Test(.slow) func `every way to cut the bytes gives the same result`() {
        var random = SeededGenerator(7)
        var calls = 0
        for _ in 0..<1500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...14, using: &random) {
                bytes += Array((Self.fragments.randomElement(using: &random) ?? "").utf8)
                guard Int.random(in: 0..<40, using: &random) == 0 else { continue }
                bytes.append(UInt8.random(in: 128...255, using: &random))
            }
            var whole = CallInText(toolNames: Self.names)
            let wanted = merged(whole.push(bytes) + whole.finish())
            var single = CallInText(toolNames: Self.names)
            #expect(merged(bytes.flatMap { single.push([$0]) } + single.finish()) == wanted)
            var cut = CallInText(toolNames: Self.names)
            var pieces: [CallInText.Piece] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 0...7, using: &random)
                pieces += cut.push(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(merged(pieces + cut.finish()) == wanted)
            // Nothing is lost or added.
            let all = wanted.map { piece in
                switch piece {
                case .text(let text): return text
                case .calls(let found, let raw):
                    calls += found.count
                    return raw
                }
            }
            #expect(all.joined() == String(decoding: bytes, as: UTF8.self))
        }
        #expect(calls > 250)
    }
}
