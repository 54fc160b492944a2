import CCurl
import Foundation
import Synchronization

/// The one thread that owns libcurl's multi handle, every easy handle and every upstream socket.
///
/// Other threads only leave commands in a mailbox and wake it. A turn of the loop takes the commands, lets libcurl work
/// on the sockets that are ready (`curl_multi_socket_action`: the cost of a turn grows with what is ready, not with what
/// is open), and then wakes each consumer at most once for all that came. A chunk therefore makes two hops: from this
/// thread to the consumer's task, and from there to the client's event loop.
final class CurlLoop: Sendable {
    /// What other threads ask for.
    enum Command {
        case start(Transfer)
        case unpause(Transfer)
        case cancel(Transfer)
        /// Ends the thread once nothing is in flight, or at the deadline, which aborts what is left.
        case drain(deadline: ContinuousClock.Instant)
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isClosed = false
        var inFlight = 0
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let mailbox = Mutex(Mailbox())
    private let poller: selene_poller
    private let limit: Int

    /// Starts the thread.
    ///
    /// - Throws: ``UpstreamError`` when the process has no descriptor left.
    init(configuration: UpstreamConfiguration) throws(UpstreamError) {
        var poller = selene_poller()
        let code = unsafe selene_poller_open(&poller)
        guard code == 0 else { throw UpstreamError(.failed, "no descriptor for the event queue (errno \(code))") }
        self.poller = poller
        limit = configuration.maxTransfers
        let thread = Thread { [self, poller] in
            CurlThread(configuration: configuration, poller: poller, loop: self)?.run()
            close()
        }
        thread.name = "selene-curl"
        thread.stackSize = 512 << 10
        thread.start()
    }

    /// Transfers that were started and have not ended.
    var inFlight: Int { mailbox.withLock { $0.inFlight } }

    /// Leaves a command for the thread; returns at once.
    func post(_ command: Command) {
        let refused: Transfer? = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else {
                if case .start(let transfer) = command { return transfer }
                return nil
            }
            mailbox.commands.append(command)
            // One wake-up serves all commands that wait. Under the lock, so that the queue is still open.
            if mailbox.commands.count == 1 { selene_poller_wake(poller) }
            return nil
        }
        refused?.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
    }

    /// Starts a transfer unless too many are in flight.
    func start(_ transfer: Transfer) throws(UpstreamError) {
        let isAccepted = mailbox.withLock { mailbox in
            guard mailbox.inFlight < limit else { return false }
            mailbox.inFlight += 1
            return true
        }
        guard isAccepted else {
            throw UpstreamError(.overloaded, "\(limit) transfers are in flight already", retryAfterSeconds: 1)
        }
        post(.start(transfer))
    }

    /// Ends the thread: waits for what is in flight until the deadline, then aborts the rest.
    func drain(until deadline: ContinuousClock.Instant) async {
        await withCheckedContinuation { waiter in
            let isClosed = mailbox.withLock { mailbox in
                if !mailbox.isClosed { mailbox.stopWaiters.append(waiter) }
                return mailbox.isClosed
            }
            if isClosed { waiter.resume() } else { post(.drain(deadline: deadline)) }
        }
    }

    // MARK: The thread's side

    fileprivate func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            defer { mailbox.commands.removeAll(keepingCapacity: true) }
            return mailbox.commands
        }
    }

    fileprivate func transferEnded() { mailbox.withLock { $0.inFlight -= 1 } }

    private func close() {
        let (waiters, commands) = mailbox.withLock { mailbox in
            mailbox.isClosed = true
            defer {
                mailbox.stopWaiters = []
                mailbox.commands = []
            }
            return (mailbox.stopWaiters, mailbox.commands)
        }
        selene_poller_close(poller)
        for case .start(let transfer) in commands {
            transfer.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// What the loop's thread owns; never leaves it.
@safe private final class CurlThread {
    /// Easy handles kept for the next transfers.
    static let spareHandles = 64

    private let configuration: UpstreamConfiguration
    private let poller: selene_poller
    private let loop: CurlLoop
    private let multi: OpaquePointer
    private var active: [ObjectIdentifier: CurlEasy] = [:]
    private var byHandle: [UInt: CurlEasy] = [:]
    private var spare: [CurlEasy] = []
    private let ready = ReadyList()
    /// When libcurl wants to be called although no socket is ready.
    private var curlDeadline: ContinuousClock.Instant?
    /// No deadline of a transfer lies before this; nil when there is none.
    private var nextExpiry: ContinuousClock.Instant?
    private var drainDeadline: ContinuousClock.Instant?

    init?(configuration: UpstreamConfiguration, poller: selene_poller, loop: CurlLoop) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        self.configuration = configuration
        self.poller = poller
        self.loop = loop
        unsafe self.multi = OpaquePointer(multi)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe selene_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maxIdleConnections)
        unsafe selene_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        unsafe selene_multi_watch(multi, socketChanged, timerChanged, context)
    }

    deinit { unsafe curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }

    private var multiPointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(multi) }

    func run() {
        unsafe withUnsafeTemporaryAllocation(of: selene_event.self, capacity: Int(SELENE_EVENTS)) { events in
            while true {
                let count = unsafe selene_poller_wait(poller, milliseconds(until: nextDeadline), events.baseAddress)
                for command in loop.takeCommands() { obey(command) }
                for index in 0..<Int(count) {
                    let event = unsafe events[index]
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
                if let deadline = drainDeadline, active.isEmpty || now >= deadline {
                    abortAll()
                    return
                }
            }
        }
    }

    // MARK: Commands

    private func obey(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .unpause(let transfer):
            guard let easy = active[ObjectIdentifier(transfer)] else { return }
            setDeadline(of: easy, after: patience(with: transfer))
            unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
        case .cancel(let transfer):
            guard let easy = active[ObjectIdentifier(transfer)] else { return }
            remove(easy)
        case .drain(let deadline):
            drainDeadline = min(drainDeadline ?? deadline, deadline)
        }
    }

    private func start(_ transfer: Transfer) {
        guard !transfer.hasEnded, drainDeadline == nil else {
            loop.transferEnded()
            transfer.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
            return
        }
        guard let easy = spare.popLast() ?? CurlEasy(ready: ready, configuration: configuration)
        else {
            loop.transferEnded()
            transfer.cancel(with: UpstreamError(.failed, "libcurl has no memory for another transfer"))
            return
        }
        easy.prepare(transfer)
        active[ObjectIdentifier(transfer)] = easy
        byHandle[easy.identity] = easy
        setDeadline(of: easy, after: patience(with: transfer))
        let code = unsafe curl_multi_add_handle(multiPointer, easy.pointer)
        if code != CURLM_OK {
            transfer.end(.failed(UpstreamError(.failed, unsafe String(cString: curl_multi_strerror(code)))))
            remove(easy)
            transfer.flush()
        }
    }

    private func act(on socket: curl_socket_t, _ mask: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multiPointer, socket, mask, &running)
    }

    // MARK: Ends

    private func finishDone() {
        var waiting: Int32 = 0
        while let message = unsafe curl_multi_info_read(multiPointer, &waiting) {
            var code = CURLE_OK
            guard let handle = unsafe selene_message_done(message, &code),
                let easy = byHandle[UInt(bitPattern: handle)], let transfer = easy.transfer
            else { continue }
            transfer.end(code == CURLE_OK ? .complete : .failed(Self.error(for: code, transfer)))
            remove(easy)
            transfer.flush()
        }
    }

    private func remove(_ easy: CurlEasy) {
        guard let transfer = easy.transfer else { return }
        unsafe curl_multi_remove_handle(multiPointer, easy.pointer)
        active[ObjectIdentifier(transfer)] = nil
        byHandle[easy.identity] = nil
        easy.release()
        if spare.count < Self.spareHandles { spare.append(easy) }
        loop.transferEnded()
    }

    private func abortAll() {
        for easy in active.values {
            let transfer = easy.transfer
            remove(easy)
            transfer?.cancel(with: UpstreamError(.shuttingDown, "the gateway shut down before the upstream was done"))
        }
        spare = []
    }

    private static func error(for code: CURLcode, _ transfer: Transfer) -> UpstreamError {
        let reason = unsafe String(cString: curl_easy_strerror(code))
        return switch code {
        case CURLE_COULDNT_CONNECT: UpstreamError(.refused, "Ollama cannot be reached: \(reason)")
        case CURLE_COULDNT_RESOLVE_HOST: UpstreamError(.dns, "Ollama's host name has no address: \(reason)")
        case CURLE_OPERATION_TIMEDOUT:
            UpstreamError(.connectTimeout, "the connection to Ollama did not stand in time")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            UpstreamError(
                .cut,
                transfer.hasHead
                    ? "Ollama closed the connection in the middle of its response (\(reason))"
                    : "Ollama closed the connection without a response (\(reason))")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM:
            UpstreamError(.tls, "TLS with Ollama failed: \(reason)")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            UpstreamError(.protocolViolation, "Ollama's response is not valid HTTP: \(reason)")
        default: UpstreamError(.failed, "the request to Ollama failed: \(reason)")
        }
    }

    // MARK: Time

    private var nextDeadline: ContinuousClock.Instant? {
        [curlDeadline, nextExpiry, drainDeadline].compactMap { $0 }.min()
    }

    private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        return Int32(clamping: max(0, (deadline - .now).wholeMilliseconds))
    }

    private func setDeadline(of easy: CurlEasy, after patience: Duration) {
        let deadline = ContinuousClock.now + patience
        easy.deadline = deadline
        nextExpiry = nextExpiry.map { min($0, deadline) } ?? deadline
    }

    /// How long a transfer may go on without progress in the phase that it is in.
    private func patience(with transfer: Transfer) -> Duration {
        transfer.hasHead
            ? configuration.idleTimeout : transfer.request.firstByteTimeout ?? configuration.firstByteTimeout
    }

    /// Progress puts the deadline off. While this side is what the transfer waits for, there is none.
    private func extendDeadlines(_ now: ContinuousClock.Instant) {
        for easy in ready.handles {
            guard let transfer = easy.transfer, !transfer.isPaused else { continue }
            if !transfer.hasHead, transfer.request.upload?.isStarved == true {
                easy.deadline = nil
            } else {
                setDeadline(of: easy, after: patience(with: transfer))
            }
        }
    }

    /// Fails what made no progress. Deadlines mostly move away, so all are looked at only when the earliest is due.
    private func expire(_ now: ContinuousClock.Instant) {
        guard let due = nextExpiry, now >= due else { return }
        nextExpiry = nil
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
                            .idleTimeout, "Ollama sent nothing for \(configuration.idleTimeout) in mid-response")
                        : UpstreamError(.firstByteTimeout, "Ollama did not begin to answer in time")))
            remove(easy)
            transfer.flush()
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
        selene_poller_watch(poller, socket, reads, writes)
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
    unsafe Unmanaged<CurlThread>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private func timerChanged(_ multi: UnsafeMutableRawPointer?, _ timeout: Int, _ context: UnsafeMutableRawPointer?)
    -> Int32
{
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<CurlThread>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: timeout)
    return 0
}
