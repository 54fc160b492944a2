import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene log`: logs what one did, in one line.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Log what you did, in a line of English or German, through a running gateway.",
        discussion: """
            The gateway reads activity, amounts, duration, day and time. What it read is shown first and counts only once you \
            confirm it. Dates that do not exist or lie ahead are refused. Nothing is guessed: words that no rule understands are named.

              selene log ran 5 km in 28 min yesterday before work
              selene log --yes "gestern 20 Seiten gelesen"
              selene log                      what was logged in the last 7 days
              selene log --waiting            what waits to be confirmed
              selene log --confirm ID         confirms it
              selene log --undo ID            deletes an action; it can be undone

            On a terminal you are asked; elsewhere --yes confirms.

            Exit codes: 0 done, 1 failed, 2 it waits to be confirmed or was refused, 64 wrong usage.
            """)

    @Argument(help: "What you did; all words are one line.")
    var words: [String] = []

    @Flag(name: .shortAndLong, help: "Confirm it at once if nothing is refused.")
    var yes = false

    @Flag(help: "List proposals that wait to be confirmed.")
    var waiting = false

    @Option(help: "Confirm the proposal with this id.")
    var confirm: String?

    @Option(help: "Reject the proposal with this id.")
    var reject: String?

    @Option(name: .customLong("undo"), help: "Delete the action with this id.")
    var removed: String?

    @Option(help: "Days to list, 1 to 366, without words.")
    var days = 7

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        let given = [!words.isEmpty, waiting, confirm != nil, reject != nil, removed != nil].count { $0 }
        guard given <= 1 else {
            throw ValidationError("give only one of WORDS, --waiting, --confirm, --reject and --undo")
        }
        guard (1...366).contains(days) else { throw ValidationError("--days: expected 1 to 366, got \(days)") }
        let bytes = words.joined(separator: " ").utf8.count
        guard bytes <= 4096 else { throw ValidationError("a line has 4096 bytes at most, this one has \(bytes)") }
    }

    func run() async throws {
        try await goal.reported { service in
            if let confirm { return try finish(try await service.confirm(confirm)) }
            if let reject { return try finish(try await service.reject(reject)) }
            if let removed {
                let action = try await service.action(removed)
                try await service.delete(action: removed)
                let hint = goal.json ? nil : try await GoalChoice.undoHint(removed, service)
                return try Terminal.report(action, asJSON: goal.json) {
                    Terminal.line("deleted \"\(action.title ?? removed)\"")
                    if let hint { Terminal.line(Terminal.dim(SafeText(oneLine: hint))) }
                }
            }
            if waiting { return try await list(service) }
            if words.isEmpty { return try await latest(service) }
            try await log(words.joined(separator: " "), service)
        }
    }

    private func log(_ text: String, _ service: RemoteGoalService) async throws {
        var proposal = try await service.read(ActionText(text: text, zone: GoalOptions.zone))
        if proposal.state == "confirmed" { return try finish(proposal) }
        if !goal.json { Self.write(proposal) }
        let isClear = proposal.refusals.isEmpty && proposal.action != nil
        var isWanted = yes && isClear
        if isClear, !yes, !goal.json, LineInput.isTerminal {
            let answer = await LineInput.next(prompt: "Log it? [Y/n] ")
            isWanted = answer.map { ["", "y", "yes", "j", "ja"].contains($0.lowercased()) } ?? false
            if !isWanted {
                try await service.reject(proposal.id)
                Terminal.line("not logged")
                return
            }
        }
        if isWanted {
            proposal = try await service.confirm(proposal.id)
            return try finish(proposal)
        }
        if goal.json { Terminal.line(try JSONOutput.text(proposal)) }
        if isClear { Terminal.note("not logged yet: selene log --confirm \(proposal.id), or use --yes") }
        throw ExitCode(2)
    }

    /// Says what became of a proposal.
    private func finish(_ proposal: GoalProposal) throws {
        try Terminal.report(proposal, asJSON: goal.json) {
            guard proposal.state == "confirmed" else { return Terminal.line("\(proposal.state): \(proposal.summary)") }
            let only = proposal.furtherActions == nil ? proposal.action : nil
            let what = only.map { action in
                [action.title, GoalText.measured(action)].compactMap { $0 }.filter { !$0.isEmpty }.joined(
                    separator: ", ")
            }
            Terminal.line("logged: \(what ?? proposal.summary)")
            if let turn = proposal.turn {
                Terminal.line(Terminal.dim(SafeText(oneLine: "undo: selene goals undo --turn \"\(turn)\"")))
            }
        }
    }

    /// Writes what was read, and what it would count for.
    static func write(_ proposal: GoalProposal) {
        // What is refused counts for nothing, so its day and goals are not shown.
        if let action = proposal.action, proposal.refusals.isEmpty {
            var table = TextTable()
            table.add("what", action.title ?? "untitled")
            if !GoalText.measured(action).isEmpty { table.add("amount", GoalText.measured(action)) }
            table.add("day", action.day)
            if let time = action.startTime { table.add("time", time) }
            for action in proposal.furtherActions ?? [] {
                let parts = [action.title, GoalText.measured(action), action.day].compactMap { $0 }.filter {
                    !$0.isEmpty
                }
                table.add("and", parts.joined(separator: ", "))
            }
            for match in proposal.matches ?? [] where match.verdict != "no" {
                let adds = match.amount.map { " +\(GoalText.amount($0, match.unit))" } ?? ""
                let sure = "\(GoalGraphics.percent(match.confidence)) sure"
                table.add(
                    match.verdict == "counts" ? "counts for" : "may count for",
                    "\(match.title ?? match.goal)\(adds) (\(sure): \(match.shares.map(\.reason).joined(separator: "; ")))"
                )
            }
            table.write()
        } else if proposal.kind != "log_action" {
            Terminal.line(SafeText(oneLine: proposal.summary))
        }
        if !proposal.unread.isEmpty { Terminal.note("not understood: \(proposal.unread.joined(separator: ", "))") }
        for refusal in proposal.refusals { Terminal.note("refused: \(refusal)") }
    }

    private func list(_ service: RemoteGoalService) async throws {
        let found = try await service.proposals(state: "open", .first(200))
        try Terminal.report(found, asJSON: goal.json) {
            if found.proposals.isEmpty { Terminal.line("Nothing waits.") }
            for one in found.proposals { Terminal.line(SafeText(oneLine: "\(one.id)  \(one.summary)")) }
        }
        if !found.proposals.isEmpty { throw ExitCode(2) }
    }

    private func latest(_ service: RemoteGoalService) async throws {
        let today = try await service.today(zone: GoalOptions.zone).day
        let first = GoalText.day(today, adding: 1 - days) ?? today
        let found = try await service.actions(from: first, to: today, .first(200))
        try Terminal.report(found, asJSON: goal.json) {
            if found.actions.isEmpty { Terminal.line("Nothing was logged since \(first). Log: selene log ran 5 km") }
            Self.write(found.actions, hasDays: true)
            GoalText.note(found.matching)
        }
    }

    /// Writes a row for each action: day, title, amounts, what it counts for.
    static func write(_ actions: [ActionRecord], hasDays: Bool) {
        var table = TextTable()
        for action in actions {
            let counted = GoalText.counted(action)
            let row = [action.title ?? "untitled", GoalText.measured(action), counted.isEmpty ? "" : "for \(counted)"]
            hasDays ? table.add(action.day, row[0], row[1], row[2]) : table.add(row[0], row[1], row[2])
        }
        table.write()
    }
}
