import Foundation

/// The chats of Open WebUI: a tree of messages in each chat, or a list of them in older ones.
enum OpenWebUIFormat: ConversationFormat {
    static let format = IngestFormat.openWebUI
    static let keys = ["chat", "messages"]

    static func reads(_ name: String) -> Bool { name.contains("chat") }

    static func transcript(_ object: [String: Any]) -> ChatTranscript {
        let chat = object["chat"] as? [String: Any] ?? object
        let tags = (object["meta"] as? [String: Any])?["tags"] as? [Any] ?? chat["tags"] as? [Any] ?? []
        var result = ChatTranscript(
            id: JSONItem.text(object["id"]) ?? JSONItem.text(chat["id"]),
            title: JSONItem.text(object["title"]) ?? JSONItem.text(chat["title"]) ?? "",
            createdAt: JSONItem.date(object["created_at"]) ?? JSONItem.date(chat["timestamp"]),
            tags: tags.compactMap { $0 as? String ?? ($0 as? [String: Any])?["name"] as? String })
        let list = (chat["messages"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
        guard let history = chat["history"] as? [String: Any], let tree = history["messages"] as? [String: Any],
            !tree.isEmpty
        else {
            result.messages = list.compactMap(message)
            return result
        }
        let nodes = tree.compactMapValues { $0 as? [String: Any] }
        let messages = nodes.compactMapValues(message)
        let times = nodes.mapValues { ($0["timestamp"] as? Double) ?? 0 }
        let branch = ChatBranch(
            to: JSONItem.text(history["currentId"]), parents: nodes.mapValues { JSONItem.text($0["parentId"]) ?? "" },
            order: messages.keys.sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) })
        result.messages = branch.ids.compactMap { messages[$0] }
        result.otherBranches = messages.count - result.messages.count
        result.warnings = branch.warning.map { [$0] } ?? []
        return result
    }

    private static func message(_ message: [String: Any]) -> ChatTranscript.Message? {
        let role = message["role"] as? String
        guard role == "user" || role == "assistant" else { return nil }
        let files = (message["files"] as? [Any] ?? []).compactMap { ($0 as? [String: Any])?["name"] as? String }
        let said = text(message["content"])
        let parts =
            [role == "user" ? said.trimming(\.isWhitespace) : withoutThoughts(said)] + files.map { "[file \($0)]" }
        let text = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
        return text.isEmpty ? nil : ChatTranscript.Message(isPerson: role == "user", text: text)
    }

    private static func text(_ content: Any?) -> String {
        if let text = content as? String { return text }
        return (content as? [Any] ?? []).compactMap { ($0 as? [String: Any])?["text"] as? String }
            .joined(separator: "\n\n")
    }

    /// An answer without what the model thought and asked of tools, which the program keeps in elements of their own.
    private static func withoutThoughts(_ text: String) -> String {
        let (open, close) = ("<details type=\"", "</details>")
        guard text.contains(open) else { return text.trimming(\.isWhitespace) }
        var (result, rest) = ("", text[...])
        while let start = rest.range(of: open) {
            let behind = rest[start.upperBound...]
            guard behind.hasPrefix("reasoning\"") || behind.hasPrefix("tool_calls\"") else {
                result += rest[..<start.upperBound]
                rest = behind
                continue
            }
            // Without an end, it is text.
            guard let end = behind.range(of: close) else { break }
            result += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return (result + rest).trimming(\.isWhitespace)
    }
}
