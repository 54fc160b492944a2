import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene briefing`: the briefing of a day, through a running gateway.
struct BriefingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "briefing",
        abstract: "Show the briefing of today, through a running gateway.",
        discussion: """
            A briefing has open tasks, new threads and those that got more notes than usual, similar notes, notes of this day \
            in other years, old notes that are close to new ones, and the books that you are reading. It is made once a day, \
            by the first who asks for it. The gateway makes it at SELENE_BRIEFING_AT.

              selene briefing
              selene briefing --day 2026-11-22
              selene briefing --again          makes today's anew

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read, for --again also notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Option(help: "A day with a stored briefing (default: today).")
    var day: DayArgument?

    @Flag(help: "Make the briefing of today anew.")
    var again = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if again, day != nil { throw ValidationError("--again goes without --day: only today's briefing can be made") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            if again {
                var job = try await service.startBriefing(BriefingJobRequest(again: true))
                while !job.state.isFinal {
                    try await Task.sleep(for: .milliseconds(200))
                    job = try await service.job(job.id)
                }
                guard job.state == .done else {
                    Terminal.note(
                        "selene: the briefing was not made: \(SafeText(oneLine: job.message ?? job.state.rawValue))")
                    throw ExitCode.failure
                }
            }
            let briefing = try await service.briefing(of: day?.text)
            try Terminal.report(briefing, asJSON: json) { Self.write(briefing) }
        }
    }

    private static func write(_ briefing: Briefing) {
        Terminal.line(Terminal.bold("Briefing of \(briefing.date)"))
        Terminal.line(SafeText(oneLine: briefing.text))
        for card in briefing.cards {
            Terminal.line("")
            Terminal.line("[\(card.number)] " + Terminal.bold(SafeText(oneLine: card.title)))
            Terminal.line("    \(SafeText(oneLine: card.reason))")
            for task in card.tasks ?? [] {
                let due = task.due.map { ", due \($0)" } ?? ""
                Terminal.line("    task \(task.id)  \(SafeText(oneLine: (task.title ?? "Untitled") + due))")
            }
            for note in card.notes {
                Terminal.line(
                    "    note \(note.id)  \(SafeText(oneLine: note.title)) (\(SafeText(oneLine: String(note.createdAt.prefix(10)))))"
                )
            }
            Terminal.line("    Ask: \(SafeText(oneLine: card.question))")
        }
    }
}
