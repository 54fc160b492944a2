package import Access
import Synchronization

/// The connections that clients have open: who may have one more, and which ones make room for it.
///
/// An address has a share of all connections, and this machine has the largest. When there is no room, connections that are
/// idle and have not shown a valid key yet are closed, the longest idle ones first; only when there are none is the new
/// connection refused.
package final class OpenConnections: Sendable {
    /// Connections at once.
    package let limit: Int
    /// Connections of one address at once.
    package let share: Int
    /// Connections of this machine's loopback addresses at once.
    let loopbackShare: Int
    /// Idle connections that were closed to make room.
    package let shed = MetricsCounter()

    /// What becomes of a new connection.
    package enum Answer: Sendable {
        case open(ConnectionRecord)
        /// So many are open, which is the limit of all or of the address.
        case refused(limit: Int, ofAddress: Bool)
    }

    private struct State {
        var records: [ObjectIdentifier: ConnectionRecord] = [:]
        var byAddress: [ClientAddress: Int] = [:]
    }
    private let state = Mutex(State())

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - limit: Connections at once.
    ///   - share: Connections of one address at once; a quarter of `limit`, and at least 4, when nil. Loopback has seven
    ///     eighths in any case.
    init(limit: Int, share: Int? = nil) {
        self.limit = max(1, limit)
        self.share = min(self.limit, share ?? max(4, limit / 4))
        loopbackShare = max(self.share, self.limit - self.limit / 8)
    }

    /// Connections that are open.
    package var count: Int { state.withLock { $0.records.count } }

    /// A connection came.
    ///
    /// - Parameter close: Closes the connection; called from any thread, at most once.
    package func add(
        _ id: ObjectIdentifier, from address: ClientAddress, close: @escaping @Sendable () -> Void
    ) -> Answer {
        var idle: [ConnectionRecord] = []
        let answer = state.withLock { state -> Answer in
            let share = address == .loopback ? loopbackShare : share
            if state.byAddress[address, default: 0] >= share {
                idle = Self.takeIdle(of: address, &state)
                if idle.isEmpty { return .refused(limit: share, ofAddress: true) }
            } else if state.records.count >= limit {
                idle = Self.takeIdle(of: nil, &state)
                if idle.isEmpty { return .refused(limit: limit, ofAddress: false) }
            }
            let record = ConnectionRecord(id: id, address: address, close: close)
            state.records[id] = record
            state.byAddress[address, default: 0] += 1
            return .open(record)
        }
        shed.add(idle.count)
        for record in idle { record.close() }
        return answer
    }

    /// A connection ended.
    package func remove(_ record: ConnectionRecord) { state.withLock { Self.remove(record, &$0) } }

    /// The connection of a channel; nil when it has ended, or has been closed to make room.
    package func record(of id: ObjectIdentifier) -> ConnectionRecord? { state.withLock { $0.records[id] } }

    private static func remove(_ record: ConnectionRecord, _ state: inout State) {
        // Another connection may have the identifier of one that was closed to make room.
        guard state.records[record.id] === record else { return }
        state.records[record.id] = nil
        let rest = state.byAddress[record.address, default: 0] - 1
        state.byAddress[record.address] = rest > 0 ? rest : nil
    }

    /// Removes those that make room: a few at a time, so that a flood of connections does not look through all of them for
    /// each.
    private static func takeIdle(of address: ClientAddress?, _ state: inout State) -> [ConnectionRecord] {
        let idle = state.records.values.lazy.filter { address == nil || $0.address == address }
            .compactMap { record in record.idleSince.map { (record, since: $0) } }.sorted { $0.since < $1.since }
        let taken = idle.prefix(max(1, idle.count / 64)).map(\.0)
        for record in taken { remove(record, &state) }
        return taken
    }
}

/// What is known of one connection.
package final class ConnectionRecord: Sendable {
    let id: ObjectIdentifier
    let address: ClientAddress
    /// Closes the connection.
    let close: @Sendable () -> Void

    private struct State {
        var requests = 0
        var idleSince = ContinuousClock.now
        var isTrusted = false
    }
    private let state = Mutex(State())

    init(id: ObjectIdentifier, address: ClientAddress, close: @escaping @Sendable () -> Void) {
        self.id = id
        self.address = address
        self.close = close
    }

    /// When the last request of a connection that has shown no valid key ended; nil while one runs, or when it has.
    var idleSince: ContinuousClock.Instant? {
        state.withLock { $0.requests == 0 && !$0.isTrusted ? $0.idleSince : nil }
    }

    /// A request came with a valid key, or needed none.
    func trust() { state.withLock { $0.isTrusted = true } }

    /// The head of a request came.
    func requestBegan() { state.withLock { $0.requests += 1 } }

    /// A response is whole.
    func responseEnded() {
        state.withLock { state in
            state.requests = max(0, state.requests - 1)
            state.idleSince = .now
        }
    }
}
