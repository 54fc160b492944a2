import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene review`: looks back at a week or a term.
struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Review a week or a term of goals, through a running gateway.",
        discussion: """
            The review is Markdown that cites actions and notes. It says what was added and how far each goal is.

              selene review                     the last week
              selene review week --day 2026-11-10
              selene review term                the latest term
              selene review term --term 7 --save   keeps it as a note

            Exit codes: 0 done, 1 failed, 64 wrong usage, or no such term.
            """)

    /// What is reviewed.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case week, term
    }

    @Argument(help: "week or term.")
    var kind = Kind.week

    @Option(help: "A day of the week (default: yesterday).")
    var day: DayArgument?

    @Option(help: "The term's number or id (default: the one that runs, else the latest).")
    var term: String?

    @Flag(help: "Keep the review as a note.")
    var save = false

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        if kind == .week, term != nil { throw ValidationError("--term goes with: selene review term") }
        if kind == .term, day != nil { throw ValidationError("--day goes with: selene review week") }
    }

    func run() async throws {
        try await goal.reported { service in
            var request = GoalReviewRequest(kind: kind.rawValue, day: day?.text, save: save)
            if kind == .term { request.term = try await GoalChoice.term(term, service).id }
            let review = try await service.review(request)
            try Terminal.report(review, asJSON: goal.json) { Self.write(review) }
        }
    }

    private static func write(_ review: GoalReview) {
        Terminal.line(Terminal.bold(SafeText(oneLine: review.title)) + "  \(review.first) to \(review.last)")
        var table = TextTable(right: [3])
        for line in review.goals {
            table.add(
                GoalText.status(line.status), line.title, GoalGraphics.bar(line.fraction, width: 16),
                GoalGraphics.percent(line.fraction), "+\(GoalText.amount(line.added, line.unit))")
        }
        table.write()
        Terminal.line()
        Terminal.line(review.text)
        if let note = review.note { Terminal.line(Terminal.dim(SafeText("kept as note \(note)"))) }
    }
}
