import GatewayAPI
import Storage
import Tools

/// The tools `search` and `fetch`, in the shapes that hosts with these names expect: `search` takes a query and returns
/// ids, `fetch` takes an id and returns the text. Their data is also their text, as JSON.
struct FixedNameTools: Sendable {
    static let names: Set = ["search", "fetch"]
    /// The number of results of a search.
    private static let results: Int64 = 10

    let search: Tool
    let read: Tool

    /// - Parameter tools: The tools that the two use; nil without them.
    init?(_ tools: [Tool]) {
        guard let search = tools.first(where: { $0.name == "search_notes" }),
            let read = tools.first(where: { $0.name == "read_note" })
        else { return nil }
        (self.search, self.read) = (search, read)
    }

    var all: [Tool] { [searching, fetching] }

    private var searching: Tool {
        Tool(
            "search", "Finds notes.", arguments: .object([.required("query", .string(least: 1, most: 1000))]),
            scope: search.scope
        ) { [search] arguments, caller in
            let query = arguments.values["query"] ?? .null
            let found = try await search.handler(
                ToolArguments(["query": query, "limit": .integer(Self.results)]), caller)
            let results = found.passages.map { passage -> JSONValue in
                .object(Self.head(of: passage.part))
            }
            return Self.result(["results": .array(results)])
        }
    }

    private var fetching: Tool {
        Tool(
            "fetch", "Reads a note by the id of a search.",
            arguments: .object([.required("id", .string(least: 1, most: 64))]), scope: read.scope
        ) { [read] arguments, caller in
            let text = arguments.string("id") ?? ""
            guard let id = Int64(text), id > 0 else { throw StorageError(.notFound, "there is no note \"\(text)\"") }
            var (parts, bytes, offset) = ([ChatPassage](), 0, Int64?(0))
            while let start = offset, bytes < ToolReport.maxBytes {
                let found = try await read.handler(
                    ToolArguments(["note": .integer(id), "offset": .integer(start)]), caller)
                guard let part = found.passages.first?.part else { break }
                parts.append(part)
                bytes += part.text.utf8.count
                offset = nil
                if case .object(let facts)? = found.content, case .integer(let next)? = facts["next_offset"] {
                    offset = next
                }
            }
            guard let first = parts.first else { throw StorageError(.notFound, "there is no note \(id)") }
            var members = Self.head(of: first)
            members["text"] = .string(parts.map(\.text).joined())
            members["metadata"] = .object(["date": .string(first.date), "complete": .bool(offset == nil)])
            return Self.result(members)
        }
    }

    private static func head(of part: ChatPassage) -> [String: JSONValue] {
        let id = part.note ?? 0
        return [
            "id": .string(String(id)), "title": .string(part.title), "url": .string(ResourceAddress.note(id).uri),
        ]
    }

    private static func result(_ members: [String: JSONValue]) -> ToolResult {
        let data = JSONValue.object(members)
        return ToolResult(text: String(decoding: data.json, as: UTF8.self), content: data)
    }
}
