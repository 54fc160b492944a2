import Dispatch
import Foundation
package import Logging
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The output of the server's log: a descriptor, written by its own thread.
///
/// Logging only appends a line to a bounded buffer and never waits. When the reader of a pipe stalls, a disk is full or
/// the other end is gone, lines are dropped and counted. The next line that is written reports how many.
///
/// Lines below `notice` are written together, at most ``delay`` after the first of them. So a busy gateway wakes the
/// thread a hundred times a second and not once a request. A crash loses at most those lines.
package final class LogOutput: Sendable {
    /// Bytes of lines that may wait for the descriptor.
    package static let limit = 1 << 20
    /// How long a line below `notice` may wait for others.
    static let delay = DispatchTimeInterval.milliseconds(10)
    /// Waiting bytes that are written without a delay.
    private static let batch = limit / 4

    private struct State {
        var waiting: [UInt8] = []
        var lines = 0
        /// An empty buffer that keeps its memory, for lines that arrive during a write.
        var spare: [UInt8] = []
        var isWriting = false
        /// Whether the thread knows that lines wait.
        var isAwake = false
        /// Whether the thread writes without waiting for more lines.
        var isHurried = false
        /// Dropped lines that no line has reported yet.
        var untold = 0
        var dropped = 0
        /// The clock for the lines of requests.
        var clock = LogClock()
    }

    /// The format of lines.
    package let format: LogFormat
    private let descriptor: Int32
    private let leastLevel: Atomic<Int>
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let hurry = DispatchSemaphore(value: 0)

    /// Opens the output and starts its thread.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor that lines are written to; it is not closed.
    ///   - level: The lowest level that is logged.
    package init(descriptor: Int32 = 2, format: LogFormat, level: Logger.Level) {
        self.descriptor = descriptor
        self.format = format
        leastLevel = Atomic(Self.number(of: level))
        // A closed pipe must be an error of a write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let thread = Thread { [weak self, work] in
            while true {
                work.wait()
                guard let self, self.writeAll() else { return }
            }
        }
        thread.name = "selene-log"
        thread.stackSize = 256 << 10
        thread.start()
    }

    deinit {
        // Lets the thread wake up and end.
        work.signal()
    }

    /// The lowest level that is logged. A change takes effect at once, for every logger.
    package var level: Logger.Level {
        get { Logger.Level.allCases[leastLevel.load(ordering: .relaxed)] }
        set { leastLevel.store(Self.number(of: newValue), ordering: .relaxed) }
    }

    private static func number(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }

    /// The number of dropped lines.
    package var droppedLines: Int { state.withLock { $0.dropped } }

    /// Returns a logger that writes here.
    package func logger(label: String = "selene") -> Logger {
        Logger(label: label) { OutputLogHandler(label: $0, output: self) }
    }

    /// Appends a line, which ends with a newline, and returns at once.
    ///
    /// - Parameter isUrgent: Whether to write it at once, with all lines before it.
    package func append(_ line: [UInt8], isUrgent: Bool) {
        leave(isUrgent: isUrgent) { $0.waiting += line }
    }

    /// Appends the line of a request and returns at once.
    package func append(_ line: RequestLine) {
        leave(isUrgent: false) { line.append(to: &$0.waiting, clock: &$0.clock) }
    }

    private func leave(isUrgent: Bool, _ write: (inout State) -> Void) {
        let (mustWake, mustHurry) = state.withLock { state -> (Bool, Bool) in
            let start = state.waiting.count
            write(&state)
            guard state.waiting.count <= Self.limit else {
                state.waiting.removeSubrange(start...)
                state.dropped += 1
                state.untold += 1
                return (false, false)
            }
            state.lines += 1
            let mustHurry = !state.isHurried && (isUrgent || state.waiting.count >= Self.batch)
            if mustHurry { state.isHurried = true }
            defer { state.isAwake = true }
            return (!state.isAwake, mustHurry)
        }
        if mustHurry { hurry.signal() }
        if mustWake { work.signal() }
    }

    /// Waits until everything is written or the time is up.
    package func flush(within timeout: Duration) async {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            if state.withLock({ $0.waiting.isEmpty && !$0.isWriting }) { return }
            hurry.signal()
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: The thread

    private func writeAll() -> Bool {
        while true {
            if !state.withLock({ $0.isHurried }) { _ = hurry.wait(timeout: .now() + Self.delay) }
            let batch = state.withLock { state -> (bytes: [UInt8], lines: Int, untold: Int)? in
                guard !state.waiting.isEmpty else {
                    state.isAwake = false
                    state.isWriting = false
                    return nil
                }
                state.isWriting = true
                defer {
                    (state.waiting, state.spare) = (state.spare, [])
                    state.isHurried = false
                    state.lines = 0
                    state.untold = 0
                }
                return (state.waiting, state.lines, state.untold)
            }
            guard var batch else { return true }
            var lost = 0
            if batch.untold > 0 {
                let notice = LogLine(format: format, label: "selene").bytes(
                    level: .warning, message: "lines of the log were dropped", source: "Gateway",
                    metadata: ["lines": .stringConvertible(batch.untold)])
                lost += write(notice)
            }
            lost += write(batch.bytes)
            batch.bytes.removeAll(keepingCapacity: batch.bytes.capacity <= Self.batch)
            state.withLock { $0.spare = batch.bytes }
            if lost > 0 {
                // Lines that were cut count as lost; the lines before them are written.
                state.withLock { state in
                    let lines = min(lost, batch.lines)
                    state.dropped += lines
                    state.untold += lines + (lost > batch.lines ? batch.untold : 0)
                }
            }
        }
    }

    /// Writes bytes and returns how many of their lines were lost.
    private func write(_ bytes: [UInt8]) -> Int {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                // An empty buffer has no address, and is never written.
                unsafe raw.baseAddress.map { unsafe systemWrite(descriptor, $0 + offset, bytes.count - offset) } ?? 0
            }
            if count > 0 {
                offset += count
            } else if errno == EAGAIN {
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&poller, 1, 1000)
            } else if errno != EINTR {
                return bytes[offset...].count { $0 == UInt8(ascii: "\n") }
            }
        }
        return 0
    }
}

/// `write(2)`, which the method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
