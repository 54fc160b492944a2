import Foundation
package import Testing

/// How much of the suite a run has. `make test` runs the fast gear, `make test-all` everything.
package enum Gear {
    /// Whether tests of more than a second run, and loops have all their rounds.
    static let isFast = ProcessInfo.processInfo.environment["TEST_GEAR"] == "fast"
    private static let hasAllRounds = !isFast || ProcessInfo.processInfo.environment["TEST_ROUNDS"] == "all"

    /// The rounds of a loop over random inputs: all of them, or at most 500 in the fast gear.
    package static func rounds(_ count: Int) -> Int { hasAllRounds ? count : min(count, 500) }
}

extension Trait where Self == ConditionTrait {
    /// For a test that takes more than a second. The fast gear leaves it out.
    package static var slow: Self { .enabled(if: !Gear.isFast, "slow, so `make test` leaves it to `make test-all`") }
}
