internal import CChildProcess
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A started process in a process group of its own. It is reaped once, and never signalled after that.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum End: Equatable {
        case exited(CInt)
        case signalled(CInt)
    }

    private struct State {
        var end: End?
        var isKilled = false
    }

    private let pid: pid_t
    private let state = Mutex(State())

    /// Starts a program without a shell. It inherits only the three descriptors given, as 0, 1 and 3; its standard error is
    /// the null device.
    init?(
        _ executable: String, _ arguments: [String], environment: [String], input: borrowing Descriptor,
        output: borrowing Descriptor, file: borrowing Descriptor
    ) {
        var pid: pid_t = 0
        let status = unsafe Self.withCStrings([executable] + arguments) { arguments in
            unsafe Self.withCStrings(environment) { environment in
                unsafe child_spawn(&pid, executable, arguments, environment, input.number, output.number, file.number)
            }
        }
        guard status == 0 else { return nil }
        self.pid = pid
    }

    /// Ends the process and all in its group at once. Does nothing when it was reaped.
    func kill() {
        state.withLock { state in
            guard state.end == nil else { return }
            state.isKilled = true
            _ = Self.send(SIGKILL, to: -pid)
            _ = Self.send(SIGKILL, to: pid)
        }
    }

    /// Whether ``kill()`` ended the process.
    var isKilled: Bool { state.withLock { $0.isKilled } }

    /// Reaps the process if it has ended.
    func reapIfEnded() -> End? {
        state.withLock { state in
            if let end = state.end { return end }
            var status: CInt = 0
            let found = unsafe waitpid(pid, &status, WNOHANG)
            guard found == pid || (found < 0 && errno == ECHILD) else { return nil }
            let signal = status & 0x7F
            let end = signal == 0 ? End.exited((status >> 8) & 0xFF) : End.signalled(signal)
            state.end = end
            return end
        }
    }

    /// Waits for the end; kills the process after `milliseconds`. Blocks the thread.
    func waitForEnd(milliseconds: Int) -> End {
        var waited = 0
        while true {
            if let end = reapIfEnded() { return end }
            if waited >= milliseconds { kill() }
            usleep(1000)
            waited += 1
        }
    }

    private static func send(_ signal: CInt, to pid: pid_t) -> CInt {
        #if canImport(Darwin)
        Darwin.kill(pid, signal)
        #else
        Glibc.kill(pid, signal)
        #endif
    }

    /// Calls a function with copies of texts, as a list that ends with nil.
    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
    ) -> Value {
        var pointers = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
