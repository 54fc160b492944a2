import HTTPTypes
import Synchronization

/// Limits the bytes that all requests together may hold: of their bodies, in memory or on disk, or of unsent answers.
///
/// What exceeds the limit is rejected, not queued. One holder (a key, or everybody without one) gets at most three
/// quarters, so that one key's uploads leave room for another's; small bodies count for the total only. Of the room for
/// answers, a holder gets at most half of what the others leave, so that no number of holders fills it for the next one.
package final class BodyBudget: Sendable {
    /// How much one holder may have.
    package enum Share: Sendable {
        case threeQuarters
        case halfOfTheRest
    }

    /// Bytes of one body that do not count for its holder's share.
    static let smallBody = 64 << 10

    /// The limit for all bodies in bytes.
    package let capacity: Int
    /// The limit for one holder in bytes, while the others hold nothing.
    package let share: Int
    private let rule: Share
    /// What the bytes are, for the refusal.
    private let subject: String
    /// Rejected bodies or answers.
    package let refused = MetricsCounter()
    private let total = MetricsGauge()
    private let holders = Mutex<[String: Int]>([:])

    package init(capacity: Int, of subject: String = "the bodies of requests", share rule: Share = .threeQuarters) {
        self.capacity = capacity
        self.subject = subject
        self.rule = rule
        share = rule == .threeQuarters ? capacity / 4 * 3 : capacity / 2
    }

    /// Bytes of a request or an answer that do not count for its holder.
    fileprivate var free: Int { rule == .threeQuarters ? Self.smallBody : 0 }

    /// Bytes in use.
    package var used: Int { total.value }

    /// Whether nothing more fits for a holder.
    package func isFull(for holder: String) -> Bool {
        holders.withLock { holders in
            let held = holders[holder] ?? 0
            return held >= limit(besides: used - held)
        }
    }

    /// The limit of a holder while the others hold some bytes.
    private func limit(besides others: Int) -> Int {
        rule == .threeQuarters ? share : max(0, capacity - others) / 2
    }

    /// The error for bytes that do not fit.
    package func refusal() -> GatewayError {
        refused.add()
        return GatewayError(
            .serviceUnavailable, .overloaded,
            "\(subject) hold \(used) of \(capacity) bytes, and those of this key its share; try again later",
            headers: [.connection: "close"])
    }

    fileprivate func add(_ bytes: Int) -> Bool { total.add(bytes, upTo: capacity) }

    fileprivate func remove(_ bytes: Int) { total.add(-bytes) }

    fileprivate func charge(_ bytes: Int, to holder: String) -> Bool {
        holders.withLock { holders in
            let held = holders[holder] ?? 0
            // The bytes are in the total already.
            guard bytes <= limit(besides: used - bytes - held) - held else { return false }
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

/// The part of a ``BodyBudget`` that one request holds. Its owner releases it.
package struct BodyShare: Sendable {
    /// Bytes that the request holds.
    package private(set) var bytes = 0
    private var charged = 0
    private var holder = ""

    package init() {}

    /// Takes more bytes.
    ///
    /// - Throws: ``GatewayError`` with 503 when there is no room; then nothing is taken.
    package mutating func grow(by count: Int, of holder: String, in budget: BodyBudget) throws(GatewayError) {
        guard budget.add(count) else { throw budget.refusal() }
        bytes += count
        guard bytes > budget.free else { return }
        if charged == 0 { self.holder = holder }
        let more = bytes - charged
        guard budget.charge(more, to: self.holder) else {
            bytes -= count
            budget.remove(count)
            throw budget.refusal()
        }
        charged = bytes
    }

    /// Gives bytes back, at most as many as it holds.
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
}

/// The body share of one request to the gateway's own routes. It is released with the request's context.
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

/// The limits of request bodies, for own and proxied routes.
package struct BodyLimits: Sendable {
    package let memory: BodyBudget
    /// The budget for bodies on disk.
    package let spool: BodyBudget
    /// The budget in memory for answers that their clients have not taken yet.
    package let answers: BodyBudget
    /// The budget on disk for large ones, as much as ``spool``.
    package let answerFiles: BodyBudget
    /// The folder of spooled bodies.
    package let folder: String
    /// The time that a body may take in addition to its bytes at ``rate``.
    package let grace: Duration
    /// The lowest rate of a body in bytes a second; 0 means no minimum.
    package let rate: Int
    /// Requests whose bodies came too slowly.
    package let tooSlow = MetricsCounter()

    /// Creates the budgets.
    ///
    /// - Parameters:
    ///   - memory: Bytes of all bodies in memory.
    ///   - answers: Bytes of all unsent answers.
    ///   - spool: Bytes of all bodies on disk, and of all answers.
    ///   - database: The path of the database; bodies are spooled next to it.
    package init(memory: Int, answers: Int, spool: Int, besides database: String, grace: Duration, rate: Int) {
        self.memory = BodyBudget(capacity: memory)
        self.answers = BodyBudget(
            capacity: answers, of: "answers that clients do not read", share: .halfOfTheRest)
        answerFiles = BodyBudget(capacity: spool, of: "answers on disk", share: .halfOfTheRest)
        self.spool = BodyBudget(capacity: spool)
        folder = database.lastIndex(of: "/").map { String(database[..<$0]) } ?? "."
        self.grace = grace
        self.rate = rate
    }
}
