import GatewayAPI

@testable import Tools

/// Tools as the features of the gateway bring them, with handlers that repeat their arguments.
enum SampleTools {
    static let search = Tool(
        "search_notes", "Finds notes.",
        arguments: .object([
            .required("query", .string("Words", least: 1, most: 20)),
            .optional("limit", .integer("How many", least: 1, most: 50, defaultValue: 10)),
            .optional("tags", .array(of: .string(most: 8), least: 1, most: 3)),
            .optional("order", .string(allowed: ["score", "date"])),
            .optional("weight", .number(least: 0, most: 1)),
            .optional("exact", .boolean(defaultValue: false)),
            .optional("range", .object([.required("from", .string()), .optional("to", .string())])),
        ]), scope: "notes:read", handler: echo)
    static let read = Tool(
        "read_note", "Reads a note.", arguments: .object([.required("id", .integer(least: 1))]), scope: "notes:read",
        handler: echo)
    static let threads = Tool("list_threads", "Lists threads.", scope: nil, handler: echo)
    static let capture = Tool(
        "capture_note", "Writes a note.", arguments: .object([.required("text", .string())]), scope: "notes:write",
        writes: true, handler: echo)

    static let all = [search, read, threads, capture]

    static func registry(_ tools: [Tool] = all) throws -> ToolRegistry { try ToolRegistry(tools) }

    private static let echo: Tool.Handler = { arguments, _ in
        let value = JSONValue.object(arguments.values)
        return ToolResult(text: String(decoding: value.json, as: UTF8.self), content: value)
    }
}

/// A JSON text as a value; nil when it is not JSON.
func json(_ text: String) -> JSONValue? { try? JSONDocument(parsing: Array(text.utf8)).value }
