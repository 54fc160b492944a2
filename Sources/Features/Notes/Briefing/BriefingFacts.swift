import AssociationRoom
import BookRoom
import BriefingRoom
import Communities
import GatewayAPI
import Goals
import Schedules
import Storage
import TaskRoom
import ThreadRoom

/// Finds what the briefing of a day is about. The same rows and the same time give the same facts.
struct BriefingFacts: Sendable {
    private static let day: Int64 = 86_400

    let store: any GatewayStore
    let rule: DayRule
    let goals: BriefingService.Goals

    /// Returns the facts in the order of the cards.
    ///
    /// - Parameter now: The time of the briefing; notes written later do not count.
    /// - Throws: ``StorageError``, `CancellationError`.
    func gather(on day: LocalDay, now: Int64) async throws -> [BriefingFact] {
        var facts = try await tasks()
        let due = try await goals(day)
        if !due.isEmpty { facts.append(BriefingFact(kind: .goals, goals: due.map(\.id))) }
        try Task.checkCancellation()
        facts += try await threads(now)
        try Task.checkCancellation()
        let week = now - 7 * Self.day
        let old = now - BriefingLimits.oldDays * Self.day
        facts += try await pairs(.nearPair, newer: week...now, older: old...now)
        try Task.checkCancellation()
        let notes = try await store.briefings.notes(in: sameDays(as: day), limit: BriefingLimits.notes)
        if !notes.isEmpty { facts.append(BriefingFact(kind: .onThisDay, notes: notes)) }
        try Task.checkCancellation()
        facts += try await pairs(.forgotten, newer: week...now, older: 1...(old - 1))
        return try await facts + books(now)
    }

    private func tasks() async throws -> [BriefingFact] {
        let open = try await store.tasks.page(.open, limit: BriefingLimits.tasks).items
        return open.isEmpty ? [] : [BriefingFact(kind: .openTasks, tasks: open.map(\.id))]
    }

    private func threads(_ now: Int64) async throws -> [BriefingFact] {
        let briefings = store.briefings
        let week = now - 7 * Self.day
        let activity = try await briefings.activity(from: now - 35 * Self.day, since: week, until: now)
        let counts = Dictionary(activity.map { ($0.thread, $0) }) { first, _ in first }
        var facts: [BriefingFact] = []
        let new = try await briefings.newThreads(since: week, until: now, limit: BriefingLimits.cards)
        for thread in new {
            let notes = try await briefings.notes(ofThread: thread, until: now, limit: BriefingLimits.notes)
            let found = counts[thread]
            facts.append(
                BriefingFact(
                    kind: .newThread, notes: notes, thread: thread, recent: found?.recent ?? 0, before: found?.before))
        }
        let proposed = try await store.threadProposals.open(
            .new, since: week, limit: BriefingLimits.cards - facts.count)
        for proposal in proposed {
            let notes = Array((proposal.parts.first?.notes ?? []).prefix(BriefingLimits.notes))
            facts.append(BriefingFact(kind: .newThread, notes: notes, proposal: proposal.id))
        }
        let heating = activity.filter {
            ThreadHeat.of(recent: $0.recent, before: $0.before) == .heating && !new.contains($0.thread)
        }
        for found in heating.prefix(BriefingLimits.cards) {
            let notes = try await briefings.notes(ofThread: found.thread, until: now, limit: BriefingLimits.notes)
            facts.append(
                BriefingFact(
                    kind: .heatingThread, notes: notes, thread: found.thread, recent: found.recent,
                    before: found.before))
        }
        return facts
    }

    /// The nearest pairs of which no two share a note.
    private func pairs(
        _ kind: BriefingCard.Kind, newer: ClosedRange<Int64>, older: ClosedRange<Int64>
    ) async throws -> [BriefingFact] {
        let found = try await store.associations.pairs(
            minSimilarity: BriefingLimits.similarity, newer: newer, older: older, limit: BriefingLimits.cards * 10)
        var used: Set<Int64> = []
        var facts: [BriefingFact] = []
        for pair in found where facts.count < BriefingLimits.cards {
            guard !used.contains(pair.first), !used.contains(pair.second) else { continue }
            used.formUnion([pair.first, pair.second])
            facts.append(BriefingFact(kind: kind, notes: [pair.first, pair.second], similarity: pair.similarity))
        }
        return facts
    }

    /// The same day of earlier years, in seconds since 1970. 29 February has only leap years.
    private func sameDays(as day: LocalDay) -> [Range<Int64>] {
        let (year, month, number) = day.date
        return (1...BriefingLimits.years).compactMap { back in
            LocalDay(year: year - back, month: month, day: number).map { day in
                let instants = rule.instants(of: day)
                return instants.lowerBound.seconds..<max(instants.lowerBound.seconds, instants.upperBound.seconds)
            }
        }
    }

    private func books(_ now: Int64) async throws -> [BriefingFact] {
        let since = now - BriefingLimits.readingDays * Self.day
        var facts: [BriefingFact] = []
        for id in try await store.books.read(since: since, limit: BriefingLimits.cards * 10)
        where facts.count < BriefingLimits.cards {
            guard let position = try await store.book(id)?.position, (0.5..<99.5).contains(position.percent) else {
                continue
            }
            facts.append(BriefingFact(kind: .book, book: id))
        }
        return facts
    }
}

extension GatewayStore {
    /// Returns a book; nil when there is none.
    func book(_ id: Int64) async throws -> Book? {
        do {
            return try await books.find(id)
        } catch let error as StorageError where error.code == .notFound {
            return nil
        }
    }
}
