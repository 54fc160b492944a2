/// A conversation of a person with a model, as another program exports it.
struct ChatTranscript {
    /// What one of the two wrote.
    struct Message: Equatable {
        var isPerson: Bool
        var text: String
    }

    /// The id that the program gives the conversation.
    var id: String?
    var title = ""
    /// In ISO 8601.
    var createdAt: String?
    var tags: [String] = []
    var messages: [Message] = []
    /// The number of messages that are on no way to the last one: earlier questions that were edited, and answers made again.
    var otherBranches = 0
    /// What was not read as it was written.
    var warnings: [String] = []

    /// The note: each message is a paragraph of its writer. A conversation without text is listed as empty.
    func note(
        _ format: IngestFormat, at location: String, modifiedAt: Int64?
    ) -> Result<IngestedNote, IngestProblem> {
        let spoken = messages.filter { !$0.text.isEmpty }
        guard let first = spoken.first else {
            return .failure(IngestProblem(location: location, reason: "is a conversation without text", isEmpty: true))
        }
        let question = spoken.first(where: \.isPerson) ?? first
        let content = spoken.map { ($0.isPerson ? "You: " : "Assistant: ") + $0.text }.joined(separator: "\n\n")
        let own = NoteTitle.line(title).trimming(\.isWhitespace)
        var note = IngestedNote(
            title: own.isEmpty ? NoteTitle.first(of: question.text) : own, content: content, createdAt: createdAt,
            tags: TagWords.distinct(tags.compactMap { TagWords.clean($0) }))
        note.externalID =
            id.map { ItemName.of($0, from: format) }
            ?? ItemName.of([createdAt ?? "", question.text], from: format)
        note.location = location
        note.modifiedAt = modifiedAt
        note.warnings = warnings
        if otherBranches > 0 {
            note.warnings.append(
                otherBranches == 1
                    ? "1 message of another branch is left out"
                    : "\(otherBranches) messages of other branches are left out")
        }
        return .success(note)
    }
}
