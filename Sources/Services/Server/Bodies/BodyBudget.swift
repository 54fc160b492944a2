import HTTPTypes
import Synchronization

/// Bytes of request bodies that all requests together may hold, in memory or on disk.
///
/// A weighted limit: what passes it is refused, not queued. One holder (a key, or everybody without one) gets three
/// quarters at most, so that one key's uploads leave room for another's. Small bodies count for the whole only.
package final class BodyBudget: Sendable {
    /// Bytes of one body that do not count for its holder's share.
    static let smallBody = 64 << 10

    /// Bytes that all bodies may have.
    package let capacity: Int
    /// Bytes that the bodies of one holder may have.
    package let share: Int
    /// Bodies that were refused.
    package let refused = MetricsCounter()
    private let total = MetricsGauge()
    private let holders = Mutex<[String: Int]>([:])

    init(capacity: Int) {
        self.capacity = capacity
        share = capacity / 4 * 3
    }

    /// Bytes that are held now.
    package var used: Int { total.value }

    fileprivate func add(_ bytes: Int) -> Bool { total.add(bytes, upTo: capacity) }

    fileprivate func remove(_ bytes: Int) { total.add(-bytes) }

    fileprivate func charge(_ bytes: Int, to holder: String) -> Bool {
        holders.withLock { holders in
            let held = holders[holder] ?? 0
            guard bytes <= share - held else { return false }
            holders[holder] = held + bytes
            return true
        }
    }

    fileprivate func discharge(_ bytes: Int, of holder: String) {
        holders.withLock { holders in
            let rest = (holders[holder] ?? 0) - bytes
            holders[holder] = rest > 0 ? rest : nil
        }
    }
}

/// The part of a ``BodyBudget`` that one request has. Its owner releases it.
package struct BodyShare: Sendable {
    /// Bytes that the request holds.
    package private(set) var bytes = 0
    private var charged = 0
    private var holder = ""

    package init() {}

    /// Takes more bytes.
    ///
    /// - Throws: ``GatewayError`` with 503 when there is no room; then nothing was taken.
    package mutating func grow(by count: Int, of holder: String, in budget: BodyBudget) throws(GatewayError) {
        guard budget.add(count) else { throw refusal(budget) }
        bytes += count
        guard bytes > BodyBudget.smallBody else { return }
        if charged == 0 { self.holder = holder }
        let more = bytes - charged
        guard budget.charge(more, to: self.holder) else {
            bytes -= count
            budget.remove(count)
            throw refusal(budget)
        }
        charged = bytes
    }

    /// Gives bytes back; those that it lacks are not.
    package mutating func shrink(by count: Int, in budget: BodyBudget) {
        let count = min(count, bytes)
        bytes -= count
        budget.remove(count)
        guard charged > bytes else { return }
        budget.discharge(charged - bytes, of: holder)
        charged = bytes
    }

    /// Gives all bytes back.
    package mutating func release(in budget: BodyBudget) {
        if bytes > 0 { shrink(by: bytes, in: budget) }
    }

    private func refusal(_ budget: BodyBudget) -> GatewayError {
        budget.refused.add()
        return GatewayError(
            .serviceUnavailable, .overloaded,
            "the bodies of requests hold \(budget.used) of \(budget.capacity) bytes, and one key may hold three quarters; "
                + "try again later",
            headers: [.connection: "close"])
    }
}

/// The share of one request of the gateway's own routes; released with the request's context.
package final class BodyLease: Sendable {
    private let budget: BodyBudget
    private let holder: String
    private let share = Mutex(BodyShare())

    init(_ budget: BodyBudget, holder: String) {
        self.budget = budget
        self.holder = holder
    }

    deinit { share.withLock { $0.release(in: budget) } }

    /// Takes more bytes.
    ///
    /// - Throws: ``GatewayError`` with 503 when there is no room.
    package func grow(by count: Int) throws(GatewayError) {
        try share.withLock { share throws(GatewayError) in try share.grow(by: count, of: holder, in: budget) }
    }
}

/// What the gateway does with the bodies of requests, own and proxied.
package struct BodyLimits: Sendable {
    /// Bodies in memory.
    package let memory: BodyBudget
    /// Bodies on disk.
    package let spool: BodyBudget
    /// The folder of spooled bodies.
    package let folder: String
    /// How long a body may take, beside ``rate``.
    package let grace: Duration
    /// Bytes in a second that a body has to come with; 0 for any.
    package let rate: Int
    /// Requests whose bodies came too slowly.
    package let tooSlow = MetricsCounter()

    /// Makes the budgets.
    ///
    /// - Parameters:
    ///   - memory: Bytes of all bodies in memory.
    ///   - spool: Bytes of all bodies on disk.
    ///   - database: The path of the database; bodies are spooled beside it.
    package init(memory: Int, spool: Int, besides database: String, grace: Duration, rate: Int) {
        self.memory = BodyBudget(capacity: memory)
        self.spool = BodyBudget(capacity: spool)
        folder = database.lastIndex(of: "/").map { String(database[..<$0]) } ?? "."
        self.grace = grace
        self.rate = rate
    }
}
