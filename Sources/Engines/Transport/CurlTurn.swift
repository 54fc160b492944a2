import CCurl
import NIOCore

/// The multi handle with its transfers and sockets. Used by one thread at a time, the one with ``CurlLoop``'s turn.
@safe final class CurlTurn {
    /// Easy handles kept for the next transfers.
    static let spareHandles = 64
    /// The longest sleep of the thread after a turn in which something happened.
    ///
    /// Turns of other threads set deadlines of seconds (to connect, for a first byte). With this limit the thread sees
    /// them in time without a wake-up for each.
    static let watchfulSleep = Duration.seconds(1)

    private let configuration: UpstreamConfiguration
    private let poller: selene_poller
    private let loop: CurlLoop
    private var multi: OpaquePointer
    /// The connection of HTTP/2; nil for HTTP/1.1.
    private let connection: StreamConnection?
    /// Transfers that the connection has no room for.
    private var waiting: CircularBuffer<Transfer> = []
    private var active: [ObjectIdentifier: CurlEasy] = [:]
    private var byHandle: [UInt: CurlEasy] = [:]
    private var spare: [CurlEasy] = []
    private let ready = ReadyList()
    private var sockets: SocketTable
    /// When libcurl wants to be called even if no socket is ready.
    private var curlDeadline: ContinuousClock.Instant?
    /// A lower bound of the transfers' deadlines; nil when there are none.
    private var nextExpiry: ContinuousClock.Instant?
    private var drainDeadline: ContinuousClock.Instant?
    /// When the loop's thread wakes next without an event; nil when it waits for events only.
    private var wakesAt: ContinuousClock.Instant?
    private var isIdle = false
    /// Whether the multi handle is gone.
    private(set) var isOver = false

    init?(configuration: UpstreamConfiguration, poller: selene_poller, loop: CurlLoop) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        self.configuration = configuration
        self.poller = poller
        self.loop = loop
        connection = configuration.version == .http2 ? StreamConnection(limit: max(1, configuration.maxStreams)) : nil
        sockets = SocketTable(poller: poller)
        unsafe self.multi = OpaquePointer(multi)
        setUp()
    }

    /// Sets the options of a new multi handle.
    private func setUp() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        if let connection {
            unsafe selene_multi_set_long(multiPointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
            unsafe selene_multi_set_long(multiPointer, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
            unsafe selene_multi_set_long(multiPointer, CURLMOPT_MAX_CONCURRENT_STREAMS, connection.gate.limit)
        } else {
            unsafe selene_multi_set_long(multiPointer, CURLMOPT_MAXCONNECTS, configuration.maxIdleConnections)
            unsafe selene_multi_set_long(multiPointer, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        }
        unsafe selene_multi_watch(multiPointer, socketChanged, timerChanged, context)
    }

    private var multiPointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(multi) }

    // MARK: Turns

    /// Does all current work: runs commands, lets libcurl work on the ready sockets, and ends transfers that are due.
    func take(_ commands: [CurlLoop.Command], _ events: UnsafeBufferPointer<selene_event>) {
        guard !isOver else { return }
        isIdle = commands.isEmpty && events.isEmpty
        for command in commands { execute(command) }
        for index in events.indices {
            let event = unsafe events[index]
            guard sockets.isWanted(event.socket) else { continue }
            var mask: Int32 = 0
            if event.readable { mask |= CURL_CSELECT_IN }
            if event.writable { mask |= CURL_CSELECT_OUT }
            if event.failed { mask |= CURL_CSELECT_ERR }
            act(on: event.socket, mask)
        }
        let now = ContinuousClock.now
        if let deadline = curlDeadline, now >= deadline {
            curlDeadline = nil
            act(on: CURL_SOCKET_BAD, 0)
        }
        finishDone()
        extendDeadlines(now)
        expire(now)
        wakeConsumers()
        makeRoom()
        if let deadline = drainDeadline, active.isEmpty && waiting.isEmpty || now >= deadline {
            abortAll()
            unsafe curl_multi_cleanup(multiPointer)
            isOver = true
        }
    }

    /// How long the loop's thread may wait for events, in milliseconds; -1 means without limit.
    func pollTimeout() -> Int32 {
        var deadline = nextDeadline
        if !isIdle {
            let soon = ContinuousClock.now + Self.watchfulSleep
            deadline = deadline.map { min($0, soon) } ?? soon
        }
        wakesAt = deadline
        guard let deadline else { return -1 }
        return Int32(clamping: max(0, (deadline - .now).wholeMilliseconds))
    }

    /// Whether the sleeping thread would wake too late for the deadlines that another thread's turn set.
    var mustWakeThread: Bool {
        guard !isOver, let deadline = nextDeadline else { return isOver }
        return wakesAt.map { deadline < $0 } ?? true
    }

    // MARK: Commands

    private func execute(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer):
            guard drainDeadline == nil else {
                loop.transferEnded()
                transfer.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
                return
            }
            if connection == nil { start(transfer) } else { waiting.append(transfer) }
        case .unpause(let transfer):
            guard let easy = active[ObjectIdentifier(transfer)] else { return }
            setDeadline(of: easy, after: timeout(of: transfer))
            unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
        case .cancel(let transfer):
            guard let easy = active[ObjectIdentifier(transfer)] else { return }
            remove(easy)
        case .drain(let deadline):
            drainDeadline = min(drainDeadline ?? deadline, deadline)
        }
    }

    private func start(_ transfer: Transfer) {
        guard !transfer.hasEnded else {
            loop.transferEnded()
            return
        }
        guard
            let easy = spare.popLast()
                ?? CurlEasy(ready: ready, connection: connection, configuration: configuration)
        else {
            loop.transferEnded()
            transfer.cancel(with: UpstreamError(.failed, "libcurl has no memory for another transfer"))
            return
        }
        easy.prepare(transfer)
        active[ObjectIdentifier(transfer)] = easy
        byHandle[easy.identity] = easy
        setDeadline(of: easy, after: timeout(of: transfer))
        connection?.gate.begins(easy.identity)
        let code = unsafe curl_multi_add_handle(multiPointer, easy.pointer)
        if code != CURLM_OK {
            transfer.end(.failed(UpstreamError(.failed, unsafe String(cString: curl_multi_strerror(code)))))
            remove(easy)
            transfer.flush()
        }
    }

    /// Takes transfers from a connection of HTTP/2 that is new, and starts waiting ones while there is room.
    private func makeRoom() {
        guard let connection else { return }
        if connection.gate.mustClear {
            connection.gate.cleared()
            for easy in Array(active.values) where easy.identity != connection.gate.scout {
                guard let transfer = easy.transfer, !transfer.hasHead, transfer.request.upload == nil else { continue }
                detach(easy)
                waiting.prepend(transfer)
            }
        }
        while active.count < connection.gate.room, let transfer = waiting.popFirst() { start(transfer) }
    }

    private func act(on socket: curl_socket_t, _ mask: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multiPointer, socket, mask, &running)
    }

    // MARK: Ends

    private func finishDone() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multiPointer, &left) {
            var code = CURLE_OK
            guard let handle = unsafe selene_message_done(message, &code),
                let easy = byHandle[UInt(bitPattern: handle)], let transfer = easy.transfer
            else { continue }
            if moves(easy, after: code) {
                detach(easy)
                waiting.prepend(transfer)
                continue
            }
            let error =
                code == CURLE_OK
                ? nil : UpstreamError(code, from: configuration.peer, hasHead: transfer.hasHead)
            transfer.end(error.map { .failed($0) } ?? .complete)
            let isUseless = remove(easy)
            transfer.flush()
            if isUseless, let error { failAll(error) }
        }
    }

    /// Whether a transfer of HTTP/2 is sent again because its connection or stream ended without an answer. libcurl does
    /// so in some cases only. One that was alone on a new connection is not.
    private func moves(_ easy: CurlEasy, after code: CURLcode) -> Bool {
        guard let connection, connection.gate.scout != easy.identity, let transfer = easy.transfer,
            !transfer.hasHead, !transfer.hasEnded
        else { return false }
        switch code {
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return transfer.mayMove()
        default: return false
        }
    }

    /// Ends a transfer.
    ///
    /// - Returns: Whether it was alone on a connection that never answered.
    @discardableResult private func remove(_ easy: CurlEasy) -> Bool {
        guard let isUseless = detach(easy) else { return false }
        loop.transferEnded()
        return isUseless
    }

    @discardableResult private func detach(_ easy: CurlEasy) -> Bool? {
        guard let transfer = easy.transfer else { return nil }
        unsafe curl_multi_remove_handle(multiPointer, easy.pointer)
        active[ObjectIdentifier(transfer)] = nil
        byHandle[easy.identity] = nil
        let isUseless = connection?.gate.ended(easy.identity) ?? false
        easy.release()
        if spare.count < Self.spareHandles { spare.append(easy) }
        return isUseless
    }

    /// Fails all transfers of HTTP/2 with the error of the one that a new connection was tried with.
    private func failAll(_ error: UpstreamError) {
        let transfers = active.values.compactMap(\.transfer) + waiting
        waiting.removeAll()
        for easy in Array(active.values) { detach(easy) }
        dropConnection()
        for transfer in transfers {
            loop.transferEnded()
            transfer.end(.failed(error))
            transfer.flush()
        }
    }

    /// Closes the connection of HTTP/2 with its multi handle: libcurl would keep one that fell silent. No transfer may be
    /// active.
    private func dropConnection() {
        guard let connection, let new = unsafe curl_multi_init() else { return }
        unsafe curl_multi_cleanup(multiPointer)
        unsafe multi = OpaquePointer(new)
        curlDeadline = nil
        connection.gate.connectionDropped()
        setUp()
    }

    private func abortAll() {
        for easy in active.values {
            let transfer = easy.transfer
            remove(easy)
            transfer?.cancel(with: UpstreamError(.shuttingDown, "the gateway shut down before the response ended"))
        }
        spare = []
        for transfer in waiting {
            loop.transferEnded()
            transfer.cancel(with: UpstreamError(.shuttingDown, "the gateway shut down before the request was sent"))
        }
        waiting.removeAll()
    }

    // MARK: Time

    private var nextDeadline: ContinuousClock.Instant? {
        [curlDeadline, nextExpiry, drainDeadline].compactMap { $0 }.min()
    }

    private func setDeadline(of easy: CurlEasy, after timeout: Duration, _ now: ContinuousClock.Instant = .now) {
        let deadline = now + timeout
        easy.deadline = deadline
        nextExpiry = nextExpiry.map { min($0, deadline) } ?? deadline
    }

    /// The timeout of a transfer without progress in its current phase.
    private func timeout(of transfer: Transfer) -> Duration {
        transfer.hasHead
            ? configuration.idleTimeout : transfer.request.firstByteTimeout ?? configuration.firstByteTimeout
    }

    /// Extends the deadlines of transfers with progress. A transfer that waits for this side has no deadline.
    private func extendDeadlines(_ now: ContinuousClock.Instant) {
        for easy in ready.handles {
            guard let transfer = easy.transfer, !transfer.isPaused else { continue }
            if !transfer.hasHead, transfer.request.upload?.isStarved == true {
                easy.deadline = nil
            } else {
                setDeadline(of: easy, after: timeout(of: transfer), now)
            }
        }
    }

    /// Fails transfers without progress. Deadlines mostly move away, so all are checked only when the earliest is due.
    private func expire(_ now: ContinuousClock.Instant) {
        guard let due = nextExpiry, now >= due else { return }
        nextExpiry = nil
        var isUseless = false
        var hasExpired = false
        for easy in Array(active.values) {
            guard let deadline = easy.deadline, let transfer = easy.transfer else { continue }
            if now < deadline {
                nextExpiry = nextExpiry.map { min($0, deadline) } ?? deadline
                continue
            }
            transfer.end(
                .failed(
                    transfer.hasHead
                        ? UpstreamError(
                            .idleTimeout,
                            "\(configuration.peer) sent nothing for \(configuration.idleTimeout) during its response")
                        : UpstreamError(.firstByteTimeout, "\(configuration.peer) sent no response in time")))
            if remove(easy) { isUseless = true }
            transfer.flush()
            hasExpired = true
        }
        guard hasExpired, let connection else { return }
        if isUseless {
            failAll(UpstreamError(.firstByteTimeout, "\(configuration.peer) sent no response in time"))
        } else if now - connection.lastArrival >= configuration.firstByteTimeout / 2 {
            // The connection fell silent. What was sent on it lately is sent again on a new one.
            let young = active.values.filter { $0.transfer?.hasHead == false && $0.transfer?.mayMove() == true }
            let transfers = young.compactMap(\.transfer)
            for easy in young { detach(easy) }
            for easy in Array(active.values) {
                let transfer = easy.transfer
                transfer?.end(.failed(UpstreamError(.cut, "\(configuration.peer)'s connection fell silent")))
                remove(easy)
                transfer?.flush()
            }
            dropConnection()
            for transfer in transfers { waiting.prepend(transfer) }
        }
    }

    private func wakeConsumers() {
        for easy in ready.handles {
            easy.isReady = false
            easy.transfer?.flush()
        }
        ready.handles.removeAll(keepingCapacity: true)
    }

    // MARK: libcurl's callbacks

    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        let reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT
        let writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT
        sockets.want(socket, reads: reads, writes: writes)
    }

    fileprivate func setTimer(milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}

private func socketChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<CurlTurn>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private func timerChanged(_ multi: UnsafeMutableRawPointer?, _ timeout: Int, _ context: UnsafeMutableRawPointer?)
    -> Int32
{
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<CurlTurn>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: timeout)
    return 0
}
