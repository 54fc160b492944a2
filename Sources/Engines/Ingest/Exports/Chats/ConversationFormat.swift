/// The conversations of one program.
protocol ConversationFormat: SendableMetatype {
    /// The format's name.
    static var format: IngestFormat { get }
    /// Whether a file of a folder or an archive has conversations, by its name without folders, in lower case.
    static func reads(_ name: String) -> Bool
    /// Names of fields of which all are in the first bytes of a file of the format.
    static var keys: [String] { get }
    /// Reads a conversation.
    static func transcript(_ object: [String: Any]) -> ChatTranscript
}
