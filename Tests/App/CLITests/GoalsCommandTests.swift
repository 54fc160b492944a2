import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

/// `selene goals`, `log`, `terms` and `review` as processes, against a gateway on a socket.
@Suite(.serialized) struct GoalsCommands {
    private func with(_ body: (ConnectedClient, RemoteGoalService) async throws -> Void) async throws {
        try await ConnectedClient.with(settings: ["backfill": "off", "goals_zone": "UTC"]) { setting in
            try await body(setting, RemoteGoalService(try setting.connection()))
        }
    }

    private func selene(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(arguments, setting, input: input, ["TZ": "UTC"])
    }

    /// A goal of 100 km that began 20 days ago and ends in 30.
    private func addRun(_ setting: ConnectedClient, _ service: RemoteGoalService) async throws -> String {
        let today = try await service.today().day
        let first = try #require(GoalDays.adding(-20, to: today))
        let last = try #require(GoalDays.adding(30, to: today))
        let added = try await selene(
            [
                "goals", "add", "Run 100 km", "--target", "100", "--unit", "km", "--from", first, "--to", last,
                "--word",
                "run", "--counts-unit", "km",
            ], setting)
        #expect(added.status == 0 && added.output.hasPrefix("added \"Run 100 km\""), "\(added.errors)")
        return today
    }

    @Test(.slow) func `a line is logged after a confirmation, counts, and is undone`() async throws {
        try await with { setting, service in
            _ = try await addRun(setting, service)
            let waits = try await selene(["log", "ran", "5", "km", "in", "28", "min"], setting)
            #expect(waits.status == 2 && waits.errors.contains("selene log --confirm "), "\(waits.errors)")
            #expect(waits.output.contains("amount      5 km, 28 min"), "\(waits.output)")
            #expect(waits.output.contains("counts for  Run 100 km +5 km (9"), "\(waits.output)")
            #expect(try await service.actions().actions.isEmpty, "nothing counts before it is confirmed")

            let listed = try await selene(["log", "--waiting"], setting)
            #expect(listed.status == 2)
            let id = try #require(listed.output.split(separator: " ").first)
            let done = try await selene(["log", "--confirm", String(id)], setting)
            #expect(
                done.status == 0 && done.output.hasPrefix("logged: Run, 5 km, 28 min\nundo: selene goals undo --turn "))
            #expect(try await selene(["log", "--waiting"], setting).status == 0)

            let list = try await selene(["goals", "list"], setting)
            #expect(list.output.contains("Run 100 km") && list.output.contains("5 of 100 km"), "\(list.output)")
            #expect(
                list.output.contains("▾ behind") && list.output.contains("│") && list.output.contains("30 days left"))
            let shown = try await selene(["goals", "show", "run 100"], setting)
            #expect(
                shown.status == 0 && shown.output.contains("█") && shown.output.contains("a day needed"),
                "\(shown.errors)")
            #expect(shown.output.contains("Run  5 km, 28 min"), "\(shown.output)")

            let turn = try #require(done.output.split(separator: "\"").dropFirst().first)
            let undone = try await selene(["goals", "undo", "--turn", String(turn)], setting)
            #expect(undone.status == 0 && undone.output.hasPrefix("undid "), "\(undone.errors)")
            #expect(try await service.actions().actions.isEmpty)
        }
    }

    @Test(.slow) func `yes confirms at once, a refused date never counts, and both are told by the exit code`()
        async throws
    {
        try await with { setting, service in
            _ = try await addRun(setting, service)
            let logged = try await selene(["log", "--yes", "--json", "ran 7 km"], setting)
            #expect(logged.status == 0, "\(logged.errors)")
            let proposal = try JSONDecoder().decode(GoalProposal.self, from: Data(logged.output.utf8))
            #expect(proposal.state == "confirmed" && proposal.result.count == 1)
            let refused = try await selene(["log", "--yes", "ran 3 km on 31 February"], setting)
            #expect(refused.status == 2 && refused.errors.contains("refused: "), "\(refused.errors)")
            #expect(try await service.actions().actions.count == 1)
            let latest = try await selene(["log"], setting)
            #expect(latest.output.contains("7 km"), "\(latest.output)")
            let removed = try await selene(["log", "--undo", proposal.result[0]], setting)
            #expect(
                removed.status == 0 && removed.output.contains("undo: selene goals undo --turn"), "\(removed.errors)")
            #expect(try await service.actions().actions.isEmpty)
        }
    }

    @Test(.slow) func `a terminal asks before it logs`() async throws {
        try await with { setting, service in
            _ = try await addRun(setting, service)
            let (first, asks) = try Screen.start(ClientProcess.process(["log", "ran 4 km"], setting, ["TZ": "UTC"]))
            #expect(await asks.shows("Log it? [Y/n] "))
            asks.type("n\n")
            #expect(await asks.shows("not logged"))
            #expect(await eventually { !first.isRunning })
            #expect(try await service.actions().actions.isEmpty)
            #expect(try await service.proposals(state: "open").proposals.isEmpty)
            let (second, again) = try Screen.start(ClientProcess.process(["log", "ran 4 km"], setting, ["TZ": "UTC"]))
            #expect(await again.shows("Log it? [Y/n] "))
            again.type("\n")
            #expect(await again.shows("logged: Run, 4 km"))
            #expect(await eventually { !second.isRunning })
            #expect(second.terminationStatus == 0)
            #expect(try await service.actions().actions.count == 1)
        }
    }

    @Test(.slow) func `goals are changed, skipped, removed and brought back, with history`() async throws {
        try await with { setting, service in
            let today = try await addRun(setting, service)
            let id = try await service.goals().goals[0].id
            let changed = try await selene(
                ["goals", "change", "run", "--target", "120", "--reason", "it went well"], setting)
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try await service.goal(id).target == GoalAmount(amount: 120, unit: "km"))
            let skipped = try await selene(["goals", "skip", String(id.prefix(8))], setting)
            #expect(skipped.output == "\"Run 100 km\" is skipped on \(today)\n", "\(skipped.errors)")
            #expect(try await selene(["goals", "skip", id, "--clear"], setting).status == 0)
            let history = try await selene(["goals", "history", "run"], setting)
            #expect(history.status == 0 && history.output.contains("it went well"), "\(history.output)")
            let remind = ["goals", "change", "run", "--remind", "19:30", "--remind-on", "fri,Mon"]
            #expect(try await selene(remind, setting).status == 0)
            #expect(try await service.goal(id).reminder == GoalReminder(at: "19:30", weekdays: [1, 5]))
            let shown = try await selene(["goals", "show", "run"], setting)
            #expect(shown.output.contains("reminds at 19:30 on mon, fri if nothing is logged"), "\(shown.output)")
            #expect(try await selene(["goals", "change", "run", "--remind", "off"], setting).status == 0)
            #expect(try await service.goal(id).reminder == nil)
            let removed = try await selene(["goals", "remove", "run"], setting)
            #expect(removed.status == 0 && removed.output.hasPrefix("removed \"Run 100 km\"\n"), "\(removed.errors)")
            let turn = try #require(removed.output.split(separator: "\"").last { $0.count > 3 })
            let back = try await selene(["goals", "undo", "--turn", String(turn)], setting)
            #expect(back.status == 0, "\(back.errors)")
            #expect(try await service.goal(id).target?.amount == 120)
            let asOf = try await selene(["goals", "show", id, "--day", today, "--json"], setting)
            let goal = try JSONDecoder().decode(GoalRecord.self, from: Data(asOf.output.utf8))
            #expect(goal.id == id && goal.progress?.day == today, "\(asOf.errors)")
        }
    }

    @Test(.slow) func `what may count waits for a decision`() async throws {
        try await with { setting, service in
            let today = try await addRun(setting, service)
            var action = ActionBody()
            action.title = .set("Walked home")
            action.amounts = .set([GoalAmount(amount: 6, unit: "km")])
            action.day = .set(today)
            let made = try await service.log(action)
            var decision = GoalDecision(action: made.id, goal: try await service.goals().goals[0].id, answer: "counted")
            decision.amount = 2.5
            #expect(
                try await selene(["goals", "decide", made.id, "run", "2.5"], setting).output
                    == "counts for Run 100 km +2.5 km\n")
            #expect(try await service.progress(of: decision.goal).achieved == 2.5)
            #expect(
                try await selene(["goals", "decide", made.id, "run", "no"], setting).output == "counts for no goal\n")
            #expect(try await selene(["goals", "questions"], setting).status == 0)
            #expect(try await selene(["goals", "decide", made.id, "run", "perhaps"], setting).status == 64)
        }
    }

    @Test(.slow) func `terms have a board, goals and a review`() async throws {
        try await with { setting, service in
            let today = try await addRun(setting, service)
            #expect(try await selene(["terms"], setting).status == 64, "there is none yet")
            let added = try await selene(["terms", "add", "--theme", "Steady", "--from", today], setting)
            #expect(added.status == 0 && added.output.contains("term 1 \"Steady\""), "\(added.errors)")
            let committed = try await selene(["terms", "commit", "run"], setting)
            #expect(committed.output == "term 1 has 1 goals now\n", "\(committed.errors)")
            let board = try await selene(["terms"], setting)
            #expect(
                board.output.contains("week 1 of 10") && board.output.contains("To begin: 1\n○ not begun  Run 100 km"),
                "\(board.output)")
            let list = try await selene(["terms", "list", "--json"], setting)
            #expect(try JSONDecoder().decode(TermList.self, from: Data(list.output.utf8)).terms.count == 1)
            let looked = try await selene(["terms", "change", "1", "--reflection", "More mornings."], setting)
            #expect(looked.status == 0, "\(looked.errors)")
            #expect(try await selene(["terms"], setting).output.hasSuffix("\nMore mornings.\n"))
            _ = try await selene(["log", "--yes", "ran 9 km"], setting)
            let review = try await selene(["review", "term", "--save"], setting)
            #expect(
                review.status == 0 && review.output.contains("+9 km") && review.output.contains("kept as note "),
                "\(review.errors)\(review.output)")
            let week = try await selene(["review", "week", "--day", today, "--json"], setting)
            #expect(
                try JSONDecoder().decode(GoalReview.self, from: Data(week.output.utf8)).actions == 1, "\(week.errors)")
            #expect(
                try await selene(["terms", "commit", "run", "--drop"], setting).output == "term 1 has 0 goals now\n")
        }
    }

    @Test func `an export is imported again and adds nothing`() async throws {
        try await with { setting, service in
            _ = try await addRun(setting, service)
            _ = try await selene(["log", "--yes", "ran 9 km"], setting)
            let export = try await selene(["goals", "export"], setting)
            #expect(export.status == 0 && export.output.hasPrefix("{"), "\(export.errors)")
            let file = FileManager.default.temporaryDirectory.appending(path: "selene-\(UUID().uuidString).jsonl")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(export.output.utf8).write(to: file)
            let report = try await selene(["goals", "import", file.path, "--json"], setting)
            let read = try JSONDecoder().decode(GoalImportReport.self, from: Data(report.output.utf8))
            #expect(report.status == 0 && read.added.values.reduce(0, +) == 0 && read.same > 0, "\(report.errors)")
            #expect(try await selene(["goals", "export"], setting).output == export.output)
        }
    }

    @Test(.slow) func `wrong usage, unknown goals and a gateway that is away have their exit codes`() async throws {
        try await with { setting, service in
            _ = try await addRun(setting, service)
            _ = try await selene(["goals", "add", "Run faster"], setting)
            for wrong in [
                ["goals", "show", "nothing"], ["goals", "add", "x", "--rule", "odd"],
                ["goals", "add", "x", "--length", "3"],
                ["goals", "add", "x", "--to", "2026-02-31"], ["goals", "undo"], ["goals", "undo", "1", "--turn", "x"],
                ["log", "x", "--waiting"], ["log", "--days", "0"], ["review", "week", "--term", "1"],
                ["terms", "show", "9"],
                ["goals", "change", "run 100"], ["goals", "change", "run 100", "--remind", "7:30"],
                ["goals", "change", "run 100", "--remind-on", "mon"],
                ["goals", "add", "x", "--remind", "07:30", "--remind-on", "mon,mon"],
            ] {
                #expect(try await selene(wrong, setting).status == 64, "\(wrong)")
            }
            let both = try await selene(["goals", "show", "run"], setting)
            #expect(
                both.status == 64 && both.errors.contains("fits several goals") && both.errors.contains("Run faster"))
            let strict = try await selene(["goals", "add", "x", "--kind", "smart"], setting)
            #expect(strict.status == 1 && strict.errors.contains("target_date"), "\(strict.errors)")
            let away = try await ClientProcess.run(["goals"], setting, ["SELENE_URL": "http://127.0.0.1:9"])
            #expect(away.status == 1)
            let today = try await selene(["goals"], setting)
            #expect(today.status == 0 && today.output.contains("Due: "), "\(today.errors)")
        }
    }
}

/// Calendar days of tests.
enum GoalDays {
    static func adding(_ days: Int, to day: String) -> String? {
        guard let date = try? Date(day, strategy: .iso8601.year().month().day()) else { return nil }
        return (date + Double(days) * 86_400).formatted(.iso8601.year().month().day())
    }
}
