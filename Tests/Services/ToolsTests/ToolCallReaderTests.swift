import GatewayAPI
import Testing

@testable import Tools

struct ToolCallReaderTests {
    private func call(_ name: String, _ arguments: String, id: String = "") -> ToolCall {
        ToolCall(id: id, name: name, arguments: .text(arguments))
    }

    /// A decision in one line: its kind, the id and the arguments or the text.
    private func line(_ decision: ToolDecision) -> String {
        switch decision {
        case .run(let call): "run \(call.id) \(call.tool.name) \(text(of: call.arguments))"
        case .answered(let id, _, let text): "answered \(id) \(text)"
        case .refused(let id, _, let text): "refused \(id) \(text)"
        }
    }

    private func text(of arguments: ToolArguments) -> String {
        String(decoding: JSONValue.object(arguments.values).json, as: UTF8.self)
    }

    private func lines(_ decisions: [ToolDecision]) -> [String] { decisions.map(line) }

    @Test func `text and values are read alike`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        #expect(
            lines(
                reader.read([
                    call("read_note", #"{"id": "7"}"#, id: "x"),
                    ToolCall(name: "read_note", arguments: .value(.object(["id": .integer(8)]))),
                    call("read_note", #""{\"id\": 9}""#), call("list_threads", " "), call("list_threads", "null"),
                ])) == [
                    #"run x read_note {"id":7}"#, #"run call_1_2 read_note {"id":8}"#,
                    #"run call_1_3 read_note {"id":9}"#, #"run call_1_4 list_threads {}"#,
                    "answered call_1_5 The same call as call_1_4; its result counts for both.",
                ])
    }

    @Test(arguments: [
        (
            "read_nots", "{}",
            "There is no tool \"read_nots\". Did you mean \"read_note\"? Tools: search_notes, read_note."
        ),
        (
            "functions.searchNotes", "{}",
            "There is no tool \"functions.searchNotes\". Did you mean \"search_notes\"? Tools: search_notes, read_note."
        ),
        ("weather", "{}", "There is no tool \"weather\". Tools: search_notes, read_note."),
        ("", "{}", "There is no tool \"\". Tools: search_notes, read_note."),
        (
            "read_note", #"{"id": }"#,
            "The arguments are not valid JSON at byte 7, before `}`. Send one JSON object."
        ),
        (
            "read_note", #"{"id": 7"#,
            "The arguments are not valid JSON: the text ends too early. Send one complete JSON object."
        ),
        (
            "read_note", #"{"id": 0}"#,
            """
            The arguments of read_note are not valid. Correct them and call it again.
            "id": expected an integer of at least 1, got 0
            """
        ),
        (
            "read_note", "[7]",
            """
            The arguments of read_note are not valid. Correct them and call it again.
            expected an object, got an array of 1
            """
        ),
        (
            "read_note", String(repeating: "[", count: 40),
            "The arguments are nested more than 32 levels deep. Send flatter ones."
        ),
        ("read_note", #"{"id": "\ud800"}"#, "A string or a number in the arguments cannot be read. Send valid JSON."),
    ])
    func `a call that cannot be carried out says why`(name: String, arguments: String, text: String) throws {
        var reader = ToolCallReader(tools: try SampleTools.registry([SampleTools.search, SampleTools.read]))
        #expect(lines(reader.read([call(name, arguments, id: "x")])) == ["refused x \(text)"])
    }

    @Test func `arguments that are too long are not parsed`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        let long = String(repeating: " ", count: 65_537)
        let refusal = "The arguments are longer than 65536 bytes. Send shorter ones."
        #expect(lines(reader.read([call("read_note", long)])) == ["refused call_1_1 \(refusal)"])
        let value = JSONValue.object(["text": .string(long)])
        #expect(
            lines(reader.read([ToolCall(name: "capture_note", arguments: .value(value))])) == [
                "refused call_2_1 \(refusal)"
            ])
    }

    @Test func `a repeated call gets the earlier result`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        guard case .run(let first)? = reader.read([call("search_notes", #"{"query": "a"}"#, id: "x")]).first else {
            Issue.record("the first call was not run")
            return
        }
        reader.record("two notes", for: first)
        #expect(
            lines(reader.read([call("search_notes", #"{"limit": "10", "query": "a"}"#, id: "x")])) == [
                """
                answered call_2_1 You made this call before. Its result has not changed; answer the question now.

                two notes
                """
            ])
    }

    @Test func `a call that failed may be tried again`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        guard case .run(let first)? = reader.read([call("list_threads", "{}")]).first else {
            Issue.record("the first call was not run")
            return
        }
        reader.forget(first)
        #expect(lines(reader.read([call("list_threads", "{}")])) == ["run call_2_1 list_threads {}"])
    }

    @Test func `calls of a round are bounded`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        let decisions = lines(reader.read((1...1000).map { call("read_note", #"{"id": \#($0)}"#) }))
        #expect(decisions.count == 32)
        #expect(decisions.prefix(8).allSatisfy { $0.hasPrefix("run ") })
        #expect(decisions.dropFirst(8).allSatisfy { $0.contains("a round has at most 8 calls") })
    }

    @Test func `after the last round no tool is offered`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        for round in 1...3 {
            #expect(reader.offersTools)
            #expect(lines(reader.read([call("read_note", #"{"id": \#(round)}"#)]))[0].hasPrefix("run"))
        }
        #expect(!reader.offersTools)
        #expect(
            lines(reader.read([call("read_note", #"{"id": 4}"#)])) == [
                "refused call_4_1 No tool is available any more. Answer the question now with what you have."
            ])
        #expect(!ToolCallReader(tools: try SampleTools.registry([])).offersTools)
    }

    @Test func `a call in the text of an answer is read like any other`() throws {
        let tools = try SampleTools.registry()
        var text = CallInText(toolNames: tools.names)
        var reader = ToolCallReader(tools: tools)
        var decisions: [String] = []
        for piece in text.push("<tool_call>{\"name\": \"read_note\", \"arguments\": {\"id\": \"7\"}}".utf8)
            + text.finish()
        {
            if case .calls(let calls, _) = piece { decisions += lines(reader.read(calls)) }
        }
        #expect(decisions == [#"run call_1_1 read_note {"id":7}"#])
    }

    @Test func `ids are unique within a run`() throws {
        var reader = ToolCallReader(tools: try SampleTools.registry())
        var ids: [String] = []
        for _ in 0..<3 {
            let calls = ["", "call_1_1", "a", "a", "call_2_1", String(repeating: "x", count: 1000)]
                .enumerated().map { call("read_note", "{\"id\": \($0.offset + 1)}", id: $0.element) }
            for decision in reader.read(calls) {
                switch decision {
                case .run(let call): ids.append(call.id)
                case .answered(let id, _, _), .refused(let id, _, _): ids.append(id)
                }
            }
        }
        #expect(ids.count == 18)
        #expect(Set(ids).count == 18)
    }
}
