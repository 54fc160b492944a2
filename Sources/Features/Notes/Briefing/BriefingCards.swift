import GatewayAPI
import Goals
import Schedules
import Storage
import TaskRoom
import Text
import ThreadRoom

/// Turns facts into cards with the titles that notes, threads, tasks and books have now. Facts about something that is gone
/// give no card.
struct BriefingCards: Sendable {
    let store: any GatewayStore
    let rule: DayRule
    let goals: BriefingService.Goals
    let day: LocalDay

    /// Returns the cards, numbered from 1.
    ///
    /// - Throws: ``StorageError``.
    func cards(_ facts: [BriefingFact]) async throws -> [BriefingCard] {
        let ids = Set(facts.flatMap(\.notes)).sorted()
        let notes = Dictionary(try await store.notes.find(ids: ids).map { ($0.id, BriefingNote($0)) }) {
            first, _ in
            first
        }
        var cards: [BriefingCard] = []
        for fact in facts {
            guard var card = try await card(fact, fact.notes.compactMap { notes[$0] }) else { continue }
            card.number = cards.count + 1
            cards.append(card)
        }
        return cards
    }

    private func card(_ fact: BriefingFact, _ notes: [BriefingNote]) async throws -> BriefingCard? {
        switch fact.kind {
        case .openTasks: try await openTasks(fact, notes)
        case .goals: try await goals(fact)
        case .newThread where fact.proposal != nil: try await proposal(fact, notes)
        case .newThread, .heatingThread: try await thread(fact, notes)
        case .nearPair: notes.count == 2 ? pair(fact, notes[0], notes[1]) : nil
        case .forgotten: notes.count == 2 ? forgotten(fact, notes[0], notes[1]) : nil
        case .onThisDay: notes.isEmpty ? nil : onThisDay(fact, notes)
        case .book: try await book(fact)
        }
    }

    private func openTasks(_ fact: BriefingFact, _ notes: [BriefingNote]) async throws -> BriefingCard? {
        let tasks = try await store.tasks.find(fact.tasks ?? []).filter { $0.completedAt == nil }
        guard !tasks.isEmpty else { return nil }
        let due = tasks.filter { $0.due.map { $0 <= day.description } ?? false }.count
        let reason =
            switch (due, tasks.first?.due) {
            case (0, nil): "None of them has a due day."
            case (0, let next?): "The next one is due on \(next)."
            case (1, _): "1 of them is due by today."
            default: "\(due) of them are due by today."
            }
        return BriefingCard(
            number: 0, id: fact.id, kind: .openTasks,
            title: tasks.count == 1 ? "1 open task" : "\(tasks.count) open tasks",
            reason: reason,
            question: "Which of my open tasks should I do first, and what do my notes say about them?", notes: notes,
            tasks: tasks.map(\.withThingsLink))
    }

    /// The goals of the fact that are still due.
    private func goals(_ fact: BriefingFact) async throws -> BriefingCard? {
        let ids = Set(fact.goals ?? [])
        let due = try await goals(day).filter { ids.contains($0.id) }
        guard let first = due.first else { return nil }
        let rest = due.count > 1 ? " and \(Count.of(due.count - 1, "other"))" : ""
        return BriefingCard(
            number: 0, id: fact.id, kind: .goals, title: "\(Count.of(due.count, "goal")) due today",
            reason: "\"\(Self.short(first.title))\": \(first.detail) so far\(rest).",
            question: "How am I doing with my goals, and what should I do today?", goals: due)
    }

    private func thread(_ fact: BriefingFact, _ notes: [BriefingNote]) async throws -> BriefingCard? {
        guard let id = fact.thread, let thread = try await store.threads.find(id) else { return nil }
        let name = Self.short(thread.name)
        let (recent, before) = (fact.recent ?? 0, fact.before ?? 0)
        let isNew = fact.kind == .newThread
        let reason =
            isNew
            ? "A new thread with \(Count.of(max(recent, notes.count), "note"))."
            : "\(Count.of(recent, "note")) in the last 7 days, \(before) in the 4 weeks before."
        return BriefingCard(
            number: 0, id: fact.id, kind: fact.kind, title: name, reason: reason,
            question: isNew
                ? "What is the thread \"\(name)\" about, and what is still open in it?"
                : "What has changed in the thread \"\(name)\" in the last week?",
            notes: notes, thread: Note.ThreadReference(id: thread.id, name: thread.name))
    }

    /// A thread that is proposed; nil once a person has decided.
    private func proposal(_ fact: BriefingFact, _ notes: [BriefingNote]) async throws -> BriefingCard? {
        guard let id = fact.proposal, let proposal = try await store.threadProposals.find(id),
            proposal.state == .open
        else { return nil }
        let name = Self.short(proposal.name)
        return BriefingCard(
            number: 0, id: fact.id, kind: .newThread, title: name, reason: proposal.why,
            question: "What do my notes about \"\(name)\" have in common, and what is still open in them?",
            notes: notes, proposal: id)
    }

    private func pair(_ fact: BriefingFact, _ first: BriefingNote, _ second: BriefingNote) -> BriefingCard {
        let (one, other) = (Self.short(first.title), Self.short(second.title))
        return BriefingCard(
            number: 0, id: fact.id, kind: .nearPair, title: "\(one) and \(other)",
            reason: "Two similar notes (\(Self.percent(fact.similarity))), of \(date(first)) and \(date(second)).",
            question: "What do the notes \"\(one)\" and \"\(other)\" have in common, and where do they differ?",
            notes: [first, second])
    }

    private func forgotten(_ fact: BriefingFact, _ first: BriefingNote, _ second: BriefingNote) -> BriefingCard {
        let isOrdered = time(first) <= time(second)
        let (old, new) = isOrdered ? (first, second) : (second, first)
        let (title, recent) = (Self.short(old.title), Self.short(new.title))
        return BriefingCard(
            number: 0, id: fact.id, kind: .forgotten, title: title,
            reason:
                "Written on \(date(old)) and similar (\(Self.percent(fact.similarity))) to \"\(recent)\" of \(date(new)).",
            question: "How does my old note \"\(title)\" bear on \"\(recent)\"?", notes: [old, new])
    }

    private func onThisDay(_ fact: BriefingFact, _ notes: [BriefingNote]) -> BriefingCard {
        var years: [String] = []
        for year in notes.map({ String(date($0).prefix(4)) }) where !years.contains(year) { years.append(year) }
        return BriefingCard(
            number: 0, id: fact.id, kind: .onThisDay, title: "On this day",
            reason: "\(Count.of(notes.count, "note")) of this day in \(Self.list(years)).",
            question: "What was on my mind on this day in other years, and what became of it?", notes: notes)
    }

    private func book(_ fact: BriefingFact) async throws -> BriefingCard? {
        guard let id = fact.book, let book = try await store.book(id), let position = book.position else {
            return nil
        }
        let title = Self.short(book.title)
        return BriefingCard(
            number: 0, id: fact.id, kind: .book, title: title,
            reason:
                "You are on page \(position.label ?? String(position.page)), at \(Int(position.percent.rounded())) percent.",
            question: "What has happened in \"\(title)\" up to my page?",
            book: BriefingBook(id: id, title: book.title, page: position.page, percent: position.percent))
    }

    // MARK: Words

    private func time(_ note: BriefingNote) -> Int64 { Timestamp.unixSeconds(note.createdAt) ?? 0 }

    /// The person's day of a note.
    private func date(_ note: BriefingNote) -> String {
        Timestamp.unixSeconds(note.createdAt).map { rule.day(of: Instant(seconds: $0)).description } ?? "an unknown day"
    }

    /// A title on one line, at most 80 characters long.
    static func short(_ title: String) -> String {
        let line = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !line.isEmpty else { return "Untitled" }
        return line.count <= 80 ? line : line.prefix(79) + "…"
    }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func percent(_ similarity: Double?) -> String {
        "\(Int(((similarity ?? 0) * 100).rounded())) percent"
    }
}

extension BriefingNote {
    fileprivate init(_ note: Note) { self.init(id: note.id, title: note.title, createdAt: note.createdAt) }
}
