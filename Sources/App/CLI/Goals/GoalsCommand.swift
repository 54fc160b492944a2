import ArgumentParser
import Foundation
import GatewayClient

/// `selene goals`: goals and their progress, through a running gateway.
struct GoalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "goals",
        abstract: "See, add and change goals, with progress and history, through a running gateway.",
        discussion: """
            A goal has a target, such as 300 km, days on which it counts, and words such as "run". Actions that you log count \
            for the goals that they fit. A goal is named by its title, a part of it, or its id.

              selene goals                                    what is due today
              selene goals list                               all goals, with a bar each
              selene goals add "Run 300 km" --target 300 --unit km --from 2026-10-01 --to 2027-03-31 --word run
              selene goals add "Read daily" --target 20 --unit pages --rule each-day --to 2027-01-10
              selene goals show "run 300"                     the course, the pace, where it ends
              selene goals show "run 300" --day 2026-11-01    as of an earlier day
              selene goals change "run 300" --target 320      counts from today on
              selene goals skip "read daily"                  today is neither kept nor missed
              selene goals questions                          actions that wait for your decision
              selene goals history "run 300"
              selene goals undo 17
              selene log ran 5 km in 28 min yesterday
              selene terms
              selene review

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read, to change something notes:write.

            Exit codes: 0 done, 1 failed, 2 something waits for you, 64 wrong usage, or no such goal.
            """,
        subcommands: [
            GoalsTodayCommand.self, GoalsListCommand.self, GoalsShowCommand.self, GoalsAddCommand.self,
            GoalsChangeCommand.self, GoalsRemoveCommand.self, GoalsSkipCommand.self, GoalsQuestionsCommand.self,
            GoalsDecideCommand.self, GoalsValuesCommand.self, GoalsHistoryCommand.self, GoalsUndoCommand.self,
            GoalsExportCommand.self, GoalsImportCommand.self,
        ], defaultSubcommand: GoalsTodayCommand.self)
}

/// The flags of every command on goals.
struct GoalOptions: ParsableArguments {
    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Calls the gateway. Its refusals end the command with a message and exit code 1.
    func reported(_ body: (RemoteGoalService) async throws -> Void) async throws {
        try await GatewayOptions.reported(isJSON: json) { try await body(RemoteGoalService(try gateway.connect())) }
    }

    /// The zone of this machine, which decides what is today.
    static var zone: String { TimeZone.current.identifier }
}

/// A calendar day on the command line: `2026-11-22`.
struct DayArgument: ExpressibleByArgument, Sendable {
    let text: String

    init?(argument: String) {
        guard argument.count == 10, GoalText.dayNumber(argument) != nil else { return nil }
        text = argument
    }
}
