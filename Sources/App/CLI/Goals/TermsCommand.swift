import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene terms`: terms and their boards.
struct TermsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terms",
        abstract: "See and plan terms, usually of ten weeks, through a running gateway.",
        discussion: """
            A term has a theme and a few goals that you committed to.

              selene terms                              the board of the term that runs
              selene terms list
              selene terms add --theme Steady           ten weeks from the end of the latest term
              selene terms commit "run 300" "read"      goals for the term that runs
              selene terms commit "read" --term 8 --drop
              selene terms change 7 --reflection "More mornings, fewer plans."

            Exit codes: 0 done, 1 failed, 64 wrong usage, or no such term.
            """,
        subcommands: [Show.self, List.self, Add.self, Change.self, Commit.self], defaultSubcommand: Show.self)

    /// `selene terms show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the board of a term (the default).")

        @Argument(help: "The term's number or id (default: the one that runs, else the latest).")
        var term: String?

        @OptionGroup var goal: GoalOptions

        /// The output of `--json`.
        private struct Board: Encodable {
            var term: TermRecord
            var goals: [GoalRecord]
        }

        func run() async throws {
            try await goal.reported { service in
                let found = try await GoalChoice.term(term, service)
                let page = try await service.goals(term: found.id, hasProgress: true, .first(200))
                let order = Dictionary(found.goals.enumerated().map { ($1, $0) }) { first, _ in first }
                let goals = page.goals.sorted { (order[$0.id] ?? .max) < (order[$1.id] ?? .max) }
                try Terminal.report(Board(term: found, goals: goals), asJSON: goal.json) { Self.write(found, goals) }
            }
        }

        private static func write(_ term: TermRecord, _ goals: [GoalRecord]) {
            Terminal.line(Terminal.bold(SafeText(oneLine: TermsCommand.line(term))))
            if let week = term.week {
                let over = min(term.weeks, max(0, week - 1))
                let left = min(60, max(0, term.weeks - over - 1))
                Terminal.line(
                    String(repeating: "■", count: min(60, over)) + "▣" + String(repeating: "□", count: left)
                        + "  week \(week) of \(term.weeks)")
            }
            if goals.isEmpty { Terminal.line("No goals are committed: selene terms commit GOAL") }
            let groups = [
                ("Behind", ["behind", "overdue"]), ("To begin", ["not_started"]), ("On track", ["on_track"]),
                ("Reached", ["complete", "overachieved"]),
            ]
            for (name, states) in groups {
                let found = goals.filter { states.contains($0.progress?.status ?? "not_started") }
                guard !found.isEmpty else { continue }
                Terminal.line()
                Terminal.line(Terminal.bold(SafeText("\(name): \(found.count)")))
                GoalsListCommand.write(found)
            }
            if let reflection = term.reflection { Terminal.line("\n\(reflection)") }
        }
    }

    /// `selene terms list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List terms, latest first.")

        @OptionGroup var goal: GoalOptions

        func run() async throws {
            try await goal.reported { service in
                let found = try await service.terms(.first(200))
                try Terminal.report(found, asJSON: goal.json) {
                    if found.terms.isEmpty { Terminal.line("No terms. Add one: selene terms add --theme THEME") }
                    for term in found.terms { Terminal.line(SafeText(oneLine: TermsCommand.line(term))) }
                }
            }
        }
    }

    /// `selene terms add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Plan a term.")

        @Option(help: "What it is about.")
        var theme: String?

        @Option(help: "The first day (default: after the latest term, or today).")
        var from: DayArgument?

        @Option(help: "The last day (default: ten weeks).")
        var to: DayArgument?

        @OptionGroup var goal: GoalOptions

        func run() async throws {
            try await goal.reported { service in
                var body = TermBody()
                if let theme { body.theme = .set(theme) }
                if let from { body.startDate = .set(from.text) }
                if let to { body.targetDate = .set(to.text) }
                let made = try await service.add(body)
                try Terminal.report(made, asJSON: goal.json) { Terminal.line("added \(TermsCommand.line(made))") }
            }
        }
    }

    /// `selene terms change TERM`
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change a term.")

        @Argument(help: "The term's number or id.")
        var term: String

        @Option(help: "What it is about.")
        var theme: String?

        @Option(help: "The last day.")
        var to: DayArgument?

        @Option(help: "planned, active, completed, delayed, on_hold or cancelled.")
        var status: String?

        @Option(help: "What you make of it.")
        var reflection: String?

        @OptionGroup var goal: GoalOptions

        func run() async throws {
            try await goal.reported { service in
                let old = try await GoalChoice.term(term, service)
                var body = TermBody()
                if let theme { body.theme = .set(theme) }
                if let to { body.targetDate = .set(to.text) }
                if let status { body.status = .set(status) }
                if let reflection { body.reflection = .set(reflection) }
                guard body != TermBody() else { throw ValidationError("nothing to change: give at least one field") }
                let changed = try await service.change(term: old.id, body)
                try Terminal.report(changed, asJSON: goal.json) {
                    Terminal.line("changed \(TermsCommand.line(changed))")
                }
            }
        }
    }

    /// `selene terms commit GOAL…`
    struct Commit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Commit goals to a term, or drop them from it.")

        @Argument(help: "Titles, parts of them, or ids of goals.")
        var goals: [String]

        @Option(help: "The term's number or id (default: the one that runs, else the latest).")
        var term: String?

        @Flag(help: "Drop the goals from the term.")
        var drop = false

        @OptionGroup var goal: GoalOptions

        func run() async throws {
            try await goal.reported { service in
                let old = try await GoalChoice.term(term, service)
                var ids: [String] = []
                for name in goals { ids.append(try await GoalChoice.goal(name, service).id) }
                let others = old.goals.filter { !ids.contains($0) }
                var body = TermBody()
                body.goals = .set(drop ? others : old.goals + ids.filter { !old.goals.contains($0) })
                let changed = try await service.change(term: old.id, body)
                try Terminal.report(changed, asJSON: goal.json) {
                    Terminal.line("term \(changed.number) has \(changed.goals.count) goals now")
                }
            }
        }
    }

    static func line(_ term: TermRecord) -> String {
        let name = [term.theme ?? term.title].compactMap(\.self).map { " \"\($0)\"" }.joined()
        return
            "term \(term.number)\(name)  \(term.startDate) to \(term.targetDate)  \(term.status)  \(term.goals.count) goals"
    }
}
