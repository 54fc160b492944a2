import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push schedules`
struct PushSchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules", abstract: "List, add, stop and remove schedules.",
        discussion: """
            A schedule sends a message at a time on the wall of a zone: once, by a cron expression of five fields, or by a \
            recurrence rule of iCalendar. Its next times are shown before it is stored with --preview.

              selene push schedules
              selene push schedules add tide --cron "0 18 * * *" --text "High water soon" --preview
              selene push schedules add bins --rrule "FREQ=WEEKLY;BYDAY=MO" --start 2026-11-23T19:00 --title Bins
              selene push schedules add trip --at 2026-12-24T06:30 --zone Europe/Berlin --template trip
              selene push schedules stop tide
              selene push schedules start tide
              selene push schedules remove tide
            """,
        subcommands: [List.self, Add.self, Start.self, Stop.self, Remove.self], defaultSubcommand: List.self)

    /// `selene push schedules list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List schedules with their next time (the default).")

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let all = try await PushChoice.all { page in
                    let list = try await service.schedules(page)
                    return (list.schedules, list.nextCursor)
                }
                try Terminal.report(PushScheduleList(schedules: all.rows, nextCursor: nil), asJSON: push.json) {
                    if all.rows.isEmpty { Terminal.line("No schedules. Add one: selene push schedules add NAME") }
                    var table = TextTable()
                    for row in all.rows {
                        let rule = row.schedule.cron ?? row.schedule.rrule ?? row.schedule.at.map { "at \($0)" } ?? ""
                        let next = row.enabled ? row.next.first.map { "next \($0.local)" } ?? "no next time" : "stopped"
                        table.add(
                            row.schedule.name, rule, row.schedule.zone ?? "UTC", next, String(row.id.prefix(8)),
                            row.missed.map { "missed \($0)" } ?? "")
                    }
                    table.write()
                }
            }
        }
    }

    /// `selene push schedules add NAME`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Store a schedule, or show its next five times.")

        @Argument(help: "The name.")
        var name: String

        @Option(help: "The text.")
        var text: String?

        @OptionGroup var content: PushContent

        @Option(help: "One time on the wall, such as 2026-12-24T18:00.")
        var at: String?

        @Option(help: "A cron expression of five fields, such as \"30 7 * * 1-5\".")
        var cron: String?

        @Option(help: "A recurrence rule, such as FREQ=WEEKLY;BYDAY=MO; needs --start.")
        var rrule: String?

        @Option(help: "The first time on the wall of --rrule.")
        var start: String?

        @Option(help: "The zone (default: that of this machine).")
        var zone: String?

        @Option(help: "Missed times are sent later: latest, all or none (default: latest).")
        var catchUp: String?

        @Flag(help: "Show the next five times and store nothing.")
        var preview = false

        @OptionGroup var push: PushOptions

        func validate() throws {
            guard [at, cron, rrule].compactMap(\.self).count == 1 else {
                throw ValidationError("expected one of --at, --cron and --rrule")
            }
            guard (rrule == nil) == (start == nil) else {
                throw ValidationError("--start goes with --rrule: expected both or neither")
            }
            if !preview { _ = try content.message(text) }
        }

        func run() async throws {
            try await push.reported { service in
                var request = PushScheduleRequest(name: name)
                (request.at, request.cron, request.rrule, request.start) = (at, cron, rrule, start)
                request.zone = zone ?? TimeZone.current.identifier
                request.catchUp = catchUp
                if preview {
                    let times = try await service.preview(request)
                    return try Terminal.report(times, asJSON: push.json) {
                        PushSchedulesCommand.write(times.next, zone: request.zone)
                    }
                }
                request.message = try content.message(text)
                request.template = content.template
                request.inputs = try await content.values(service)
                request.topic = content.topic
                request.devices = content.devices.isEmpty ? nil : content.devices
                let stored = try await service.add(request)
                try Terminal.report(stored, asJSON: push.json) {
                    Terminal.line("added \"\(stored.schedule.name)\"  \(stored.id)")
                    PushSchedulesCommand.write(stored.next, zone: stored.schedule.zone)
                }
            }
        }
    }

    /// `selene push schedules start SCHEDULE`
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a stopped schedule run again.")

        @Argument(help: "The schedule's name or id.")
        var schedule: String

        @OptionGroup var push: PushOptions

        func run() async throws { try await PushSchedulesCommand.turn(schedule, isOn: true, push) }
    }

    /// `selene push schedules stop SCHEDULE`
    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stop a schedule without deleting it.")

        @Argument(help: "The schedule's name or id.")
        var schedule: String

        @OptionGroup var push: PushOptions

        func run() async throws { try await PushSchedulesCommand.turn(schedule, isOn: false, push) }
    }

    /// `selene push schedules remove SCHEDULE`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a schedule.")

        @Argument(help: "The schedule's name or id.")
        var schedule: String

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let known = try await PushChoice.schedule(schedule, service)
                try await service.delete(schedule: known.id)
                try Terminal.report(known, asJSON: push.json) { Terminal.line("removed \"\(known.schedule.name)\"") }
            }
        }
    }

    private static func turn(_ name: String, isOn: Bool, _ push: PushOptions) async throws {
        try await push.reported { service in
            let known = try await PushChoice.schedule(name, service)
            var request = known.schedule
            request.enabled = isOn
            let changed = try await service.change(schedule: known.id, to: request)
            try Terminal.report(changed, asJSON: push.json) {
                Terminal.line("\(isOn ? "started" : "stopped") \"\(changed.schedule.name)\"")
                if isOn { write(changed.next, zone: changed.schedule.zone) }
            }
        }
    }

    /// Writes a line for each time: the instant, and what the clock of the zone shows.
    private static func write(_ times: [PushOccurrence], zone: String?) {
        var table = TextTable()
        for time in times {
            table.add(
                "  \(time.local)", zone ?? "UTC", time.at, time.nominal.map { "the rule says \($0)" } ?? "")
        }
        table.write()
    }
}
