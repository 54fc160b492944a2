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
        /// Other patience with whatever begins or goes on.
        case retime(connect: Duration, firstByte: Duration, idle: Duration)
        /// Ends the thread once nothing is in flight, or at the deadline, which aborts what is left.
        case drain(deadline: ContinuousClock.Instant)
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isClosed = false
        /// Whether the thread waits, or is about to, so that a command has to wake it.
        var isAsleep = false
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

    // The last who could wake the thread is gone.
    deinit { selene_poller_close(poller) }

    /// Transfers that were started and have not ended.
    var inFlight: Int { mailbox.withLock { $0.inFlight } }

    /// Leaves a command for the thread; returns at once.
    func post(_ command: Command) {
        let (refused, mustWake): (Transfer?, Bool) = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else {
                if case .start(let transfer) = command { return (transfer, false) }
                return (nil, false)
            }
            mailbox.commands.append(command)
            defer { mailbox.isAsleep = false }
            return (nil, mailbox.isAsleep)
        }
        // Outside the lock, which the thread wants first of all.
        if mustWake { selene_poller_wake(poller) }
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

    /// Notes that the thread is about to wait; false when there are commands already.
    func fallAsleep() -> Bool {
        mailbox.withLock { mailbox in
            mailbox.isAsleep = mailbox.commands.isEmpty
            return mailbox.isAsleep
        }
    }

    func takeCommands() -> [Command] {
        mailbox.withLock { mailbox in
            mailbox.isAsleep = false
            defer { mailbox.commands.removeAll(keepingCapacity: true) }
            return mailbox.commands
        }
    }

    func transferEnded() { mailbox.withLock { $0.inFlight -= 1 } }

    private func close() {
        let (waiters, commands) = mailbox.withLock { mailbox in
            mailbox.isClosed = true
            defer {
                mailbox.stopWaiters = []
                mailbox.commands = []
            }
            return (mailbox.stopWaiters, mailbox.commands)
        }
        for case .start(let transfer) in commands {
            transfer.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
        }
        for waiter in waiters { waiter.resume() }
    }
}
