/// The current activity of a run.
package enum RunPhase: Sendable, Hashable {
    /// The run waits for its turn; place 1 is next.
    case queued(place: Int)
    case searching
    /// The request to the model waits for a place at the upstream; place 1 is next.
    case waiting(place: Int)
    /// The model got its first request and has not begun: it is loading, or reading the prompt.
    case loadingModel
    /// The model works, but has sent no text since its last request.
    case thinking
    case answering
    /// The tools of a round run; the first round is 1.
    case toolRound(Int)
    case ended(RunOutcome)

    /// The name of the phase in a `state` event.
    package var word: String {
        switch self {
        case .queued: "queued"
        case .searching: "searching"
        case .waiting: "waiting"
        case .loadingModel: "loading_model"
        case .thinking: "thinking"
        case .answering: "answering"
        case .toolRound: "tools"
        case .ended(let outcome): outcome.word
        }
    }

    /// The progress of a run by its phase alone, 0 to 1. Decreases when tools follow an answer.
    package var progress: Double {
        switch self {
        case .queued: 0
        case .searching: 0.1
        case .waiting: 0.2
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
    /// The gateway stopped during the run, which can be continued.
    case interrupted

    /// Why a run was stopped.
    package enum StopReason: String, Sendable, Hashable {
        /// A client requested the stop.
        case asked
        /// No reader was attached for a set time.
        case unread
        /// The text reached its limit.
        case length
    }

    /// The name of the outcome on the wire and in the database.
    package var word: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .stopped: "stopped"
        case .interrupted: "interrupted"
        }
    }
}
