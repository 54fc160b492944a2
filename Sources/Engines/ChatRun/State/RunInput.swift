/// Something that happened to a run.
package enum RunInput: Sendable, Hashable {
    /// The place in the queue is another one.
    case moved(place: Int)
    /// The turn has come. Greetings and the like are answered without a search.
    case admitted(searches: Bool)
    /// The search has ended, with or without passages.
    case searched
    /// The model has been loaded and begins.
    case modelLoaded
    /// A piece of the model's thinking came.
    case thought
    /// A piece of the answer came.
    case wrote
    /// The model ended its turn with calls of tools.
    case calledTools
    /// Every call of the round has its result.
    case toolsFinished
    /// The model ended its turn without calls.
    case modelFinished
    /// The text has reached its limit.
    case textFull
    /// Something that the run cannot do without failed; the text is a reason for the reader.
    case failed(String)
    /// A client stops the run.
    case stop
    /// The gateway shuts down.
    case interrupt
    /// A client continues an interrupted run.
    case continueRun
    /// The number of readers is now this one.
    case readers(Int)
    /// The store that was asked for has ended well.
    case stored
    /// The store that was asked for has failed.
    case storeFailed
    /// Time has passed; send it at ``RunStateMachine/deadline``.
    case tick
}

/// What to do about it, in order.
package enum RunAction: Sendable, Hashable {
    /// Append a `state` event.
    case announce(RunPhase)
    /// Wait for a turn.
    case enqueue
    /// Search for the question.
    case search
    /// Send the conversation to the model.
    case askModel(offersTools: Bool)
    /// Append the piece of text to the log. Without this action it is dropped.
    case appendText
    /// Carry out the calls.
    case runTools
    /// Leave the queue, close the upstream, and cancel search and tools.
    case cancelWork
    /// Store the text and the events as they are now; then send ``RunInput/stored`` or ``RunInput/storeFailed``.
    case store
    /// Append `done` or `failed`; readers end behind it.
    case finish(RunOutcome, isStored: Bool)
    /// Nothing will follow: forget the run after its readers have had time to read the end.
    case release
}
