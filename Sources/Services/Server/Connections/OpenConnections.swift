package import Access
import Synchronization

/// The table of open client connections. Decides whether a new one is accepted, and which ones are closed to make room.
///
/// Each address has a share of all connections; this machine has the largest. When there is no room, idle connections
/// without a valid key are closed, the longest idle ones first. Only when there are none is the new connection
/// rejected.
package final class OpenConnections: Sendable {
    /// The limit of all connections.
    package let limit: Int
    /// The limit of one address.
    package let share: Int
    /// The limit of this machine's loopback addresses.
    let loopbackShare: Int
    /// Idle connections that were closed to make room.
    package let shed = MetricsCounter()

    /// The decision on a new connection.
    package enum Answer: Sendable {
        case open(ConnectionRecord)
        /// The limit, of all connections or of the address, is reached.
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
    ///   - limit: The limit of all connections.
    ///   - share: The limit of one address; nil means a quarter of `limit`, and at least 4. Loopback always has seven
    ///     eighths.
    init(limit: Int, share: Int? = nil) {
        self.limit = max(1, limit)
        self.share = min(self.limit, share ?? max(4, limit / 4))
        loopbackShare = max(self.share, self.limit - self.limit / 8)
    }

    /// The number of open connections.
    package var count: Int { state.withLock { $0.records.count } }

    /// Adds a new connection if there is room.
    ///
    /// - Parameters:
    ///   - isThisMachine: Whether the client is on this machine, whatever address it uses; by default on loopback.
    ///   - close: Closes the connection; called from any thread, at most once.
    package func add(
        _ id: ObjectIdentifier, from address: ClientAddress, isThisMachine: Bool? = nil,
        close: @escaping @Sendable () -> Void
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
            let record = ConnectionRecord(
                id: id, address: address, isThisMachine: isThisMachine ?? (address == .loopback), close: close)
            state.records[id] = record
            state.byAddress[address, default: 0] += 1
            return .open(record)
        }
        shed.add(idle.count)
        for record in idle { record.close() }
        return answer
    }

    /// Removes a connection that ended.
    package func remove(_ record: ConnectionRecord) { state.withLock { Self.remove(record, &$0) } }

    /// The connection of a channel; nil when it has ended, or was closed to make room.
    package func record(of id: ObjectIdentifier) -> ConnectionRecord? { state.withLock { $0.records[id] } }

    private static func remove(_ record: ConnectionRecord, _ state: inout State) {
        // Another connection may reuse the identifier of one that was closed to make room.
        guard state.records[record.id] === record else { return }
        state.records[record.id] = nil
        let rest = state.byAddress[record.address, default: 0] - 1
        state.byAddress[record.address] = rest > 0 ? rest : nil
    }

    /// Removes idle connections to make room. It removes several at a time, so that a flood of connections does not
    /// scan the whole table for each.
    private static func takeIdle(of address: ClientAddress?, _ state: inout State) -> [ConnectionRecord] {
        let idle = state.records.values.lazy.filter { address == nil || $0.address == address }
            .compactMap { record in record.idleSince.map { (record, since: $0) } }.sorted { $0.since < $1.since }
        let taken = idle.prefix(max(1, idle.count / 64)).map(\.0)
        for record in taken { remove(record, &state) }
        return taken
    }
}

/// The state of one connection.
package final class ConnectionRecord: Sendable {
    let id: ObjectIdentifier
    let address: ClientAddress
    /// Whether the client is on this machine.
    let isThisMachine: Bool
    let close: @Sendable () -> Void

    private struct State {
        var requests = 0
        var idleSince = ContinuousClock.now
        var isTrusted = false
    }
    private let state = Mutex(State())

    init(
        id: ObjectIdentifier, address: ClientAddress, isThisMachine: Bool, close: @escaping @Sendable () -> Void
    ) {
        self.id = id
        self.address = address
        self.isThisMachine = isThisMachine
        self.close = close
    }

    /// When the last request of an untrusted connection ended; nil while one runs, or once the connection is trusted.
    var idleSince: ContinuousClock.Instant? {
        state.withLock { $0.requests == 0 && !$0.isTrusted ? $0.idleSince : nil }
    }

    /// Records that a request had a valid key or needed none.
    func trust() { state.withLock { $0.isTrusted = true } }

    /// Records the head of a request.
    func requestBegan() { state.withLock { $0.requests += 1 } }

    /// Records the end of a response.
    func responseEnded() {
        state.withLock { state in
            state.requests = max(0, state.requests - 1)
            state.idleSince = .now
        }
    }
}
