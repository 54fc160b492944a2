import Synchronization

/// How the triggers of a file differ from those that it needs.
public struct TriggerReport: Sendable, Hashable, CustomStringConvertible {
    /// Names of triggers that are not there; another program's rebuild of its tables takes them along.
    public var missing: [String] = []
    /// Names of triggers that are there with another text, or on another table.
    public var altered: [String] = []
    /// Names of triggers that begin with `gateway_`, but that this file does not need.
    public var unexpected: [String] = []
    /// Whether the triggers were made anew, and queue and index reconciled with the notes.
    public var isRepaired = false
    /// Notes that were enqueued for embedding by the repair.
    public var enqueued = 0

    /// Creates a report of triggers that are as they should be.
    public init() {}

    /// Whether nothing is missing or altered.
    public var isHealthy: Bool { missing.isEmpty && altered.isEmpty }

    /// The names, as a sentence for logs.
    public var description: String {
        let parts = [("missing", missing), ("altered", altered), ("unexpected", unexpected)].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? "all triggers are in place"
            : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

/// What a process knows of a file's triggers.
final class TriggerWatch: Sendable {
    struct State {
        /// The schema's version at which all triggers were in place.
        var verified: Int64?
        /// Whether vectors of notes that are gone wait to be deleted.
        var hasSweep = false
        var repairs = 0
        /// Enqueues what was written unseen before the latest repair.
        var enqueuing: Task<Void, Never>?
        /// Repairs that nobody has heard of.
        var unheard: [TriggerReport] = []
        var observer: (@Sendable (TriggerReport) -> Void)?
    }

    let isOn: Bool
    let state = Mutex(State())

    init(isOn: Bool) { self.isOn = isOn }

    /// Calls the observer with a repair.
    func report(_ report: TriggerReport) {
        let observer = state.withLock { state in
            if state.observer == nil { state.unheard.append(report) }
            return state.observer
        }
        observer?(report)
    }
}
