/// `conversations.json` of ChatGPT: a tree of messages in each conversation, and the message that it shows last.
enum ChatGPTFormat: ConversationFormat {
    static let format = IngestFormat.chatGPT
    static let keys = ["mapping"]

    static func reads(_ name: String) -> Bool { name.hasPrefix("conversations") }

    static func transcript(_ object: [String: Any]) -> ChatTranscript {
        var result = ChatTranscript(
            id: JSONItem.text(object["conversation_id"]) ?? JSONItem.text(object["id"]),
            title: JSONItem.text(object["title"]) ?? "", createdAt: JSONItem.date(object["create_time"]))
        let nodes = (object["mapping"] as? [String: Any] ?? [:]).compactMapValues { $0 as? [String: Any] }
        let messages = nodes.compactMapValues { ($0["message"] as? [String: Any]).flatMap(message) }
        let times = nodes.mapValues { ((($0["message"] as? [String: Any])?["create_time"]) as? Double) ?? 0 }
        let order = messages.keys.sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) }
        let branch = ChatBranch(
            to: JSONItem.text(object["current_node"]), parents: nodes.mapValues { JSONItem.text($0["parent"]) ?? "" },
            order: order)
        result.messages = branch.ids.compactMap { messages[$0] }
        result.otherBranches = messages.count - result.messages.count
        result.warnings = branch.warning.map { [$0] } ?? []
        return result
    }

    /// What a person or the model wrote; nil for what tools and settings wrote.
    private static func message(_ message: [String: Any]) -> ChatTranscript.Message? {
        let role = (message["author"] as? [String: Any])?["role"] as? String
        let metadata = message["metadata"] as? [String: Any] ?? [:]
        guard role == "user" || role == "assistant",
            metadata["is_visually_hidden_from_conversation"] as? Bool != true,
            let content = message["content"] as? [String: Any],
            ["text", "multimodal_text"].contains(content["content_type"] as? String ?? "text"),
            // The model asks a tool.
            (message["recipient"] as? String ?? "all") == "all"
        else { return nil }
        let attachments = (metadata["attachments"] as? [Any] ?? []).compactMap {
            ($0 as? [String: Any])?["name"] as? String
        }
        let parts = (content["parts"] as? [Any] ?? []).map(part) + attachments.map { "[file \($0)]" }
        let text = parts.filter { !$0.isEmpty }.joined(separator: "\n\n").trimming(\.isWhitespace)
        return text.isEmpty ? nil : ChatTranscript.Message(isPerson: role == "user", text: text)
    }

    private static func part(_ part: Any) -> String {
        if let text = part as? String { return withoutMarks(text) }
        guard let part = part as? [String: Any] else { return "" }
        if let text = JSONItem.text(part["text"]) { return text }
        let kind = JSONItem.text(part["content_type"]) ?? ""
        return kind.hasPrefix("image")
            ? "[image]" : kind.hasPrefix("audio") || kind.hasPrefix("video") ? "[recording]" : ""
    }

    /// A text without the marks of sources, which stand between two characters of private use and mean nothing elsewhere.
    private static func withoutMarks(_ text: String) -> String {
        guard text.unicodeScalars.contains("\u{E200}") else { return text }
        var (result, mark) = ("".unicodeScalars, nil as String.UnicodeScalarView?)
        for scalar in text.unicodeScalars {
            switch (scalar, mark) {
            case ("\u{E200}", nil): mark = String.UnicodeScalarView()
            case ("\u{E201}", .some): mark = nil
            case (_, nil): result.append(scalar)
            default: mark?.append(scalar)
            }
        }
        // A mark without an end is text.
        if let mark { result.append(contentsOf: mark) }
        return String(result)
    }
}
