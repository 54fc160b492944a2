import BriefingRoom
package import GatewayAPI
package import Goals
package import JobRoom
package import Schedules
package import Storage
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes and reads briefings. A day has one briefing, made by the first request over all servers.
package struct BriefingService: Sendable {
    /// The goals that are due on a day.
    package typealias Goals = @Sendable (LocalDay) async throws -> [BriefingGoal]

    package let store: any GatewayStore
    /// The person's days.
    package let rule: DayRule
    let goals: Goals
    /// The clock.
    let now: @Sendable () -> Instant

    package init(
        store: any GatewayStore, rule: DayRule, goals: @escaping Goals = { _ in [] },
        now: @escaping @Sendable () -> Instant = BriefingService.clock
    ) {
        self.store = store
        self.rule = rule
        self.goals = goals
        self.now = now
    }

    /// The current time.
    package static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }

    /// The person's current day.
    package var today: LocalDay { rule.day(of: now()) }

    /// Whether it is time for the workflow to make the briefing of today, and none is stored.
    package func isDue(_ settings: NotesSettings) async throws -> Bool {
        guard settings.workflows.contains(.briefing), now() >= rule.instant(of: today, minute: settings.briefingMinute)
        else { return false }
        return try await store.briefings.find(today.description) == nil
    }

    /// Returns the stored briefing of a day; makes that of today. nil for another day without one.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    package func briefing(of day: LocalDay) async throws -> Briefing? {
        if let stored = try await store.briefings.find(day.description) { return try await read(stored) }
        return day == today ? try await make(again: false) : nil
    }

    /// Makes the briefing of today, unless it is stored.
    ///
    /// - Parameter again: Whether a stored briefing of today is replaced.
    /// - Throws: ``StorageError``, `CancellationError`.
    package func make(again: Bool) async throws -> Briefing {
        let time = now()
        let day = rule.day(of: time)
        if !again, let stored = try await store.briefings.find(day.description) {
            return try await read(stored)
        }
        let facts = try await BriefingFacts(store: store, rule: rule, goals: goals).gather(
            on: day, now: time.seconds)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let made = StoredBriefing(
            day: day.description, zone: rule.zone.name,
            facts: String(decoding: try encoder.encode(facts), as: UTF8.self),
            madeAt: time.seconds)
        return try await read(try await store.briefings.keep(made, replacing: again))
    }

    /// Runs a job that makes the briefing of today. Returns its text.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: BriefingJobRequest.self)
        let briefing = try await make(again: request.again ?? false)
        report(JobProgress(done: briefing.count, total: briefing.count))
        return "\(Count.of(briefing.count, "card")) for \(briefing.date)"
    }

    private func read(_ stored: StoredBriefing) async throws -> Briefing {
        // Facts that another version wrote and this one cannot read give a briefing without cards.
        let facts = (try? JSONDecoder().decode([BriefingFact].self, from: Data(stored.facts.utf8))) ?? []
        let day = LocalDay(parsing: stored.day) ?? today
        let cards = try await BriefingCards(store: store, rule: rule, goals: goals, day: day).cards(facts)
        return Briefing(
            date: stored.day, zone: stored.zone, madeAt: Timestamp.iso8601(stored.madeAt),
            text: BriefingText.text(of: cards), cards: cards)
    }
}
