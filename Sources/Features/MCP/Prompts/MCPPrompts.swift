package import GatewayAPI
import Storage

/// The prompts of the library, as another feature offers them.
package struct MCPPromptSource: Sendable {
    /// Lists all prompts.
    package let list: @Sendable () async throws -> [Prompt]
    /// Fills in a prompt. Throws ``StorageError`` `notFound` or `invalid`.
    package let render: @Sendable (_ id: String, _ values: [String: String]) async throws -> RenderedPrompt

    package init(
        list: @escaping @Sendable () async throws -> [Prompt],
        render: @escaping @Sendable (String, [String: String]) async throws -> RenderedPrompt
    ) {
        self.list = list
        self.render = render
    }
}

/// `prompts/list` and `prompts/get`
struct MCPPrompts: Sendable {
    let source: MCPPromptSource

    func list(_ params: MCPParams, _ caller: MCPCaller) async throws -> MCPResult {
        try params.requireFirstPage()
        try caller.require(.notesRead)
        let prompts = try await source.list().map { prompt -> JSONValue in
            .object([
                "name": .string(prompt.id), "title": .string(prompt.title),
                "description": .string(prompt.purpose.isEmpty ? prompt.title : prompt.purpose),
                "arguments": .array(
                    prompt.variables.map {
                        .object([
                            "name": .string($0.name), "description": .string($0.meaning), "required": .bool(false),
                        ])
                    }),
            ])
        }
        return MCPResult(["prompts": .array(prompts)], .own(10_000))
    }

    func get(_ params: MCPParams, _ caller: MCPCaller) async throws -> MCPResult {
        let name = try params.text("name")
        var values: [String: String] = [:]
        for (name, value) in try params.object("arguments") {
            guard case .string(let text) = value else {
                throw RPCError(.invalidParams, "params.arguments.\(name.prefix(64)): expected a string")
            }
            values[name] = text
        }
        try caller.require(.notesRead)
        let rendered: RenderedPrompt
        do {
            rendered = try await source.render(name, values)
        } catch let error as StorageError where error.code == .notFound || error.code == .invalid {
            throw RPCError(.invalidParams, error.message)
        }
        return MCPResult([
            "messages": .array([
                .object([
                    "role": .string("user"),
                    "content": .object([
                        "type": .string("text"), "text": .string(rendered.text + "\n\n" + Self.hint(rendered.scope)),
                    ]),
                ])
            ])
        ])
    }

    /// How the assistant finds the notes that the prompt is about.
    private static func hint(_ scope: ChatScope?) -> String {
        var arguments: [String] = []
        if let days = scope?.timeScope?.days { arguments.append("days=\(days.formattedWhole)") }
        if let tag = scope?.tag?.values.first { arguments.append("tag=\"\(tag)\"") }
        if let thread = scope?.thread?.values.first { arguments.append("thread=\"\(thread)\"") }
        let within = arguments.isEmpty ? "" : " with " + arguments.joined(separator: ", ")
        return "Find my notes with search_notes\(within), read what matters with read_note, and cite each note as "
            + "selene://note/ID. Say so where the notes have no answer."
    }
}

extension Double {
    /// The number without a fraction of zero.
    fileprivate var formattedWhole: String { Int64(exactly: self).map(String.init) ?? String(self) }
}
