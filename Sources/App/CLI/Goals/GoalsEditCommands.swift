import ArgumentParser
import GatewayAPI
import GatewayClient

/// How actions of a goal become one figure, on the command line.
enum GoalRuleArgument: String, ExpressibleByArgument, CaseIterable {
    case sum, count, streak
    case averageAtLeast = "average"
    case averageAtMost = "average-at-most"
    case eachDay = "each-day"
    case eachDayAtMost = "each-day-at-most"
    case eachWeek = "each-week"
    case eachWeekAtMost = "each-week-at-most"

    /// The rule of the API.
    func body(length: Int?) -> GoalRuleBody {
        switch self {
        case .sum, .count: GoalRuleBody(kind: rawValue)
        case .streak: GoalRuleBody(kind: "streak", length: length)
        case .averageAtLeast: GoalRuleBody(kind: "average", bound: "at_least")
        case .averageAtMost: GoalRuleBody(kind: "average", bound: "at_most")
        case .eachDay: GoalRuleBody(kind: "each", bound: "at_least", window: "day")
        case .eachDayAtMost: GoalRuleBody(kind: "each", bound: "at_most", window: "day")
        case .eachWeek: GoalRuleBody(kind: "each", bound: "at_least", window: "week")
        case .eachWeekAtMost: GoalRuleBody(kind: "each", bound: "at_most", window: "week")
        }
    }
}

/// Weekdays such as `mon,wed,fri`.
struct WeekdaysArgument: ExpressibleByArgument {
    /// From Sunday, 0.
    static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// 0 (Sunday) to 6, in order.
    let days: [Int]

    init?(argument: String) {
        let found = argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
            Self.names.firstIndex(of: name.lowercased())
        }
        guard found.allSatisfy({ $0 != nil }), Set(found).count == found.count else { return nil }
        days = found.compactMap(\.self).sorted()
    }
}

/// The fields of a goal that can be given.
struct GoalFields: ParsableArguments {
    @Option(help: "How much is wanted, such as 300.")
    var target: Double?

    @Option(help: "The unit of the target, such as km, min or pages.")
    var unit: String?

    @Option(name: .customLong("from"), help: "The first day that counts, such as 2026-10-01.")
    var start: DayArgument?

    @Option(name: .customLong("to"), help: "The last day; the day of a milestone, the deadline of an obligation.")
    var end: DayArgument?

    @Option(help: ArgumentHelp("How it counts: \(GoalRuleArgument.allCases.map(\.rawValue).joined(separator: ", "))."))
    var rule: GoalRuleArgument?

    @Option(help: "Days in a row, for the rule streak.")
    var length: Int?

    @Option(name: .customLong("word"), help: "A word of which an action's title has one; may be repeated.")
    var words: [String] = []

    @Option(name: .customLong("counts-unit"), help: "A unit of which an action needs one; may be repeated.")
    var units: [String] = []

    @Option(
        help: "Remind at this time of the day if nothing is logged, such as 19:30; off for the setting of all goals.")
    var remind: String?

    @Option(
        name: .customLong("remind-on"),
        help: "The weekdays of the reminder, such as mon,wed,fri (default: each day that is due).")
    var remindOn: WeekdaysArgument?

    @Option(help: "Why it matters.")
    var why: String?

    @Option(help: "What it is about.")
    var description: String?

    func validate() throws {
        if (rule == .streak) != (length != nil) {
            throw ValidationError("--length goes with --rule streak: expected both or neither")
        }
        if let remind, remind != "off", GoalReminder(at: remind).minute == nil {
            throw ValidationError("--remind: expected a time such as 19:30, or off, got \"\(remind)\"")
        }
        if remindOn != nil, remind == nil || remind == "off" {
            throw ValidationError("--remind-on goes with --remind: expected a time such as 19:30")
        }
        if let target, !target.isFinite || target < 0 {
            throw ValidationError("--target: expected 0 or more, got \(target)")
        }
    }

    /// A body with the fields that were given. `target` alone keeps the unit that the goal has.
    func body(unit old: String? = nil) -> GoalBody {
        var body = GoalBody()
        if let target { body.target = .set(GoalAmount(amount: target, unit: unit ?? old ?? "")) }
        if let start { body.startDate = .set(start.text) }
        if let end { body.targetDate = .set(end.text) }
        if let rule { body.rule = .set(rule.body(length: length)) }
        if !words.isEmpty { body.keywords = .set(words) }
        if !units.isEmpty { body.units = .set(units) }
        if let remind {
            body.reminder = remind == "off" ? .clear : .set(GoalReminder(at: remind, weekdays: remindOn?.days))
        }
        if let why { body.relevance = .set(why) }
        if let description { body.description = .set(description) }
        return body
    }
}

/// `selene goals add TITLE`
struct GoalsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a goal, milestone or obligation.",
        discussion: """
              selene goals add "Run 300 km" --target 300 --unit km --to 2027-03-31 --word run --word jog
              selene goals add "Sleep" --target 7.5 --unit h --rule average
              selene goals add "Meditate" --target 10 --unit min --rule streak --length 30 --remind 19:30
              selene goals add "Tax return" --kind obligation --to 2026-12-15
            """)

    @Argument(help: "The title.")
    var title: String

    @Option(help: "goal, smart (all fields are needed), milestone or obligation.")
    var kind = "goal"

    @OptionGroup var fields: GoalFields

    @OptionGroup var goal: GoalOptions

    func validate() throws {
        guard ["goal", "smart", "milestone", "obligation"].contains(kind) else {
            throw ValidationError("--kind: expected goal, smart, milestone or obligation, got \"\(kind)\"")
        }
    }

    func run() async throws {
        try await goal.reported { service in
            var body = fields.body()
            body.title = .set(title)
            body.kind = .set(kind)
            let made = try await service.add(body)
            try Terminal.report(made, asJSON: goal.json) { Terminal.line("added \"\(made.title)\"  \(made.id)") }
        }
    }
}

/// `selene goals change GOAL`
struct GoalsChangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change a goal.",
        discussion: "A new target counts from today on, or from --since on. Earlier days keep theirs.")

    @Argument(help: "The goal's title, a part of it, or its id.")
    var name: String

    @Option(help: "A new title.")
    var title: String?

    @OptionGroup var fields: GoalFields

    @Option(help: "The day from which a new target counts: today or later.")
    var since: DayArgument?

    @Option(help: "Why, for the history.")
    var reason: String?

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let old = try await GoalChoice.goal(name, service)
            var body = fields.body(unit: old.target?.unit)
            if fields.target == nil, let unit = fields.unit, let amount = old.target?.amount {
                body.target = .set(GoalAmount(amount: amount, unit: unit))
            }
            if let title { body.title = .set(title) }
            guard body != GoalBody() else {
                throw ValidationError("nothing to change: give at least one field, such as --to")
            }
            if let since { body.from = .set(since.text) }
            if let reason { body.reason = .set(reason) }
            let changed = try await service.change(old.id, body)
            let hint = goal.json ? nil : try await GoalChoice.undoHint(changed.id, service)
            try Terminal.report(changed, asJSON: goal.json) {
                Terminal.line("changed \"\(changed.title)\"")
                if let hint { Terminal.line(Terminal.dim(SafeText(oneLine: hint))) }
            }
        }
    }
}

/// `selene goals remove GOAL`
struct GoalsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Delete a goal. It can be undone.")

    @Argument(help: "The goal's title, a part of it, or its id.")
    var name: String

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let old = try await GoalChoice.goal(name, service)
            try await service.delete(goal: old.id)
            let hint = goal.json ? nil : try await GoalChoice.undoHint(old.id, service)
            try Terminal.report(old, asJSON: goal.json) {
                Terminal.line("removed \"\(old.title)\"")
                if let hint { Terminal.line(Terminal.dim(SafeText(oneLine: hint))) }
            }
        }
    }
}

/// `selene goals skip GOAL`
struct GoalsSkipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Skip a day on purpose: it is neither kept nor missed.")

    @Argument(help: "The goal's title, a part of it, or its id.")
    var name: String

    @Argument(help: "The day, such as 2026-11-22: one of the last 7, or later (default: today).")
    var day: DayArgument?

    @Flag(help: "Take the skip back.")
    var clear = false

    @OptionGroup var goal: GoalOptions

    func run() async throws {
        try await goal.reported { service in
            let old = try await GoalChoice.goal(name, service)
            var chosen = day?.text
            if chosen == nil { chosen = try await service.today(zone: GoalOptions.zone).day }
            let wanted = chosen ?? ""
            let changed =
                clear ? try await service.unskip(wanted, of: old.id) : try await service.skip(wanted, of: old.id)
            try Terminal.report(changed, asJSON: goal.json) {
                Terminal.line("\"\(changed.title)\" is \(clear ? "due again" : "skipped") on \(wanted)")
            }
        }
    }
}
