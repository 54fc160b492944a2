import NIOCore
import Synchronization

/// One transfer, shared by the loop that feeds it and its consumer, a task or an event loop.
///
/// All state is in a ``TransferStateMachine`` under one lock. Waiters are called outside the lock, once each.
final class Transfer: Sendable {
    typealias HeadWaiter = @Sendable (Result<UpstreamResponseHead, UpstreamError>) -> Void
    typealias ChunkWaiter = @Sendable (Result<ByteBuffer?, UpstreamError>) -> Void
    typealias Machine = TransferStateMachine<HeadWaiter, ChunkWaiter>

    let request: UpstreamRequest
    private let machine: Mutex<Machine>
    private let moveCount = Mutex(0)
    private let loop: CurlLoop

    init(_ request: UpstreamRequest, on loop: CurlLoop, highWatermark: Int) {
        self.request = request
        self.loop = loop
        machine = Mutex(Machine(highWatermark: highWatermark))
        request.upload?.attach { [weak self] in
            if let self { self.loop.post(.unpause(self)) }
        }
    }

    // MARK: The loop

    /// How often a request of HTTP/2 is sent again on another connection.
    static let moves = 3

    /// Counts a move to another connection; false when there were enough, or when the body cannot be sent again.
    func mayMove() -> Bool {
        request.upload == nil
            && moveCount.withLock { count in
                count += 1
                return count <= Self.moves
            }
    }

    var hasHead: Bool { machine.withLock { $0.hasHead } }
    var isPaused: Bool { machine.withLock { $0.isPaused } }
    var hasEnded: Bool { machine.withLock { $0.hasEnded } }

    func receive(_ head: UpstreamResponseHead) { machine.withLock { $0.receive(head) } }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Machine.ReceiveAction {
        // The lock's closure may not capture a pointer, so it captures the address. The bytes are valid during this
        // call only; the machine copies them.
        let address = UInt(bitPattern: bytes.baseAddress)
        let count = bytes.count
        return machine.withLock {
            unsafe $0.receive(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
        }
    }

    func end(_ outcome: Machine.Outcome) { machine.withLock { $0.end(outcome) } }

    /// Wakes the consumer once for everything that arrived in a turn of the loop.
    func flush() {
        switch machine.withLock({ $0.flush() }) {
        case .none: break
        case .head(let waiter, let result): waiter(result)
        case .chunk(let waiter, let result, let resumeUpstream):
            if resumeUpstream { loop.post(.unpause(self)) }
            waiter(result)
        }
    }

    // MARK: The consumer

    /// Calls the waiter with the response head, at once if it has arrived.
    func whenHead(_ waiter: @escaping HeadWaiter) {
        if case .deliver(let result) = machine.withLock({ $0.wantHead(waiter) }) { waiter(result) }
    }

    /// Returns all bytes that have arrived. When there are none, returns nil and calls the waiter as soon as some
    /// arrive.
    func takeChunk(orWait waiter: @escaping ChunkWaiter) -> Result<ByteBuffer?, UpstreamError>? {
        switch machine.withLock({ $0.wantChunk(waiter) }) {
        case .wait: return nil
        case .deliver(let result, let resumeUpstream):
            if resumeUpstream { loop.post(.unpause(self)) }
            return result
        }
    }

    /// Waits for the response head.
    func head() async throws(UpstreamError) -> UpstreamResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenHead { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Returns all bytes that have arrived, and waits when there are none; nil at the end.
    func nextChunk() async throws(UpstreamError) -> ByteBuffer? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = takeChunk { continuation.resume(returning: $0) }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Aborts the transfer: closes the connection and calls the waiters.
    func cancel(with error: UpstreamError = .cancelled) {
        let action = machine.withLock { $0.cancel(with: error) }
        if action.abortTransfer { loop.post(.cancel(self)) }
        action.head?(.failure(error))
        action.chunk?(.failure(error))
    }
}
