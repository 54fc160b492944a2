/// `conversations.json` of Claude: a list of messages in each conversation.
enum ClaudeFormat: ConversationFormat {
    static let format = IngestFormat.claude
    static let keys = ["chat_messages"]

    static func reads(_ name: String) -> Bool { name.hasPrefix("conversations") }

    static func transcript(_ object: [String: Any]) -> ChatTranscript {
        var result = ChatTranscript(
            id: JSONItem.text(object["uuid"]), title: JSONItem.text(object["name"]) ?? "",
            createdAt: JSONItem.date(object["created_at"]))
        let all = (object["chat_messages"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
        var read = all
        if let last = JSONItem.text(object["current_leaf_message_uuid"]) {
            let byID = Dictionary(all.compactMap { message in JSONItem.text(message["uuid"]).map { ($0, message) } }) {
                first, _ in first
            }
            // The parent of the first message is an id of zeros.
            let parents = byID.mapValues { message in
                JSONItem.text(message["parent_message_uuid"]).flatMap { byID[$0] == nil ? nil : $0 } ?? ""
            }
            let branch = ChatBranch(to: last, parents: parents, order: all.compactMap { JSONItem.text($0["uuid"]) })
            read = branch.ids.compactMap { byID[$0] }
            result.otherBranches = all.count - read.count
            result.warnings = branch.warning.map { [$0] } ?? []
        }
        result.messages = read.map(message)
        return result
    }

    private static func message(_ message: [String: Any]) -> ChatTranscript.Message {
        let blocks = (message["content"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
        let texts = blocks.filter { $0["type"] as? String == "text" }.compactMap { JSONItem.text($0["text"]) }
        var parts = texts.isEmpty ? [JSONItem.text(message["text"]) ?? ""] : texts
        // What a person pasted is kept as a file, with its text.
        for file in (message["attachments"] as? [Any] ?? []).compactMap({ $0 as? [String: Any] }) {
            parts.append("[file \(JSONItem.text(file["file_name"]) ?? "without a name")]")
            parts.append(JSONItem.text(file["extracted_content"]) ?? "")
        }
        for file in (message["files"] as? [Any] ?? []).compactMap({ $0 as? [String: Any] }) {
            parts.append("[file \(JSONItem.text(file["file_name"]) ?? "without a name")]")
        }
        return ChatTranscript.Message(
            isPerson: message["sender"] as? String == "human",
            text: parts.filter { !$0.isEmpty }.joined(separator: "\n\n").trimming(\.isWhitespace))
    }
}
