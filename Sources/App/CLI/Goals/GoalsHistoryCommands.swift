import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene goals questions`
struct GoalsQuestionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "questions", abstract: "List actions that may count for a goal.",
        discussion: """
            Nothing of them is counted before you decide:

              selene goals decide 5D1E0A77 "run 300" yes

            Exit code 2 if there is any.
            """)

    @Option(help: "Maximum number of questions, 1 to 200.")
    var limit = 50

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit: expected 1 to 200, got \(limit)") }
    }

    func run() async throws {
        try await goal.reported { service in
            let found = try await service.questions(.first(limit))
            try Terminal.report(found, asJSON: goal.json) {
                if found.questions.isEmpty { Terminal.line("No questions.") }
                for one in found.questions {
                    let adds = one.match.amount.map { " (+\(GoalText.amount($0, one.match.unit)))" } ?? ""
                    Terminal.line(
                        "\(one.action.id.prefix(8))  \(one.action.day)  \(one.action.title ?? "untitled")  "
                            + "\(GoalText.measured(one.action))")
                    Terminal.line(
                        "          for \(one.match.title ?? one.match.goal)\(adds)? "
                            + "\(GoalGraphics.percent(one.match.confidence)) sure: "
                            + one.match.shares.map(\.reason).joined(separator: "; "))
                }
            }
            if !found.questions.isEmpty { throw ExitCode(2) }
        }
    }
}

/// `selene goals decide ACTION GOAL ANSWER`
struct GoalsDecideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide", abstract: "Say whether an action counts for a goal.")

    @Argument(help: "The action's id, or the beginning of it that `questions` prints.")
    var action: String

    @Argument(help: "The goal's title, a part of it, or its id.")
    var name: String

    @Argument(help: "yes, no, an amount in the goal's unit, or forget (ask again).")
    var answer: String

    @OptionGroup var goal: GoalOptions

    /// The answer as the API takes it.
    private func decision(_ action: String, _ goal: String) throws -> GoalDecision {
        switch answer {
        case "yes": return GoalDecision(action: action, goal: goal, answer: "confirmed")
        case "no": return GoalDecision(action: action, goal: goal, answer: "rejected")
        case "forget": return GoalDecision(action: action, goal: goal, answer: "open")
        default:
            guard let amount = Double(answer), amount.isFinite, amount >= 0 else {
                throw ValidationError("expected yes, no, an amount or forget, got \"\(answer)\"")
            }
            return GoalDecision(action: action, goal: goal, answer: "counted", amount: amount)
        }
    }

    func validate() throws { _ = try decision("", "") }

    func run() async throws {
        try await goal.reported { service in
            var id = action
            if !GoalChoice.isWholeID(action) {
                let open = try await service.questions(.first(200)).questions.map(\.action.id)
                let found = Set(open.filter { $0.lowercased().hasPrefix(action.lowercased()) })
                guard let one = found.first, found.count == 1 else {
                    throw ValidationError("no single question has an action \"\(action)\": selene goals questions")
                }
                id = one
            }
            let chosen = try await GoalChoice.goal(name, service)
            let changed = try await service.decide(try decision(id, chosen.id))
            try Terminal.report(changed, asJSON: goal.json) {
                let counted = GoalText.counted(changed)
                Terminal.line(counted.isEmpty ? "counts for no goal" : "counts for \(counted)")
            }
        }
    }
}

/// `selene goals history [GOAL]`
struct GoalsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List changes of goals, actions, values and terms, latest first.",
        discussion: """
            Changes by other programs are listed, too. Each line begins with the number that `selene goals undo` takes.
            """)

    @Argument(help: "Only this goal: its title, a part of it, or its id. An id of an action, value or term works, too.")
    var name: String?

    @Option(help: "Only this table: goals, actions, values, terms or measures.")
    var table: String?

    @Option(help: "Only this turn of a conversation or command.")
    var turn: String?

    @Option(help: "Maximum number of changes, 1 to 200.")
    var limit = 30

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit: expected 1 to 200, got \(limit)") }
    }

    func run() async throws {
        try await goal.reported { service in
            var id = name
            if let name, !GoalChoice.isWholeID(name) { id = try await GoalChoice.goal(name, service).id }
            let found = try await service.history(table: table, id: id, turn: turn, .first(limit))
            try Terminal.report(found, asJSON: goal.json) {
                if found.changes.isEmpty { Terminal.line("No changes.") }
                for change in found.changes { Self.write(change) }
            }
        }
    }

    private static func write(_ change: GoalChange) {
        let who = [change.actor ?? "another program", change.reason].compactMap(\.self).joined(separator: ": ")
        Terminal.line(
            Terminal.bold(SafeText("\(change.number)"))
                + SafeText(oneLine: "  \(change.at)  \(change.operation) \(change.table) \(change.row)  \(who)"))
        // NULL and absent are the same here: a field that has neither value says nothing.
        let fields = change.fields.filter { $0.old != nil || $0.new != nil }
        for field in fields.prefix(12) {
            let (old, new) = (GoalText.value(field.old), GoalText.value(field.new))
            let line =
                field.old == nil
                ? "+ \(new)" : field.new == nil ? "- \(old)" : "\(old) → \(new)"
            Terminal.line(SafeText(oneLine: "    \(field.column): \(line)"))
        }
        if fields.count > 12 { Terminal.line("    and \(fields.count - 12) more") }
    }
}

/// `selene goals undo`
struct GoalsUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo one change, or a whole turn.",
        discussion:
            "A row that was changed since is left alone, with the reason. Undoing is a turn that can be undone, too.")

    @Argument(help: "The number of a change, as `selene goals history` prints it.")
    var change: Int64?

    @Option(help: "A turn, with all of its changes.")
    var turn: String?

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard (change == nil) != (turn == nil) else { throw ValidationError("give either a change's number or --turn") }
    }

    func run() async throws {
        try await goal.reported { service in
            let done = try await service.undo(GoalUndo(change: change, turn: turn))
            try Terminal.report(done, asJSON: goal.json) {
                let count = done.undone.count == 1 ? "1 change" : "\(done.undone.count) changes"
                Terminal.line("undid \(count); take it back: selene goals undo --turn \"\(done.turn)\"")
            }
        }
    }
}

/// `selene goals export`
struct GoalsExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print everything as JSON lines, or the actions as CSV.",
        discussion: "  selene goals export > goals.jsonl")

    @Flag(help: "Print the actions as CSV.")
    var csv = false

    @OptionGroup var gateway: GatewayOptions

    func run() async throws {
        try await GatewayOptions.reported {
            let data = try await RemoteGoalService(try gateway.connect()).export(format: csv ? "csv" : "jsonl")
            // The bytes as they came, so that an import gives the same rows; on a terminal without control characters.
            if Terminal.isOutputTerminal {
                Terminal.write(String(decoding: data, as: UTF8.self))
            } else {
                try FileHandle.standardOutput.write(contentsOf: data)
            }
        }
    }
}

/// `selene goals import FILE`
struct GoalsImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add the rows of an export, of CSV, or of a database of the original app.",
        discussion: "Rows that are there already are not added again. Exit code 2 if rows were refused.")

    @Argument(help: "The file: JSON lines, CSV or SQLite.")
    var file: String

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let data = try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
            let report = try await service.importing(data)
            try Terminal.report(report, asJSON: goal.json) {
                for (table, count) in report.added.sorted(by: { $0.key < $1.key }) {
                    Terminal.line("added \(count) \(table)")
                }
                Terminal.line("\(report.same) were there already; undo: selene goals undo --turn \"\(report.turn)\"")
                for one in report.refused { Terminal.note("refused \(one.table) \(one.row): \(one.reason)") }
                let others = report.refusals - report.refused.count
                if others > 0 { Terminal.note("and \(others) more") }
            }
            if report.refusals > 0 { throw ExitCode(2) }
        }
    }
}
