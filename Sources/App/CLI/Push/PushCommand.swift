import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push`: notifications through a running gateway.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send notifications, see what became of them, and find out why none came.",
        discussion: """
            A device is an app (APNs), a browser (Web Push), a URL (webhook) or a program that reads a stream. A message has \
            one delivery for each device. Rules of the device decide when it is sent: quiet hours, digests, rates, mutes.

              selene push send "High water at 18:40" --title Tide
              selene push send --template water --input what=plants --device phone
              selene push devices
              selene push devices add desk --stream
              selene push templates add water.json
              selene push schedules add tide --cron "0 18 * * *" --zone Europe/Berlin --text "High water soon"
              selene push log --status failed
              selene push explain 3f2504e0
              selene push read alerts
              selene push apns
              selene push doctor
              selene push doctor --send phone

            All but doctor call a running gateway. The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope push:send, for \
            templates, schedules and the log push:admin.

            Exit codes: 0 done, 1 failed, 2 not sent to all devices, 64 wrong usage.
            """,
        subcommands: [
            PushSendCommand.self, PushDevicesCommand.self, PushTemplatesCommand.self, PushSchedulesCommand.self,
            PushLogCommand.self, PushExplainCommand.self, PushReadCommand.self, PushAPNsCommand.self,
            PushDoctorCommand.self,
        ])
}

/// The flags of commands on notifications.
struct PushOptions: ParsableArguments {
    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Calls the gateway. Its refusals end the command with a message and exit code 1.
    func reported(_ body: (RemotePushService) async throws -> Void) async throws {
        try await GatewayOptions.reported(isJSON: json) { try await body(RemotePushService(try gateway.connect())) }
    }
}

/// Finds what a person names among rows with ids and names.
enum PushChoice {
    /// Rows that are looked at, at most.
    private static let most = 10_000
    /// Letters of an id that are enough.
    static let shortest = 4

    /// The row with this id, name, or beginning of an id.
    ///
    /// - Throws: `ValidationError` when there is none, or more than one.
    static func one<Row>(
        _ text: String, of rows: [Row], _ kind: String, list: String, id: (Row) -> String, name: (Row) -> String
    ) throws -> Row {
        for matches in [
            rows.filter { id($0) == text }, rows.filter { name($0) == text },
            text.count < shortest ? [] : rows.filter { id($0).hasPrefix(text.lowercased()) },
        ] {
            if let row = matches.first, matches.count == 1 { return row }
            guard matches.isEmpty else {
                throw ValidationError("\(matches.count) \(kind)s are \"\(text)\"; give the id: \(list)")
            }
        }
        throw ValidationError("there is no \(kind) \"\(text)\". List them: \(list)")
    }

    /// All rows of a list that pages.
    static func all<Row>(
        _ limit: Int = most, _ page: (PageRequest) async throws -> (rows: [Row], next: String?)
    ) async throws -> (rows: [Row], hasMore: Bool) {
        var rows: [Row] = []
        var cursor: String?
        repeat {
            let part = try await page(PageRequest(limit: min(100, max(1, limit - rows.count)), cursor: cursor))
            rows += part.rows
            cursor = part.next
        } while cursor != nil && rows.count < limit
        return (rows, cursor != nil)
    }

    /// The device of a name or id.
    static func device(_ text: String, _ service: RemotePushService) async throws -> PushDevice {
        let all = try await all { page in
            let list = try await service.devices(page)
            return (list.devices, list.nextCursor)
        }
        return try one(
            text, of: all.rows, "device", list: "selene push devices", id: { $0.id }, name: { $0.name })
    }

    /// The template of a name or id; nil for none.
    static func template(_ text: String, _ service: RemotePushService) async throws -> PushDefinition? {
        try await all { page in
            let list = try await service.templates(page)
            return (list.definitions, list.nextCursor)
        }.rows.first { $0.name == text || $0.id == text }
    }

    /// The schedule of a name or id.
    static func schedule(_ text: String, _ service: RemotePushService) async throws -> PushSchedule {
        let all = try await all { page in
            let list = try await service.schedules(page)
            return (list.schedules, list.nextCursor)
        }
        return try one(
            text, of: all.rows, "schedule", list: "selene push schedules", id: { $0.id }, name: { $0.schedule.name })
    }
}
