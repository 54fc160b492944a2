import CCurl
import Foundation
import Synchronization

/// Drives libcurl's multi handle, every easy handle and every upstream socket. One thread at a time has the turn.
///
/// Commands go through a mailbox. A turn takes the commands and lets libcurl work on the ready sockets. With
/// `curl_multi_socket_action` its cost grows with the ready sockets, not with the open ones. Then the turn wakes each
/// consumer at most once for everything that arrived. The loop's own thread waits for the sockets and takes a turn for
/// their events. While it waits, a thread that posts a command takes the turn at once. So a request is sent, and a
/// cancelled one closed, without a hop to another thread.
final class CurlLoop: Sendable {
    /// Commands of other threads.
    enum Command {
        case start(Transfer)
        case unpause(Transfer)
        case cancel(Transfer)
        /// Ends the thread once nothing is in flight, or at the deadline, which aborts the rest.
        case drain(deadline: ContinuousClock.Instant)
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isClosed = false
        /// Whether the thread waits, or is about to, so that a command must wake it.
        var isAsleep = false
        var inFlight = 0
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let mailbox = Mutex(Mailbox())
    private let turn = Mutex<CurlTurn?>(nil)
    private let poller: selene_poller
    private let limit: Int

    /// Starts the thread.
    ///
    /// - Throws: ``UpstreamError`` when the process has no free descriptor.
    init(configuration: UpstreamConfiguration) throws(UpstreamError) {
        var poller = selene_poller()
        let code = unsafe selene_poller_open(&poller)
        guard code == 0 else { throw UpstreamError(.failed, "no free descriptor for the event queue (errno \(code))") }
        self.poller = poller
        limit = configuration.maxTransfers
        let thread = Thread { [self] in
            turn.withLock { [self] in $0 = CurlTurn(configuration: configuration, poller: self.poller, loop: self) }
            run()
            close()
        }
        thread.name = "selene-curl"
        thread.stackSize = 512 << 10
        thread.start()
    }

    // Nobody else can wake the thread now.
    deinit { selene_poller_close(poller) }

    /// Transfers that were started and have not ended.
    var inFlight: Int { mailbox.withLock { $0.inFlight } }

    /// Runs a command: at once on this thread while the loop's thread waits, else in the current turn. Never blocks.
    func post(_ command: Command) {
        let (refused, mayTakeTurn): (Transfer?, Bool) = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else {
                if case .start(let transfer) = command { return (transfer, false) }
                return (nil, false)
            }
            mailbox.commands.append(command)
            // The current turn also takes commands posted during it, because they find this false.
            defer { mailbox.isAsleep = false }
            return (nil, mailbox.isAsleep)
        }
        if mayTakeTurn, !takeTurn() { selene_poller_wake(poller) }
        refused?.cancel(with: UpstreamError(.shuttingDown, "the gateway is shutting down"))
    }

    /// Takes the turn in place of the waiting thread.
    ///
    /// - Returns: false when the thread must be woken: it has the turn already, or its next wake-up would be too late.
    private func takeTurn() -> Bool {
        turn.withLockIfAvailable { turn in
            guard let turn else { return false }
            repeat {
                unsafe turn.take(takeCommands(), UnsafeBufferPointer(start: nil, count: 0))
            } while !fallAsleep()
            return !turn.mustWakeThread
        } ?? false
    }

    /// Starts a transfer unless too many are in flight.
    func start(_ transfer: Transfer) throws(UpstreamError) {
        let isAccepted = mailbox.withLock { mailbox in
            guard mailbox.inFlight < limit else { return false }
            mailbox.inFlight += 1
            return true
        }
        guard isAccepted else {
            throw UpstreamError(.overloaded, "\(limit) transfers are already in flight", retryAfterSeconds: 1)
        }
        post(.start(transfer))
    }

    /// Ends the thread: waits for transfers in flight until the deadline, then aborts the rest.
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

    private func run() {
        unsafe withUnsafeTemporaryAllocation(of: selene_event.self, capacity: Int(SELENE_EVENTS)) { events in
            var count = 0
            // The lock's closure may not capture a pointer, so it captures the address.
            let address = UInt(bitPattern: events.baseAddress)
            while true {
                let timeout: Int32? = turn.withLock { [count] turn in
                    guard let turn else { return nil }
                    let ready = unsafe UnsafePointer<selene_event>(bitPattern: address)
                    unsafe turn.take(takeCommands(), UnsafeBufferPointer(start: ready, count: count))
                    guard !turn.isOver else { return nil }
                    return fallAsleep() ? turn.pollTimeout() : 0
                }
                guard let timeout else { return }
                count = unsafe Int(selene_poller_wait(poller, timeout, events.baseAddress))
            }
        }
    }

    /// Marks the thread as waiting or about to wait; false when there are commands already.
    private func fallAsleep() -> Bool {
        mailbox.withLock { mailbox in
            mailbox.isAsleep = mailbox.commands.isEmpty
            return mailbox.isAsleep
        }
    }

    private func takeCommands() -> [Command] {
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
