package import Machine

/// How long a worker holds something: a job, an answer, a delivery.
///
/// The rule, for all that is held:
/// - A process that has ended holds nothing, where that can be seen: on this machine.
/// - In a file, a living process of this machine holds what it has, however long it is silent: a machine that slept is no reason
///   to take work away.
/// - Everyone else holds until the lease's end by the store's clock. While the clock stood still or the server was away nobody
///   could renew, so no lease ends sooner than its length after that.
package struct Lease: Sendable, Hashable {
    /// What is known of a lease.
    package enum State: Sendable, Hashable {
        case held
        /// The holder's process has ended.
        case processEnded
        /// The holder gave no sign of life.
        case silent
    }

    package var owner: WorkerName?
    /// When it ends, in milliseconds since 1970; nil for one without an end, of a version that knew none.
    package var end: Int64?

    package init(owner: WorkerName?, end: Int64?) { (self.owner, self.end) = (owner, end) }

    /// - Parameters:
    ///   - length: The length of a lease after each sign of life.
    ///   - dialect: The engine of the store.
    package func state(at clock: StoreClock, length: Duration, in dialect: SQLDialect) -> State {
        guard let owner else { return .silent }
        switch (owner.fate, dialect) {
        case (.ended, .sqlite): return .processEnded
        case (.ended, .postgres): if owner.isGoneFromThisBoot { return .processEnded }
        case (.lives, .sqlite): return .held
        case (.lives, .postgres), (.unknown, _): break
        }
        guard let end else { return .held }
        let isLate = end < clock.now && clock.steadySince < clock.now - Int64(length / .milliseconds(1))
        return isLate ? .silent : .held
    }

    /// When a lease ends that begins or is renewed now.
    package static func end(at clock: StoreClock, length: Duration) -> Int64 {
        clock.now + Int64(length / .milliseconds(1))
    }
}
