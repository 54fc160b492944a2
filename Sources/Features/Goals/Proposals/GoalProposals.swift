import Cryptography
package import Database
package import GatewayAPI
package import GoalRoom
import Goals
import Schedules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Changes that wait until a person confirms them. A model can make them; only a person or the setting carries them out.
package struct GoalProposals: Sendable {
    /// How long a proposal can be confirmed.
    static let lifetime: Int64 = 7 * 86_400_000
    /// Open proposals that ``GoalService/today(zone:)`` counts at most.
    static let maxListed = 200

    let service: GoalService

    package init(_ service: GoalService) { self.service = service }

    /// What is stored of a proposal: what clients see, and what would be written.
    struct Contents: Codable, Sendable {
        var shown: GoalProposal
        /// When the action happened, in milliseconds since 1970.
        var at: Int64?
        /// When the further actions happened, in their order.
        var furtherAt: [Int64]?
        /// The goal that the words name.
        var goal: String?
        var goalBody: GoalBody?
        var valueBody: ValueBody?
        var termBody: TermBody?
        /// The term that ``termBody`` changes; nil for a new one.
        var changedTerm: String?
        var undo: GoalUndo?
        /// Who may see it in the history as its author.
        var actor: String?
    }

    // MARK: Making

    /// Reads what a person said, and proposes to log it.
    package func log(_ text: ActionText, actor: String?) async throws -> GoalProposal {
        let rule = try service.rule(zone: text.zone, dayStart: text.dayStart)
        let today = service.today(rule)
        if let key = Self.turnKey("log_action", text.text, turn: text.turn),
            let known = try await service.store.proposals.find(turnKey: key)
        {
            // Neither read nor asked for once more.
            return try present(known).shown
        }
        let deeds = UtteranceParser(today: today).deeds(text.text)
        var draft = deeds[0].draft
        var fromModel: [ModelReading.Field] = []
        if deeds.count == 1 {
            let reading = try await service.model?.read(text.text, draft.missing, today: today, caller: actor)
            if let reading { fromModel = draft.complete(with: reading, of: text.text, today: today) }
        }
        let first = action(draft, of: deeds[0].text, text.text, rule)
        let further = deeds.dropFirst().map { action($0.draft, of: $0.text, text.text, rule) }
        var refusals = first.refusals + further.flatMap(\.refusals)
        if draft.activity == nil && draft.measures.isEmpty && draft.minutes == nil {
            refusals.append("no activity, amount or duration was found")
        }
        let records = [first.record] + further.map(\.record)
        let goal = try await goal(named: deeds.lazy.compactMap(\.draft.goal).first)
        var contents = Contents(
            shown: shown(
                "log_action", records.map(Self.summary).joined(separator: "; "), refusals: refusals,
                unread: draft.rest + deeds.dropFirst().flatMap(\.draft.rest), turn: text.turn))
        contents.shown.action = first.record
        if !further.isEmpty { contents.shown.furtherActions = further.map(\.record) }
        if !fromModel.isEmpty { contents.shown.fromModel = fromModel.map(\.rawValue) }
        var matches: [GoalMatch] = []
        for record in records {
            let found = try await service.matches(of: record)
            matches += found.filter { match in !matches.contains { $0.goal == match.goal } }
        }
        contents.shown.matches = matches
        (contents.at, contents.goal, contents.actor) = (first.at.milliseconds, goal, actor)
        if !further.isEmpty { contents.furtherAt = further.map(\.at.milliseconds) }
        let proposal = try await make(contents, words: text.text)
        // A person looks at what a model read.
        guard text.confirm ?? service.confirmsAtOnce, proposal.state == "open", proposal.refusals.isEmpty,
            fromModel.isEmpty
        else {
            return proposal
        }
        return try await confirm(proposal.id, actor: actor)
    }

    /// The action that a draft of some words says, when it happened, and why it cannot be logged.
    private func action(
        _ draft: ActionDraft, of words: String, _ text: String, _ rule: DayRule
    ) -> (record: ActionRecord, at: Instant, refusals: [String]) {
        let today = service.today(rule)
        var day = draft.day ?? today
        var minute: Int?
        if case .minute(let number)? = draft.time { minute = number }
        // A day that begins at 04:00 ends with the night. By day, "at 00:20" is the night that was, not the one to come.
        if let minute, minute < rule.startMinute, day == today, rule.instant(of: day, minute: minute) > service.now(),
            rule.minute(of: service.now()) >= rule.startMinute
        {
            day = today.adding(-1)
        }
        var record = ActionRecord(
            id: service.newID(), title: Self.title(of: draft, words), description: text,
            logTime: service.logTime, day: day.description, zone: rule.zone.name, dayStart: rule.startMinute,
            version: 0)
        var totals: [String: Rational] = [:]
        for measure in draft.measures {
            let unit = measure.unit.description
            totals[unit] = totals[unit].flatMap { $0.adding(measure.amount) } ?? measure.amount
        }
        record.amounts = totals.sorted { $0.key < $1.key }.map {
            GoalAmount(amount: $0.value.doubleValue, unit: $0.key)
        }
        record.durationMinutes = draft.minutes?.doubleValue
        var at = day == today ? service.now() : rule.instant(of: day, minute: 720)
        if let minute {
            at = rule.instant(of: day, minute: minute)
            record.startTime = "\(at)"
        }
        var refusals = draft.refusals.map(\.description)
        if at > service.now() { refusals.append("the time \(at) has not come") }
        do {
            _ = try record.checked()
        } catch {
            refusals.append(error.description)
        }
        return (record, at, refusals)
    }

    /// Proposes a goal, a value or a term, after all checks.
    func propose(
        _ kind: String, goal: GoalBody? = nil, value: ValueBody? = nil, term: TermBody? = nil,
        changedTerm: String? = nil, undo: GoalUndo? = nil, summary: String, words: String, turn: String?, actor: String?
    ) async throws -> GoalProposal {
        var contents = Contents(shown: shown(kind, summary, refusals: [], unread: [], turn: turn))
        (contents.goalBody, contents.valueBody, contents.termBody) = (goal, value, term)
        (contents.changedTerm, contents.undo, contents.actor) = (changedTerm, undo, actor)
        let proposal = try await make(contents, words: words)
        guard service.confirmsAtOnce, proposal.state == "open" else { return proposal }
        return try await confirm(proposal.id, actor: actor)
    }

    private func shown(
        _ kind: String, _ summary: String, refusals: [String], unread: [String], turn: String?
    ) -> GoalProposal {
        let now = service.now()
        return GoalProposal(
            id: service.newID(), kind: kind, state: "open", summary: summary, refusals: refusals, unread: unread,
            turn: turn, createdAt: "\(now)", expiresAt: "\(now.adding(milliseconds: Self.lifetime))")
    }

    /// Stores a proposal. The same words of the same turn are the same proposal.
    private func make(_ contents: Contents, words: String) async throws -> GoalProposal {
        let now = service.now().milliseconds
        let key = Self.turnKey(contents.shown.kind, words, turn: contents.shown.turn)
        let stored = try await service.store.proposals.add(
            StoredProposal(
                id: contents.shown.id, createdAt: now, expiresAt: now + Self.lifetime, state: "open", turnKey: key,
                body: try Self.text(contents)))
        return try present(stored).shown
    }

    /// Names the words of a turn; nil outside of one.
    private static func turnKey(_ kind: String, _ words: String, turn: String?) -> String? {
        turn.map { turn in
            let digest = SHA256.hash(data: Data("\(turn.utf8.count) \(turn) \(kind) \(words)".utf8))
            return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    private static func text(_ contents: Contents) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(contents), as: UTF8.self)
    }

    /// The goal whose title has all of some words; nil unless it is exactly one.
    private func goal(named words: String?) async throws -> String? {
        guard let words, !words.isEmpty else { return nil }
        var filter = GoalFilter()
        filter.text = words
        let found = try await service.store.goals.list(filter, after: nil, limit: 2).items
        return found.count == 1 ? found[0].record.id : nil
    }

    private static func title(of draft: ActionDraft, _ text: String) -> String {
        let words = ([draft.activity].compactMap { $0 } + draft.rest).joined(separator: " ")
        let title = words.isEmpty ? text : words
        return String((title.prefix(1).uppercased() + title.dropFirst()).prefix(100))
    }

    /// An action in a sentence.
    static func summary(of action: ActionRecord) -> String {
        var parts = action.amounts.map { "\(number($0.amount)) \($0.unit)" }
        if let minutes = action.durationMinutes { parts.append("\(number(minutes)) min") }
        let what = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
        return "\(action.title ?? "An action")\(what), on \(action.day)"
    }

    /// A number without a decimal point where it is whole.
    static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

    // MARK: Looking

    package func find(_ id: String) async throws -> GoalProposal {
        try present(await service.store.proposals.find(id)).shown
    }

    /// Returns a page of proposals, latest first.
    package func page(state: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<GoalProposal> {
        let page = try await service.store.proposals.list(
            state: state, now: service.now().milliseconds, after: cursor, limit: limit)
        return Page(items: page.items.compactMap { try? present($0).shown }, next: page.next)
    }

    private func present(_ stored: StoredProposal) throws -> Contents {
        var contents: Contents
        do {
            contents = try JSONDecoder().decode(Contents.self, from: Data(stored.body.utf8))
        } catch {
            throw StorageError(.notFound, "the proposal \(stored.id) cannot be read")
        }
        let isOver = stored.state == "open" && stored.expiresAt <= service.now().milliseconds
        contents.shown.state = isOver ? "expired" : stored.state
        return contents
    }

    // MARK: Deciding

    /// Carries a proposal out. A second confirmation changes nothing.
    ///
    /// - Throws: ``StorageError/Code/conflict`` for one that was rejected, has expired or cannot be done as it is.
    package func confirm(_ id: String, actor: String?) async throws -> GoalProposal {
        var contents = try present(try await service.store.proposals.find(id))
        if contents.shown.state == "confirmed" { return contents.shown }
        guard contents.shown.state == "open" else {
            throw StorageError(.conflict, "the proposal \(id) is \(contents.shown.state)")
        }
        guard contents.shown.refusals.isEmpty else {
            throw StorageError(
                .conflict, "the proposal \(id) cannot be confirmed: \(contents.shown.refusals.joined(separator: "; "))")
        }
        let context = GoalContext(
            turn: contents.shown.turn ?? "proposal \(contents.shown.id)", actor: actor ?? contents.actor,
            reason: contents.shown.summary)
        // Each write is idempotent by its id, so a confirmation that was killed can be repeated.
        contents.shown.result = try await carryOut(contents, context)
        let stored = try await service.store.proposals.resolve(
            contents.shown.id, as: "confirmed", body: try Self.text(contents))
        return try present(stored).shown
    }

    private func carryOut(_ contents: Contents, _ context: GoalContext) async throws -> [String] {
        if let action = contents.shown.action {
            let actions = [action] + (contents.shown.furtherActions ?? [])
            let times = [contents.at ?? 0] + (contents.furtherAt ?? [])
            for (action, at) in zip(actions, times) {
                _ = try await service.store.actions.add(action, at: Instant(milliseconds: at), context)
            }
            // The goal that the words name is that of the only action.
            if let goal = contents.goal, actions.count == 1 {
                _ = try? await service.store.matches.decide(
                    "confirmed", amount: nil, action: action.id, goal: goal, context)
            }
            return actions.map(\.id)
        }
        if let body = contents.goalBody { return [try await service.add(body, context).goal.id] }
        if let body = contents.valueBody { return [try await service.add(body, context).value.id] }
        if let body = contents.termBody, let term = contents.changedTerm {
            return [try await service.change(term: term, body, context).id]
        }
        if let body = contents.termBody { return [try await service.add(body, context).term.id] }
        if let undo = contents.undo {
            let undone = try await service.undo(undo, context)
            return undone.undone.prefix(200).map { "\($0)" }
        }
        return []
    }

    /// Rejects a proposal.
    ///
    /// - Throws: ``StorageError/Code/conflict`` for a confirmed one.
    package func reject(_ id: String) async throws -> GoalProposal {
        try present(try await service.store.proposals.resolve(id, as: "rejected", body: nil)).shown
    }
}

extension GoalService {
    /// Undoes a change or a turn.
    package func undo(_ wanted: GoalUndo, _ context: GoalContext) async throws -> GoalUndone {
        let what: GoalUndoing
        switch (wanted.change, wanted.turn) {
        case (let number?, nil): what = .change(number)
        case (nil, let turn?): what = .turn(turn)
        default: throw InvalidFields("change", expected: "either change or turn", got: "both or neither")
        }
        return GoalUndone(turn: context.turn, undone: try await store.history.undo(what, context))
    }
}
