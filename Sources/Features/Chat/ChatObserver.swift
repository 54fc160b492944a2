package import GatewayAPI

/// Counts what becomes of runs and summaries.
package protocol ChatObserver: Sendable {
    /// A model has counted tokens of a request.
    func spent(prompt: Int, completion: Int)
    /// A run has ended, or its process ends.
    func ended(_ run: EndedRun)
    /// An attempt to write a summary has ended.
    func compressed(_ outcome: CompressionOutcome)
}

/// The figures of a run at its end.
package struct EndedRun: Sendable {
    /// The kind of conversation.
    package var kind: String
    /// `done`, `failed`, `stopped` or `interrupted`.
    package var state: String
    /// What was found, cited, left out and spent.
    package var record: ChatRecord
    /// Whether the run was continued after an interruption.
    package var isContinued: Bool
}

/// What became of an attempt to write a summary.
package enum CompressionOutcome: String, Sendable, CaseIterable {
    case done, failed, cancelled
}
