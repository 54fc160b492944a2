package import Server
package import Tools

package struct ChatSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .chatContext, .chatAnswer, .chatCompress, .chatPrefill, .runUnreadTimeout, .citationsModel, .privateNotes,
        .memories,
        .memoriesModel,
    ]

    /// The largest context of a request in tokens.
    package var contextTokens: Int
    /// The part of the context that is kept for the answer, in tokens.
    package var answerTokens: Int
    /// Whether messages that do not fit into a prompt are summarised afterwards.
    package var compresses: Bool
    /// Whether the next prompt of a conversation that is opened is computed ahead.
    package var prefills: Bool
    /// The time after which a run without readers ends.
    package var unreadTimeout: Duration
    /// The notes that never enter a prompt to a provider on another machine.
    package var privacy: NotePrivacy
    /// Whether chats find facts about the person and use them.
    package var remembers: Bool
    /// The model that proposes memories beside the rules; nil for none.
    package var memoriesModel: String?

    /// The model that judges supported sentences once more; nil for none.
    package var citationsModel: String?

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        contextTokens = try reader.integer(.chatContext, in: 1024...4_194_304)
        answerTokens = try reader.integer(.chatAnswer, in: 64...1_048_576)
        compresses = try reader.word(.chatCompress, as: Switch.self) == .on
        prefills = try reader.word(.chatPrefill, as: Switch.self) == .on
        unreadTimeout = try reader.seconds(.runUnreadTimeout)
        let text = reader.text(.privateNotes) ?? ""
        guard let privacy = NotePrivacy(text) else {
            throw ConfigurationError.invalid(
                .privateNotes, text, reader.origin(of: .privateNotes),
                "filters such as \"tag:private, type:diary, thread:Health\"")
        }
        self.privacy = privacy
        remembers = try reader.word(.memories, as: Switch.self) == .on
        memoriesModel = reader.text(.memoriesModel)
        citationsModel = reader.text(.citationsModel)
    }
}

extension Setting {
    package static let chatContext = Setting(
        "chat_context", default: "8192", editable: true,
        "tokens of a chat's prompt and answer, at most the model's own context")
    package static let chatAnswer = Setting(
        "chat_answer", default: "1024", editable: true, "tokens of that context which are kept for the answer")
    package static let chatCompress = Setting(
        "chat_compress", default: "on", editable: true,
        "off: messages that do not fit into a chat's prompt are not summarised")
    package static let chatPrefill = Setting(
        "chat_prefill", default: "on", editable: true,
        "the model's server computes a long conversation that you open while it is idle, so that the next answer begins sooner; off: it does not"
    )
    package static let runUnreadTimeout = Setting(
        "run_patience", default: "600", editable: true, "seconds after which an answer that nobody reads is stopped")
    package static let citationsModel = Setting(
        "citations_model", default: nil, editable: true,
        "model that judges once more what the rules call supported, and may only take that away; unset: none")
    package static let memories = Setting(
        "memories", default: "on", editable: true,
        "chats find facts about you in what you write, and use them in later answers; off: neither")
    package static let memoriesModel = Setting(
        "memories_model", default: nil, editable: true,
        "model that proposes further memories, for you to confirm; unset: none")
    package static let privateNotes = Setting(
        "private", default: "tag:private", editable: true,
        "notes that no model on another machine gets: tag:NAME, type:NAME, thread:NAME, comma-separated")
}
