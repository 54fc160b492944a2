import ArgumentParser
import Dispatch
import Foundation
import Synchronization

/// Handles Ctrl-C in a conversation: the first stops the answer in progress; a second, with no line read in between,
/// exits.
final class InterruptSwitch: Sendable {
    private struct State {
        var stop: (@Sendable () -> Void)?
        var isArmed = false
    }

    private let state = Mutex(State())
    private let onIdle: @Sendable () -> Void

    /// Creates a switch.
    ///
    /// - Parameter onIdle: What a first interrupt does when there is nothing to stop.
    init(onIdle: @escaping @Sendable () -> Void) { self.onIdle = onIdle }

    /// Sets what the first interrupt stops; nil for nothing. It is stopped at once when the interrupt came before.
    func watch(_ stop: (@Sendable () -> Void)?) {
        let isArmed = state.withLock { state in
            state.stop = stop
            return state.isArmed
        }
        if isArmed { stop?() }
    }

    /// Makes the next interrupt a first one again; called after each line.
    func reset() { state.withLock { $0.isArmed = false } }

    /// Handles signals until the returned sources are cancelled.
    func listen(to signals: [Int32]) -> [any DispatchSourceSignal] {
        signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in interrupted() }
            source.resume()
            return source
        }
    }

    private func interrupted() {
        let (stop, isSecond) = state.withLock { state in
            defer { state.isArmed = true }
            return (state.stop, state.isArmed)
        }
        if isSecond { exit(Interrupt.exitCode.rawValue) }
        if let stop { stop() } else { onIdle() }
    }
}
