package import GoalRoom
package import Goals

extension GatewayDatabase {
    /// The goals of this file; the rule fixes the days of actions that other programs wrote.
    package func goals(rule: DayRule) -> GoalRoom {
        GoalRoom(self, rule: rule) { [self] version in
            guard try await keepTriggers(schemaVersion: version) else { return false }
            try await keepTriggers()
            return true
        }
    }
}
