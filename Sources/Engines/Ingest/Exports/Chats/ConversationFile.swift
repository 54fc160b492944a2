/// Reads a JSON file of conversations, of which a list has any number.
struct ConversationFile<Format: ConversationFormat>: ItemReader {
    private let file: IngestFile
    private var elements: JSONElements
    var bytesRead: Int { elements.bytesRead }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        elements = JSONElements(try file.open())
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        elements.next()?.flatMap { element in
            let location = "\(file.location):\(element.number)"
            guard let object = JSONItem.object(element.bytes) else {
                return .failure(IngestProblem(location: location, reason: "is not a conversation in JSON"))
            }
            return Format.transcript(object).note(Format.format, at: location, modifiedAt: file.modifiedAt)
        }
    }

    static func reads(_ name: String) -> Bool {
        Ending.of(name) == "json" && Format.reads(Ending.stem(name).lowercased())
    }

    static func recognizes(_ source: IngestSource) -> Bool {
        if let file = source.file { return Ending.of(file.name) == "json" && hasKeys(file) }
        guard !source.hasNotes, let name = source.names.first(where: reads) else {
            return false
        }
        return hasKeys(source.file(name))
    }

    private static func hasKeys(_ file: IngestFile) -> Bool {
        let start = file.start()
        return Format.keys.allSatisfy { JSONItem.hasKey($0, start) }
    }
}

/// Reads the conversations of ChatGPT.
typealias ChatGPTConversations = ConversationFile<ChatGPTFormat>
/// Reads the conversations of Claude.
typealias ClaudeConversations = ConversationFile<ClaudeFormat>
/// Reads the chats of Open WebUI.
typealias OpenWebUIChats = ConversationFile<OpenWebUIFormat>
