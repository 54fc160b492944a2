import GatewayAPI
import Text
import Tools

/// Renders the result of a tool for MCP clients: as text, as data and as links, within a size.
struct ToolReport {
    /// The maximum size of all texts of a result in bytes. Hosts refuse larger results.
    static let maxBytes = 24_000

    private let parts: [ChatPassage]
    private let ranks: [ToolPassage.Rank?]
    private let texts: [String]
    private let message: String
    private let content: [String: JSONValue]
    private let hasParts: Bool
    /// Whether the text has all that the data has.
    private let isWhole: Bool

    init(_ result: ToolResult, by face: ToolFace) {
        let previews = face.previews
        var (parts, texts, bytes) = ([ChatPassage](), [String](), 0)
        for passage in result.passages {
            let text = previews.map { passage.preview(characters: $0) } ?? passage.part.text
            guard parts.isEmpty || bytes + text.utf8.count <= Self.maxBytes else { break }
            bytes += text.utf8.count
            parts.append(passage.part)
            texts.append(ResultBudget(bytes: Self.maxBytes).cut(text).text)
        }
        // A JSON text may not be cut, and its tool bounds it.
        let isJSON = FixedNameTools.names.contains(face.name)
        var message = isJSON ? result.text : ResultBudget(bytes: Self.maxBytes).cut(result.text).text
        if parts.count < result.passages.count {
            let next = result.passages[parts.count].part
            let place = next.page.map { ", from page \(next.label ?? String($0))" } ?? ""
            let rest = "\(result.passages.count - parts.count) more did not fit\(place); ask for them by themselves."
            message += (message.isEmpty ? "" : " ") + rest
        }
        self.parts = parts
        ranks = result.passages.prefix(parts.count).map(\.rank)
        self.texts = texts
        self.message = message
        hasParts = face.hasParts || !parts.isEmpty
        isWhole = isJSON
        if case .object(let members)? = result.content { content = members } else { content = [:] }
    }

    /// The result of `tools/call`.
    func json(_ revision: MCPRevision) -> [String: JSONValue] {
        var blocks: [JSONValue] = [.object(["type": .string("text"), "text": .string(text)])]
        guard revision.hasStructuredContent else { return ["content": .array(blocks)] }
        var linked: Set<String> = []
        for part in parts where linked.insert(part.uri).inserted {
            blocks.append(
                .object([
                    "type": .string("resource_link"), "uri": .string(part.uri), "name": .string(part.linkName),
                    "mimeType": .string("text/plain"),
                ]))
        }
        return ["content": .array(blocks), "structuredContent": data]
    }

    /// The result as data.
    private var data: JSONValue {
        var members = content
        if hasParts { members["results"] = .array(parts.indices.map { .object(data(ofPart: $0)) }) }
        if !message.isEmpty, !isWhole { members["message"] = .string(message) }
        return .object(members)
    }

    private func data(ofPart place: Int) -> [String: JSONValue] {
        let (part, rank) = (parts[place], ranks[place])
        var members: [String: JSONValue] = [
            "uri": .string(part.uri), "title": .string(part.title), "date": .string(part.date),
            "text": .string(texts[place]),
        ]
        members["note"] = part.note.map(JSONValue.integer)
        members["book"] = part.book.map(JSONValue.integer)
        members["page"] = part.page.map { .string(part.label ?? String($0)) }
        members["score"] = (rank?.score ?? part.score).map(JSONValue.number)
        if let why = rank?.why ?? part.why {
            var reasons: [String: JSONValue] = ["terms": .array(why.terms.map(JSONValue.string))]
            reasons["meaning"] = why.meaning.map(JSONValue.number)
            reasons["words"] = why.words.map { .integer(Int64($0)) }
            members["why"] = .object(reasons)
        }
        return members
    }

    /// The result for models that get text only: each part below its handle, then what else there is.
    private var text: String {
        var paragraphs = zip(parts, texts).map { part, text in
            "[\(part.handle)] \(part.title) (\(part.date))\n\(text)"
        }
        if !message.isEmpty { paragraphs.append(message) }
        let facts = content.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            switch value {
            case .string(let text): "\(name): \(text)"
            case .integer(let number): "\(name): \(number)"
            default: nil
            }
        }
        if !facts.isEmpty, !isWhole { paragraphs.append(facts.joined(separator: ", ")) }
        return paragraphs.joined(separator: "\n\n")
    }
}

extension ChatPassage {
    /// The address of the resource that the part belongs to.
    fileprivate var uri: String {
        if let note { return ResourceAddress.note(note).uri }
        return ResourceAddress.page(book ?? 0, label ?? String(page ?? 1)).uri
    }

    /// What the part is called in a text.
    fileprivate var handle: String { note.map { "note \($0)" } ?? "book \(book ?? 0), \(date)" }

    fileprivate var linkName: String {
        let name = book == nil ? title : "\(title), \(date)"
        return name.isEmpty ? handle : name
    }
}

extension ToolPassage {
    /// At most so many characters around the match; from the beginning without a match.
    fileprivate func preview(characters: Int) -> String {
        Snippet.part(of: part.text, at: rank?.match, characters: characters)
    }
}
