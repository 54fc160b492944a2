import GatewayAPI
import TestSupport
import Testing

@testable import Tools

struct ToolRegistryTests {
    private func tool(_ name: String, _ arguments: ArgumentSchema = .object([])) -> Tool {
        Tool(name, "", arguments: arguments, scope: nil) { _, _ in ToolResult(text: "") }
    }

    @Test func `tools are listed in their order and found by name`() throws {
        let registry = try SampleTools.registry()
        #expect(registry.names == ["search_notes", "read_note", "list_threads", "capture_note"])
        #expect(registry.tool(named: "read_note")?.summary == "Reads a note.")
        #expect(registry.tool(named: "Read_note") == nil)
    }

    @Test func `a caller is offered what its scopes allow`() throws {
        let registry = try SampleTools.registry()
        let reader = ToolCaller(key: "phone", scopes: ["notes:read"])
        #expect(registry.offered(to: reader, writing: true).names == ["search_notes", "read_note", "list_threads"])
        #expect(registry.offered(to: ToolCaller(key: nil, scopes: []), writing: true).names == ["list_threads"])
        let local = ToolCaller(key: nil, scopes: nil)
        #expect(registry.offered(to: local, writing: true).names == registry.names)
        #expect(!registry.offered(to: local, writing: false).names.contains("capture_note"))
        #expect(registry.offered(to: local, writing: false).tool(named: "capture_note") == nil)
    }

    @Test func `tools with an occasion are needed where it is given, and it is decided once`() async throws {
        let asked = Locked([[String]]())
        let sports = ToolOccasion { said in
            asked.change { $0.append(said) }
            return said.contains("run")
        }
        func sport(_ name: String) -> Tool {
            Tool(name, "", scope: nil, occasion: sports) { _, _ in ToolResult(text: "") }
        }
        let never = Tool("never", "", scope: nil, occasion: ToolOccasion { _ in false }) { _, _ in ToolResult(text: "")
        }
        let registry = try ToolRegistry([sport("log"), tool("search"), never, sport("progress"), tool("read")])
        #expect(await registry.needed(in: ["tide"]).names == ["search", "read"])
        let all = await registry.needed(in: ["tide", "run"])
        #expect(all.names == ["log", "search", "progress", "read"] && all.tool(named: "progress") != nil)
        #expect(all.tool(named: "never") == nil)
        #expect(asked.value == [["tide"], ["tide", "run"]])
        // Other callers are offered them in any case.
        #expect(registry.offered(to: ToolCaller(key: nil, scopes: nil), writing: false).names == registry.names)
    }

    @Test func `a list that is not valid is refused`() {
        #expect(throws: ToolRegistryError.duplicateName("a")) { try ToolRegistry([tool("a"), tool("a")]) }
        for name in ["", "a b", "ä", String(repeating: "a", count: 65)] {
            #expect(throws: ToolRegistryError.invalidName(name)) { try ToolRegistry([tool(name)]) }
        }
        #expect(throws: ToolRegistryError.tooMany(limit: 128)) {
            try ToolRegistry((0...128).map { tool("tool\($0)") })
        }
        var deep = ArgumentSchema.string()
        for _ in 0..<8 { deep = .array(of: deep) }
        let flawed: [ArgumentSchema] = [
            .string(), .object([.optional("deep", deep)]),
            .object([.optional("a", .string()), .required("a", .string())]),
            .object([.optional("a", .integer(most: 5, defaultValue: 6))]),
            .object([.optional("a", .string(allowed: ["x"], defaultValue: "y"))]),
            .object([.optional("a", .string(most: 1, allowed: ["xy"]))]),
        ]
        for schema in flawed {
            #expect(throws: ToolRegistryError.self) { try ToolRegistry([tool("a", schema)]) }
        }
    }

    @Test func `the arguments of a tool are encoded as a schema`() throws {
        #expect(
            SampleTools.read.arguments.json
                == json(
                    #"""
                    {"type": "object", "additionalProperties": false, "required": ["id"],
                     "properties": {"id": {"type": "integer", "minimum": 1}}}
                    """#))
    }

    @Test func `a handler gets the checked arguments`() async throws {
        let arguments = try SampleTools.read.arguments.arguments(from: .object(["id": .string("7")]))
        let result = try await SampleTools.read.handler(arguments, ToolCaller(key: nil, scopes: nil))
        #expect(result.text == #"{"id":7}"#)
    }
}
