/// What a run is doing.
package enum RunPhase: Sendable, Hashable {
    /// Waits for its turn; place 1 is the next.
    case queued(place: Int)
    case searching
    /// The model was asked first and has not begun: it is loaded, or reads the prompt.
    case loadingModel
    /// The model works, and no text has come since it was asked last.
    case thinking
    case answering
    /// The tools of a round run; the first round is 1.
    case toolRound(Int)
    case ended(RunOutcome)

    /// The word for it in a `state` event.
    package var word: String {
        switch self {
        case .queued: "queued"
        case .searching: "searching"
        case .loadingModel: "loading_model"
        case .thinking: "thinking"
        case .answering: "answering"
        case .toolRound: "tools"
        case .ended(let outcome): outcome.word
        }
    }

    /// How far a run has come, 0 to 1, by its phase alone: it goes back when an answer is followed by tools.
    package var progress: Double {
        switch self {
        case .queued: 0
        case .searching: 0.1
        case .loadingModel: 0.25
        case .toolRound: 0.3
        case .thinking: 0.4
        case .answering: 0.6
        case .ended: 1
        }
    }
}

/// How a run ended.
package enum RunOutcome: Sendable, Hashable {
    case done
    /// The text is a reason for the reader.
    case failed(String)
    case stopped(StopReason)
    /// The gateway stopped in the middle; the run can be continued.
    case interrupted

    /// Why a run was stopped.
    package enum StopReason: String, Sendable, Hashable {
        /// A client sent a stop.
        case asked
        /// Nobody has read it for a set time.
        case unread
        /// The text has reached its limit.
        case length
    }

    /// The word for it on the wire and in the database.
    package var word: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .stopped: "stopped"
        case .interrupted: "interrupted"
        }
    }
}
