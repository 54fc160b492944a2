import GatewayAPI

/// The figures of a run at its end.
struct EndedRun: Sendable {
    /// The kind of conversation.
    var kind: String
    /// `done`, `failed`, `stopped` or `interrupted`.
    var state: String
    /// What was found, cited, left out and spent.
    var record: ChatRecord
    /// Whether the run was continued after an interruption.
    var isContinued: Bool
}

/// What became of an attempt to write a summary.
enum CompressionOutcome: String, Sendable, CaseIterable {
    case done, failed, cancelled
}
