/// Polls a condition until it holds.
///
/// - Parameter limit: When to give up. Generous, because the machine may be busy; a test that passes never waits so long.
/// - Returns: Whether the condition held in time.
package func eventually(
    within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// A condition that `waitUntil` waited for in vain.
package struct ConditionNeverHeld: Error {
    package init() {}
}

/// Polls a condition until it holds, and throws `ConditionNeverHeld` when it does not in time.
package func waitUntil(
    within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: limit, condition) else { throw ConditionNeverHeld() }
}

/// Polls a value until it has not changed for a while, such as the bytes that fit into the buffers on a way, and returns
/// it. A test may expect only that it stays below a bound: a slow machine may seem to rest early.
package func valueAtRest(_ value: () -> Int) async -> Int {
    var last = value()
    var polls = 0
    while polls < 100, !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(5))
        let now = value()
        polls = now == last ? polls + 1 : 0
        last = now
    }
    return last
}
