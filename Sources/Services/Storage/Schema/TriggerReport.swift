import Synchronization

/// Differences between a file's triggers and the required ones.
package struct TriggerReport: Sendable, Hashable, CustomStringConvertible {
    /// Missing triggers; SQLite drops triggers when another program rebuilds its tables.
    package var missing: [String] = []
    /// Triggers with another text, or on another table.
    package var altered: [String] = []
    /// Triggers named `gateway_…` that this file does not need.
    package var unexpected: [String] = []
    /// Whether the triggers were recreated, and queue and index reconciled with the notes.
    package var isRepaired = false
    /// Number of notes that the repair enqueued for embedding.
    package var enqueued = 0

    /// Creates a report without differences.
    package init() {}

    /// Whether no trigger is missing or altered.
    package var isHealthy: Bool { missing.isEmpty && altered.isEmpty }

    /// Lists the triggers by fault, for logs.
    package var description: String {
        let parts = [("missing", missing), ("altered", altered), ("unexpected", unexpected)].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? "all triggers are in place"
            : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

/// Tracks the trigger checks of one process.
final class TriggerChecks: Sendable {
    struct State {
        /// The schema version at which all triggers were last found in place.
        var verified: Int64?
        /// Whether vectors of deleted notes are waiting for a sweep.
        var hasSweep = false
        var repairs = 0
        /// Enqueues notes changed without triggers before the latest repair.
        var enqueuing: Task<Void, Never>?
        /// Repairs that happened before an observer was set.
        var unheard: [TriggerReport] = []
        var observer: (@Sendable (TriggerReport) -> Void)?
    }

    let isOn: Bool
    let state = Mutex(State())

    init(isOn: Bool) { self.isOn = isOn }

    /// Whether all triggers are known to be in place at a version of the schema.
    func isVerified(at version: Int64) -> Bool { isOn && state.withLock { $0.verified == version } }

    /// Passes a repair to the observer, or keeps it until there is one.
    func report(_ report: TriggerReport) {
        let observer = state.withLock { state in
            if state.observer == nil { state.unheard.append(report) }
            return state.observer
        }
        observer?(report)
    }
}
