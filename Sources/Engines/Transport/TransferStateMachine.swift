import NIOCore

/// The life of one transfer: event in, action out, without I/O, locks or continuations of its own.
///
/// Two parties send events: the loop (head, bytes, end) and the consumer (wants a head, wants bytes, cancels).
/// `HeadWaiter` and `ChunkWaiter` stand for whoever waits; an action hands a waiter back exactly once.
struct TransferStateMachine<HeadWaiter, ChunkWaiter> {
    /// How a transfer ended.
    enum Outcome {
        case complete
        case failed(UpstreamError)
    }

    /// Bytes at which the upstream is held back.
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

    /// Whether the response head has come.
    var hasHead: Bool { head != nil }
    /// Whether the upstream is held back until the consumer takes bytes.
    var isPaused: Bool { isHeldBack }
    /// Whether the transfer has ended, whoever ended it.
    var hasEnded: Bool { outcome != nil }

    /// The head came.
    mutating func receive(_ head: UpstreamResponseHead) {
        if self.head == nil, outcome == nil { self.head = head }
    }

    /// What to do with bytes that came.
    enum ReceiveAction: Equatable {
        /// They are in the buffer.
        case taken
        /// Hold the upstream back and offer the same bytes again later.
        case pause
        /// Nobody wants them: end the transfer.
        case abort
    }

    /// Bytes came. Copies them into the buffer unless it is full.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> ReceiveAction {
        guard outcome == nil else { return .abort }
        guard buffer.readableBytes < highWatermark else {
            isHeldBack = true
            return .pause
        }
        unsafe buffer.writeBytes(bytes)
        return .taken
    }

    /// The transfer ended on the wire. The first end counts.
    mutating func end(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// Who is to be woken, and with what.
    enum WakeAction {
        case none
        case head(HeadWaiter, Result<UpstreamResponseHead, UpstreamError>)
        case chunk(ChunkWaiter, Result<ByteBuffer?, UpstreamError>, resumeUpstream: Bool)
    }

    /// Called once at the end of a loop turn: at most one wake-up for all that came during it.
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

    /// What the consumer gets.
    enum HeadAction {
        case deliver(Result<UpstreamResponseHead, UpstreamError>)
        case wait
    }

    /// The consumer wants the head; asked once.
    mutating func wantHead(_ waiter: HeadWaiter) -> HeadAction {
        if let result = headResult() { return .deliver(result) }
        headWaiter = waiter
        return .wait
    }

    /// What the consumer gets.
    enum ChunkAction {
        case deliver(Result<ByteBuffer?, UpstreamError>, resumeUpstream: Bool)
        case wait
    }

    /// The consumer wants all bytes that are there, or to wait for some; nil is the end.
    mutating func wantChunk(_ waiter: ChunkWaiter) -> ChunkAction {
        if let (result, resumeUpstream) = takeChunk() { return .deliver(result, resumeUpstream: resumeUpstream) }
        guard chunkWaiter == nil else {
            return .deliver(
                .failure(UpstreamError(.failed, "a response body has one consumer")), resumeUpstream: false)
        }
        chunkWaiter = waiter
        return .wait
    }

    /// Whether a cancellation has to reach the wire, and who waits for it.
    struct CancelAction {
        var abortTransfer: Bool
        var head: HeadWaiter?
        var chunk: ChunkWaiter?
    }

    /// The consumer aborts. After the end it changes nothing; bytes that wait are dropped.
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

    /// All bytes that are there; what came before a failure is delivered before the failure is.
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
