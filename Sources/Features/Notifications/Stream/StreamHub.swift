import Synchronization

/// Wakes the readers of streams when something happened, and knows which devices read.
package final class StreamHub: Sendable {
    private struct State {
        var wakeSignals: [Int: WakeSignal] = [:]
        var devices: [String: Int] = [:]
        var last = 0
        var signals: UInt64 = 0
        var newest: Int64?
        var looked: ContinuousClock.Instant?
    }

    /// How often the database is looked at for what other processes store, for all readers together.
    private static let pause = Duration.milliseconds(900)

    private let state = Mutex(State())

    package init() {}

    /// Whether a device reads its stream now.
    package func isOnline(_ device: String) -> Bool { state.withLock { $0.devices[device] != nil } }

    /// The number of readers.
    package var count: Int { state.withLock { $0.wakeSignals.count } }

    /// The number of times that readers were woken. A reader that knows this number has nothing to read.
    var signals: UInt64 { state.withLock { $0.signals } }

    /// Wakes all readers.
    package func signal() {
        state.withLock { $0.signals &+= 1 }
        wake()
    }

    private func wake() {
        for wakeSignal in state.withLock({ Array($0.wakeSignals.values) }) { wakeSignal.signal() }
    }

    /// Whether events after this one were seen by ``look(_:)``.
    func isBeyond(_ event: Int64) -> Bool { state.withLock { ($0.newest ?? event) > event } }

    /// Wakes readers if another process stored an event. Costs one small query about once a second, however many readers
    /// call it.
    func look(_ newest: () async throws -> Int64) async {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            if let looked = state.looked, now - looked < Self.pause { return false }
            state.looked = now
            return true
        }
        guard isDue, let newest = try? await newest() else { return }
        let before = state.withLock { state in
            defer { state.newest = newest }
            return state.newest ?? 0
        }
        // The ids of another file begin anew.
        if newest < before { signal() } else if newest > before { wake() }
    }

    /// Adds a reader; drop the result to remove it.
    ///
    /// - Parameter device: The device whose stream it reads; nil for all events.
    func join(_ device: String?) -> Reader {
        let wakeSignal = WakeSignal()
        let number = state.withLock { state in
            state.last += 1
            state.wakeSignals[state.last] = wakeSignal
            if let device { state.devices[device, default: 0] += 1 }
            return state.last
        }
        return Reader(hub: self, number: number, device: device, wakeSignal: wakeSignal)
    }

    private func leave(_ number: Int, _ device: String?) {
        state.withLock { state in
            state.wakeSignals[number] = nil
            guard let device else { return }
            let rest = state.devices[device, default: 0] - 1
            state.devices[device] = rest > 0 ? rest : nil
        }
    }

    /// A reader's place.
    final class Reader: Sendable {
        let hub: StreamHub
        private let number: Int
        private let device: String?
        /// Rings when something happened.
        let wakeSignal: WakeSignal

        fileprivate init(hub: StreamHub, number: Int, device: String?, wakeSignal: WakeSignal) {
            self.hub = hub
            self.number = number
            self.device = device
            self.wakeSignal = wakeSignal
        }

        deinit { hub.leave(number, device) }

        /// Waits until there may be events after the newest one that the reader looked at, until the reader ends, or until
        /// a time.
        ///
        /// - Parameters:
        ///   - signals: ``StreamHub/signals`` from before the reader looked.
        ///   - isOver: Whether the reader ends; looked at about once a second and after each signal.
        ///   - newestEvent: The id of the newest event of all processes.
        func wait(
            after newest: Int64, signals: UInt64, until end: ContinuousClock.Instant, isOver: () -> Bool,
            newestEvent: () async throws -> Int64
        ) async {
            repeat {
                // Another process may have stored an event, so the wait is short.
                await wakeSignal.wait(atMost: .seconds(1))
                await hub.look(newestEvent)
            } while hub.signals == signals && !hub.isBeyond(newest) && !isOver() && ContinuousClock.now <= end
        }
    }
}
