import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene goals today`
struct GoalsTodayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Show what is due today, and what was logged (the default).")

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let today = try await service.today(zone: GoalOptions.zone)
            try Terminal.report(today, asJSON: goal.json) { Self.write(today) }
        }
    }

    private static func write(_ today: GoalsToday) {
        let terms = today.terms.map { term in
            "term \(term.number)" + (term.week.map { ", week \($0) of \(term.weeks)" } ?? "")
        }
        Terminal.line(Terminal.bold(SafeText(oneLine: ([today.day] + terms).joined(separator: " · "))))
        let due = today.goals.filter { $0.progress?.isDue == true && $0.progress?.isDone == false }
        let done = today.goals.filter { $0.progress?.isDone == true }
        if today.goals.isEmpty { Terminal.line("No goals run today. Add one: selene goals add TITLE") }
        for (name, goals) in [("Due", due), ("Done", done)] where !goals.isEmpty {
            Terminal.line()
            Terminal.line(Terminal.bold(SafeText("\(name): \(goals.count)")))
            GoalsListCommand.write(goals)
        }
        if !today.actions.isEmpty {
            Terminal.line()
            Terminal.line(Terminal.bold("Logged"))
            LogCommand.write(today.actions, hasDays: false)
        }
        GoalText.note(today.matching)
        if today.questions > 0 {
            Terminal.line("\n\(today.questions) wait for your decision: selene goals questions")
        }
        if today.proposals > 0 { Terminal.line("\(today.proposals) wait to be confirmed: selene log --waiting") }
    }
}

/// `selene goals list`
struct GoalsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List goals with their progress, those that end first on top.")

    @Option(help: "Only goals with this text in title, description or notes.")
    var query: String?

    @Option(help: "Only goals of a term: its number or id.")
    var term: String?

    @Option(help: "Maximum number of goals, 1 to 1000.")
    var limit = 200

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit: expected 1 to 1000, got \(limit)") }
    }

    func run() async throws {
        try await goal.reported { service in
            var id: String?
            if let term { id = try await GoalChoice.term(term, service).id }
            var found = GoalList()
            repeat {
                let page = PageRequest(limit: min(200, limit - found.goals.count), cursor: found.nextCursor)
                let next = try await service.goals(matching: query, term: id, hasProgress: true, page)
                found = GoalList(
                    goals: found.goals + next.goals, nextCursor: next.nextCursor, matching: next.matching)
            } while found.nextCursor != nil && found.goals.count < limit
            try Terminal.report(found, asJSON: goal.json) {
                if found.goals.isEmpty { Terminal.line("No goals. Add one: selene goals add TITLE") }
                Self.write(found.goals)
                GoalText.note(found.matching)
                if found.nextCursor != nil { Terminal.line(Terminal.dim("There are more: --limit")) }
            }
        }
    }

    /// Writes a row for each goal: status, title, bar, share, figure, days left, beginning of the id.
    static func write(_ goals: [GoalRecord]) {
        var table = TextTable(right: [3])
        for goal in goals {
            guard let progress = goal.progress else {
                table.add("", goal.title, "", "", "", "", String(goal.id.prefix(8)))
                continue
            }
            table.add(
                GoalText.status(progress.status), goal.title,
                GoalGraphics.bar(progress.fraction, expected: GoalText.expected(goal, progress), width: 16),
                GoalGraphics.percent(progress.fraction), GoalText.figure(goal, progress),
                GoalText.daysLeft(goal, progress) ?? "", String(goal.id.prefix(8)))
        }
        table.write()
    }
}

/// `selene goals show GOAL`
struct GoalsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a goal: its course, its pace, where it ends, what counts.",
        discussion: """
            The line of blocks has a column for each day since the first entry; a gap is a day without an entry. │ in the bar \
            is where it should be by now.
            """)

    @Argument(help: "The goal's title, a part of it, or its id.")
    var name: String

    @Option(help: "As of this day, such as 2026-11-01 (default: today).")
    var day: DayArgument?

    @Option(help: "Maximum number of actions, 0 to 200.")
    var actions = 5

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard (0...200).contains(actions) else { throw ValidationError("--actions: expected 0 to 200, got \(actions)") }
    }

    func run() async throws {
        try await goal.reported { service in
            let id = try await GoalChoice.goal(name, service).id
            var found = try await service.goal(id)
            if let day {
                do {
                    found = try await service.goal(id, asOf: day.text)
                } catch let error as GatewayClientError where error.status == 404 {
                    if !goal.json {
                        Terminal.note(
                            "the history begins later: the goal is as it is now, its figures as of \(day.text)")
                    }
                }
            }
            let progress = try await service.progress(of: id, on: day?.text, zone: GoalOptions.zone)
            found.progress = progress
            if goal.json { return Terminal.line(try JSONOutput.text(found)) }
            Self.write(found, progress)
            GoalText.note(progress.matching)
            guard actions > 0 else { return }
            let counted = try await service.actions(to: day?.text, goal: id, .first(actions)).actions
            if !counted.isEmpty { Terminal.line() }
            LogCommand.write(counted, hasDays: true)
        }
    }

    private static func write(_ goal: GoalRecord, _ progress: GoalProgress) {
        Terminal.line(Terminal.bold(SafeText(oneLine: goal.title)) + "  \(goal.id)")
        let expected = GoalText.expected(goal, progress)
        var facts = [GoalText.figure(goal, progress), GoalText.daysLeft(goal, progress)].compactMap(\.self)
        if let time = expected { facts.append("\(GoalGraphics.percent(time)) of the time is over") }
        if goal.rule.kind != "each", let required = progress.pace?.required, required > 0, progress.fraction < 1 {
            facts.append("\(GoalText.amount(required, progress.unit)) a day needed")
        }
        if let streak = progress.currentStreak { facts.append("\(streak) in a row now") }
        if let score = progress.score { facts.append("habit strength \(GoalGraphics.percent(score))") }
        Terminal.line(
            "\(GoalGraphics.bar(progress.fraction, expected: expected, width: 30)) "
                + "\(GoalGraphics.percent(progress.fraction))  \(GoalText.status(progress.status))")
        Terminal.line(facts.joined(separator: " · "))
        for line in GoalText.projection(goal, progress) { Terminal.line(line) }
        if let line = GoalText.sparkline(progress, columns: max(20, min(60, Terminal.columns - 4))) {
            Terminal.line(line)
        }
        if let windows = progress.windows, !windows.isEmpty { Terminal.line(GoalText.windows(windows)) }
        if let reminder = goal.reminder {
            let days = reminder.weekdays?.compactMap { (0...6).contains($0) ? WeekdaysArgument.names[$0] : nil }
            let on = days.map { " on \($0.joined(separator: ", "))" } ?? ""
            Terminal.line(SafeText(oneLine: "reminds at \(reminder.at)\(on) if nothing is logged"))
        }
        if let why = goal.relevance { Terminal.line("why: \(why)") }
        if !goal.keywords.isEmpty { Terminal.line("words: \(goal.keywords.joined(separator: ", "))") }
        if !goal.units.isEmpty { Terminal.line("units: \(goal.units.joined(separator: ", "))") }
    }
}

/// `selene goals values`
struct GoalsValuesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "values", abstract: "List values, the first ones first.")

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let found = try await service.values(.first(200))
            try Terminal.report(found, asJSON: goal.json) {
                if found.values.isEmpty { Terminal.line("No values.") }
                var table = TextTable(right: [0])
                for value in found.values {
                    table.add(
                        String(value.priority), value.title, value.kind, value.lifeDomain ?? "",
                        value.goals.count == 1 ? "1 goal" : "\(value.goals.count) goals")
                }
                table.write()
            }
        }
    }
}
