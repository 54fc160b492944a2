import NIOCore

/// The states of one transfer: events in, actions out, without I/O, locks or continuations.
///
/// Two parties send events: the loop (head, bytes, end) and the consumer (wants a head, wants bytes, cancels).
/// `HeadWaiter` and `ChunkWaiter` represent waiting consumers. An action hands a waiter back exactly once.
struct TransferStateMachine<HeadWaiter, ChunkWaiter> {
    /// How a transfer ended.
    enum Outcome {
        case complete
        case failed(UpstreamError)
    }

    /// The buffered bytes at which the upstream is held back.
    let highWatermark: Int

    private var head: UpstreamResponseHead?
    private var buffer = ByteBuffer()
    private var outcome: Outcome?
    private var isHeldBack = false
    private var headWaiter: HeadWaiter?
    private var chunkWaiter: ChunkWaiter?

    init(highWatermark: Int) {
        self.highWatermark = highWatermark
    }

    // MARK: The loop

    /// Whether the response head has arrived.
    var hasHead: Bool { head != nil }
    /// Whether the upstream is held back until the consumer takes bytes.
    var isPaused: Bool { isHeldBack }
    /// Whether the transfer has ended, from either side.
    var hasEnded: Bool { outcome != nil }

    /// Records the response head.
    mutating func receive(_ head: UpstreamResponseHead) {
        if self.head == nil, outcome == nil { self.head = head }
    }

    /// What the loop must do with received bytes.
    enum ReceiveAction: Equatable {
        /// The bytes were copied into the buffer.
        case taken
        /// Hold the upstream back and offer the same bytes again later.
        case pause
        /// End the transfer, because nobody wants the bytes.
        case abort
    }

    /// Copies bytes into the buffer unless it is full.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> ReceiveAction {
        guard outcome == nil else { return .abort }
        guard buffer.readableBytes < highWatermark else {
            isHeldBack = true
            return .pause
        }
        unsafe buffer.writeBytes(bytes)
        return .taken
    }

    /// Records the end of the transfer on the wire. Only the first end counts.
    mutating func end(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// The waiter to wake, with its result.
    enum WakeAction {
        case none
        case head(HeadWaiter, Result<UpstreamResponseHead, UpstreamError>)
        case chunk(ChunkWaiter, Result<ByteBuffer?, UpstreamError>, resumeUpstream: Bool)
    }

    /// Called once at the end of a loop turn: wakes at most one waiter for everything that arrived in the turn.
    mutating func flush() -> WakeAction {
        if let waiter = headWaiter, let result = headResult() {
            headWaiter = nil
            return .head(waiter, result)
        }
        if let waiter = chunkWaiter, let (result, resumeUpstream) = takeChunk() {
            chunkWaiter = nil
            return .chunk(waiter, result, resumeUpstream: resumeUpstream)
        }
        return .none
    }

    // MARK: The consumer

    /// The result of asking for the head.
    enum HeadAction {
        case deliver(Result<UpstreamResponseHead, UpstreamError>)
        case wait
    }

    /// Asks for the head; called once.
    mutating func wantHead(_ waiter: HeadWaiter) -> HeadAction {
        if let result = headResult() { return .deliver(result) }
        headWaiter = waiter
        return .wait
    }

    /// The result of asking for bytes.
    enum ChunkAction {
        case deliver(Result<ByteBuffer?, UpstreamError>, resumeUpstream: Bool)
        case wait
    }

    /// Asks for all buffered bytes, or waits for some; nil is the end.
    mutating func wantChunk(_ waiter: ChunkWaiter) -> ChunkAction {
        if let (result, resumeUpstream) = takeChunk() { return .deliver(result, resumeUpstream: resumeUpstream) }
        guard chunkWaiter == nil else {
            return .deliver(
                .failure(UpstreamError(.failed, "a response body has one consumer")), resumeUpstream: false)
        }
        chunkWaiter = waiter
        return .wait
    }

    /// Whether a cancellation must abort the transfer on the wire, and which waiters it wakes.
    struct CancelAction {
        var abortTransfer: Bool
        var head: HeadWaiter?
        var chunk: ChunkWaiter?
    }

    /// Aborts the transfer from the consumer's side and drops buffered bytes. Does nothing after the end.
    mutating func cancel(with error: UpstreamError) -> CancelAction {
        guard outcome == nil else { return CancelAction(abortTransfer: false) }
        outcome = .failed(error)
        buffer = ByteBuffer()
        defer {
            headWaiter = nil
            chunkWaiter = nil
        }
        return CancelAction(abortTransfer: true, head: headWaiter, chunk: chunkWaiter)
    }

    // MARK: Inside

    private func headResult() -> Result<UpstreamResponseHead, UpstreamError>? {
        if let head { return .success(head) }
        switch outcome {
        case nil: return nil
        case .failed(let error): return .failure(error)
        case .complete:
            return .failure(UpstreamError(.protocolViolation, "the upstream closed without a response"))
        }
    }

    /// Takes all buffered bytes. Bytes that arrived before a failure are delivered before the failure.
    private mutating func takeChunk() -> (Result<ByteBuffer?, UpstreamError>, resumeUpstream: Bool)? {
        if buffer.readableBytes > 0 {
            let chunk = buffer
            buffer = ByteBuffer()
            let resume = isHeldBack && outcome == nil
            if resume { isHeldBack = false }
            return (.success(chunk), resume)
        }
        switch outcome {
        case nil: return nil
        case .complete: return (.success(nil), false)
        case .failed(let error): return (.failure(error), false)
        }
    }
}
