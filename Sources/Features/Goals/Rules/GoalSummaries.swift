import Database
import GatewayAPI
import GoalRoom
import Goals
import Schedules
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The progress of goals for lists: computed once for each state of a goal and its matches on a day, and kept in the file, so
/// that the first answer after a start need not compute it.
extension GoalService {
    /// Goals of one step of ``warm()``.
    static let maxWarmed = 8
    /// Goals of the first page of all goals.
    static let maxFirst = 50

    /// The progress of goals, without days and windows, in their order; nil for goals that make no sense.
    func summaries(of goals: [StoredGoal], on day: LocalDay) async throws -> [GoalProgress?] {
        // Read before the entries: what is kept is then never older than its revision says.
        let revisions = try await store.matches.revisions(of: goals.map(\.record.id))
        let keys = goals.map { ProgressCache.Key(goal: $0, revision: revisions[$0.record.id] ?? 0, day: day) }
        let missing = keys.filter { cache.find($0) == nil }
        let stored = missing.isEmpty ? [:] : try await store.summaries.find(missing.map(\.goal.record.id))
        var found: [GoalProgress?] = []
        for key in keys {
            // Looked up once more: the worker may have computed it meanwhile.
            if let known = cache.find(key) {
                found.append(known)
                continue
            }
            let stamp = stamp(of: key)
            if let summary = stored[key.goal.record.id], summary.stamp == stamp,
                let known = try? JSONDecoder().decode(GoalProgress.self, from: Data(summary.body.utf8))
            {
                cache.store(known, for: key)
                found.append(known)
                continue
            }
            var progress: GoalProgress?
            if let computing = GoalProgressing(key.goal, rule: rule, on: day) {
                progress = computing.summary(
                    try await store.goals.entries(of: key.goal.record.id, until: computing.lastDay))
            }
            cache.store(progress, for: key)
            if let progress {
                cache.note(GoalSummary(goal: key.goal.record.id, stamp: stamp, body: Self.text(progress)))
            }
            found.append(progress)
        }
        return found
    }

    /// What a stored summary depends on: the latest change of the goal, the changes of its matches, the day and its rule, and the
    /// program that computed it.
    private func stamp(of key: ProgressCache.Key) -> String {
        "\(key.goal.record.version) \(key.revision) \(key.day) \(rule.zone.name) \(rule.startMinute) \(GatewayVersion.current)"
    }

    private static func text(_ progress: GoalProgress) -> String {
        (try? JSONEncoder().encode(progress)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Computes the progress of the goals that run today and of the first page of all goals where it is not known, after a
    /// change of goals or their matches, or on a new day, and stores it in steps of ``maxWarmed`` goals. Costs one small query
    /// when nothing changed.
    package func warm() async throws {
        let state = GoalProgressInputs(version: try await store.matches.version(), day: today())
        if state != cache.warmed {
            var running = GoalFilter()
            running.on = state.day
            for (filter, limit) in [(running, Self.maxToday), (GoalFilter(), Self.maxFirst)] {
                // Backwards: a reader that comes earlier begins at the other end, and both do half of it.
                var left = try await store.goals.list(filter, after: nil, limit: limit).items[...]
                while !left.isEmpty {
                    try Task.checkCancellation()
                    _ = try await summaries(of: left.suffix(Self.maxWarmed).reversed(), on: state.day)
                    left = left.dropLast(Self.maxWarmed)
                    try await storeSummaries()
                }
            }
            cache.warmed = state
        }
        // What readers computed.
        try await storeSummaries()
    }

    private func storeSummaries() async throws {
        while case let new = cache.takeUnstored(ProgressCache.limit), !new.isEmpty {
            try await store.summaries.keep(new)
        }
    }
}

/// What the progress of today's goals depends on.
struct GoalProgressInputs: Hashable, Sendable {
    let version: [Int64]
    let day: LocalDay
}

/// The progress of goals for lists, while neither the goals nor their matches change.
final class ProgressCache: Sendable {
    /// Results that are kept at most.
    static let limit = 1000

    struct Key: Hashable, Sendable {
        let goal: StoredGoal
        let revision: Int64
        let day: LocalDay
    }

    private let known = Mutex<[Key: GoalProgress?]>([:])
    private let unstored = Mutex<[String: GoalSummary]>([:])
    private let lastWarmed = Mutex<GoalProgressInputs?>(nil)

    /// The state for which the progress of today's goals was computed last.
    var warmed: GoalProgressInputs? {
        get { lastWarmed.withLock { $0 } }
        set { lastWarmed.withLock { $0 = newValue } }
    }

    func find(_ key: Key) -> GoalProgress?? { known.withLock { $0[key] } }

    func store(_ progress: GoalProgress?, for key: Key) {
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = progress
        }
    }

    /// Notes a summary for the file; a worker stores it. Beyond the limit it is computed again after the next start.
    func note(_ summary: GoalSummary) {
        unstored.withLock { unstored in
            if unstored.count < Self.limit || unstored[summary.goal] != nil { unstored[summary.goal] = summary }
        }
    }

    /// Removes and returns some summaries for the file.
    func takeUnstored(_ most: Int) -> [GoalSummary] {
        unstored.withLock { unstored in
            unstored.keys.prefix(most).compactMap { unstored.removeValue(forKey: $0) }
        }
    }
}
