/// An event that a run reacts to.
package enum RunInput: Sendable, Hashable {
    /// The run's place in the queue changed.
    case moved(place: Int)
    /// The run's turn came. Greetings and similar messages are answered without a search.
    case admitted(searches: Bool)
    /// The search has ended, with or without passages.
    case searched
    /// The request to the model waits for a place at the upstream.
    case waiting(place: Int)
    /// The request was sent to the model.
    case sent
    /// The model sent a piece of its thinking.
    case thought
    /// The model sent a piece of the answer.
    case wrote
    /// The model ended its turn with tool calls.
    case calledTools
    /// Every call of the round has its result.
    case toolsFinished
    /// The model ended its turn without tool calls.
    case modelFinished
    /// The text has reached its limit.
    case textFull
    /// A step that the run needs failed; the text is a reason for the reader.
    case failed(String)
    /// A client stops the run.
    case stop
    /// The gateway shuts down.
    case interrupt
    /// A client continues an interrupted run.
    case continueRun
    /// The number of readers changed to this number.
    case readers(Int)
    /// The requested store succeeded.
    case stored
    /// The requested store failed.
    case storeFailed
    /// Time passed; send this at ``RunStateMachine/deadline``.
    case tick
}

/// An action for the caller to carry out, in order.
package enum RunAction: Sendable, Hashable {
    /// Append a `state` event.
    case announce(RunPhase)
    /// Wait for a turn.
    case enqueue
    /// Search for passages for the question.
    case search
    /// Send the conversation to the model.
    case askModel(offersTools: Bool)
    /// Append the piece of text to the log. Without this action the text is dropped.
    case appendText
    /// Carry out the tool calls.
    case runTools
    /// Leave the queue, close the upstream, and cancel search and tools.
    case cancelWork
    /// Store the current text and events; then send ``RunInput/stored`` or ``RunInput/storeFailed``.
    case store
    /// Append `done` or `failed`, at which readers end.
    case finish(RunOutcome, isStored: Bool)
    /// Release the run, after its readers had time to read the end. No action follows.
    case release
}
