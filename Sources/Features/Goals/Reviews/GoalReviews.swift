import Database
package import GatewayAPI
import GoalRoom
import Goals
import Schedules
import Storage
package import Tools

/// Reviews of a week or a term, as Markdown that cites actions and notes.
package struct GoalReviews: Sendable {
    /// Actions that a review reads at most.
    private static let maxActions = 5000
    /// Actions that a goal's paragraph cites at most.
    private static let maxCited = 5
    /// Notes that a review cites at most.
    private static let maxNotes = 10

    /// Pages of notes that a review reads at most.
    private static let maxPages = 10
    /// The tag of a stored review.
    private static let tag = "goal-review"

    let service: GoalService
    /// The notes that no review cites: a review may be read by a model on another machine.
    let privacy: NotePrivacy

    package init(_ service: GoalService, privacy: NotePrivacy) {
        self.service = service
        self.privacy = privacy
    }

    /// Reviews a week or a term.
    ///
    /// - Throws: ``StorageError/Code/notFound`` without such a term; ``InvalidFields``.
    package func review(_ wanted: GoalReviewRequest) async throws -> GoalReview {
        let today = service.today()
        switch wanted.kind {
        case "week":
            let day = try wanted.day.map { try LocalDay(checking: $0, "day") } ?? today.adding(-1)
            guard wanted.term == nil else {
                throw InvalidFields("term", expected: "nothing for a week", got: "a term")
            }
            let week = Week(containing: day)
            guard week.first <= today else {
                throw InvalidFields("day", expected: "today (\(today)) or earlier", got: "\(day)")
            }
            let number = Week.isoNumber(of: day)
            return try await review(
                "week", "Review of week \(number.week) of \(number.year)", week.first...min(week.last, today),
                goals: try await goals(on: week.first...week.last), save: wanted.save ?? false)
        case "term":
            guard wanted.day == nil else { throw InvalidFields("day", expected: "nothing for a term", got: "a day") }
            let term = try await term(wanted.term)
            guard let first = LocalDay(parsing: term.startDate), let last = LocalDay(parsing: term.targetDate),
                first <= today
            else { throw InvalidFields("term", expected: "a term that has begun", got: term.startDate) }
            var goals: [StoredGoal] = []
            for id in term.goals { goals.append(try await service.store.goals.find(id)) }
            var review = try await review(
                "term", "Review of term \(term.number)", first...min(last, today), goals: goals,
                save: false, about: term)
            if wanted.save ?? false { try await save(&review) }
            return review
        default: throw InvalidFields("kind", expected: "week or term", got: wanted.kind)
        }
    }

    private func term(_ id: String?) async throws -> TermRecord {
        if let id { return try await service.term(id) }
        let today = service.today()
        let terms = try await service.terms(on: nil, after: nil, limit: 50).items
        guard let term = terms.first(where: { $0.startDate <= today.description }) else {
            throw StorageError(.notFound, "no term has begun")
        }
        return term
    }

    /// The goals that run on any of some days.
    private func goals(on days: ClosedRange<LocalDay>) async throws -> [StoredGoal] {
        var found: [StoredGoal] = []
        for day in [days.lowerBound, days.upperBound] {
            var filter = GoalFilter()
            filter.on = day
            for goal in try await service.store.goals.list(filter, after: nil, limit: 100).items
            where !found.contains(where: { $0.record.id == goal.record.id }) {
                found.append(goal)
            }
        }
        return found
    }

    private func review(
        _ kind: String, _ title: String, _ days: ClosedRange<LocalDay>, goals: [StoredGoal], save: Bool,
        about term: TermRecord? = nil
    ) async throws -> GoalReview {
        var filter = ActionFilter()
        (filter.from, filter.to) = (days.lowerBound, days.upperBound)
        let matching = try await service.matching()
        var actions: [ActionRecord] = []
        var cursor: PageCursor?
        repeat {
            let page = try await service.store.actions.list(filter, after: cursor, limit: 500)
            actions += page.items
            cursor = page.next
        } while cursor != nil && actions.count < Self.maxActions
        var review = GoalReview(
            kind: kind, title: "\(title), \(days.lowerBound) to \(days.upperBound)",
            first: days.lowerBound.description, last: days.upperBound.description, text: "", actions: actions.count)
        var paragraphs: [String] = []
        if let theme = term?.theme { paragraphs.append("Theme: \(theme)") }
        paragraphs.append(
            actions.isEmpty ? "Nothing was logged in these days." : "\(actions.count) actions were logged.")
        review.matching = matching
        if let matching { paragraphs.append("\(matching.waiting) rows are not matched yet: figures may be too low.") }
        for goal in goals {
            guard let paragraph = try await paragraph(goal, days, actions, &review) else { continue }
            paragraphs.append(paragraph)
        }
        if let reflection = term?.reflection { paragraphs.append("## Reflection\n\n\(reflection)") }
        let notes = try await notes(of: days)
        if !notes.isEmpty {
            review.citedNotes = notes.map(\.id)
            let lines = notes.map { "- \($0.title.isEmpty ? "Untitled" : $0.title) [note \($0.id)]" }
            paragraphs.append("## Notes of these days\n\n" + lines.joined(separator: "\n"))
        }
        review.text = paragraphs.joined(separator: "\n\n") + "\n"
        if save { try await self.save(&review) }
        return review
    }

    /// A goal's paragraph: its figures, and the actions that count for it.
    private func paragraph(
        _ goal: StoredGoal, _ days: ClosedRange<LocalDay>, _ actions: [ActionRecord], _ review: inout GoalReview
    ) async throws -> String? {
        guard let computing = GoalProgressing(goal, rule: service.rule, on: days.upperBound) else { return nil }
        let entries = try await service.store.goals.entries(of: goal.record.id, until: computing.lastDay)
        guard let progress = try? computing.checkedProgress(entries) else { return nil }
        let added = (progress.days ?? []).filter { $0.day >= days.lowerBound.description }
        let sum = added.reduce(0) { $0 + $1.total }
        review.goals.append(
            GoalReviewLine(
                goal: goal.record.id, title: goal.record.title, status: progress.status,
                fraction: progress.fraction, added: sum, unit: goal.record.target?.unit))
        let unit = progress.unit.map { " \($0)" } ?? ""
        var text = "## \(goal.record.title)\n\n"
        text += "\(progress.status.replacing("_", with: " ")): \(Self.number(progress.achieved)) of "
        text += "\(Self.number(progress.needed))\(unit), \(Int((min(progress.fraction, 1e6) * 100).rounded())) %"
        if !added.isEmpty {
            text += "; these days added \(Self.number(sum))\(goal.record.target.map { " \($0.unit)" } ?? "")"
        }
        text += "."
        var own = ActionFilter()
        (own.from, own.to, own.goal) = (days.lowerBound, days.upperBound, goal.record.id)
        let cited = try await service.store.actions.list(own, after: nil, limit: Self.maxCited)
        for action in cited.items {
            text += "\n- \(GoalProposals.summary(of: action)) [action \(action.id)]"
            if !review.cited.contains(action.id) { review.cited.append(action.id) }
        }
        if cited.next != nil { text += "\n- and more" }
        return text
    }

    private static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return GoalProposals.number(tenths)
    }

    /// The notes that were written in some days, latest first. Private notes and reviews are left out.
    private func notes(of days: ClosedRange<LocalDay>) async throws -> [Note] {
        let first = service.rule.start(of: days.lowerBound).seconds
        let end = service.rule.start(of: days.upperBound.adding(1)).seconds
        var found: [Note] = []
        var cursor: PageCursor?
        var pages = 0
        repeat {
            let page = try await service.notes.page(NoteSelection(since: first), after: cursor, limit: 200)
            found += page.items.filter { note in
                (Timestamp.unixSeconds(note.createdAt) ?? .max) < end && !note.tags.contains(Self.tag)
                    && !privacy.covers(note)
            }
            (cursor, pages) = (page.next, pages + 1)
        } while cursor != nil && pages < Self.maxPages
        return Array(found.prefix(Self.maxNotes))
    }

    /// Keeps a review as a note. The same review again is the same note.
    private func save(_ review: inout GoalReview) async throws {
        let draft = NoteDraft(title: review.title, content: review.text, tags: [Self.tag], source: "goals")
        switch try await service.notes.create(draft, testRun: nil, request: nil) {
        case .created(let id), .duplicate(let id): review.note = id
        }
    }
}
