import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push devices`
struct PushDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List, add and remove devices.",
        discussion: """
            Apps and browsers register themselves. A program that reads its stream, and a URL that gets signed requests, are \
            added here.

              selene push devices
              selene push devices add desk --stream
              selene push devices add door --webhook https://door.example.com/hook --secret whsec_…
              selene push devices remove desk
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    /// `selene push devices list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List devices, oldest first (the default).")

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let all = try await PushChoice.all { page in
                    let list = try await service.devices(page)
                    return (list.devices, list.nextCursor)
                }
                try Terminal.report(PushDeviceList(devices: all.rows, nextCursor: nil), asJSON: push.json) {
                    if all.rows.isEmpty {
                        Terminal.line("No devices. Add one: selene push devices add NAME --stream")
                    }
                    PushDevicesCommand.write(all.rows)
                }
            }
        }
    }

    /// `selene push devices add NAME`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a device that reads a stream, or a webhook.",
            discussion: """
                The registration token is shown once.

                  selene push devices add desk --stream
                  curl -N 'http://127.0.0.1:5678/api/v1/stream?device=ID&since=0'
                """)

        @Argument(help: "The name.")
        var name: String

        @Flag(help: "A program that reads its stream.")
        var stream = false

        @Option(help: "A URL that gets a signed request for each notification.")
        var webhook: String?

        @Option(help: "The secret that signs the requests, whsec_ and Base64. Default: a new one, which is printed.")
        var secret: String?

        @OptionGroup var push: PushOptions

        func validate() throws {
            guard stream != (webhook != nil) else { throw ValidationError("expected one of --stream and --webhook") }
            guard secret == nil || webhook != nil else { throw ValidationError("--secret: goes with --webhook") }
        }

        func run() async throws {
            try await push.reported { service in
                var request = PushDeviceRequest(name: name)
                if stream { request.stream = true }
                let secret = secret ?? Self.newSecret()
                request.webhook = webhook.map { PushDeviceRequest.Webhook(url: $0, secret: secret) }
                let device = try await service.register(request)
                try Terminal.report(device, asJSON: push.json) {
                    Terminal.line("added \"\(device.name)\"  \(device.id)")
                    if stream, let token = device.registrationToken {
                        Terminal.note("registration token, not shown again: \(token)")
                    }
                }
                if webhook != nil, self.secret == nil {
                    Terminal.note("secret of the requests' signatures, not shown again: \(secret)")
                }
            }
        }

        /// 32 random bytes in the form of Standard Webhooks.
        private static func newSecret() -> String {
            "whsec_" + Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        }
    }

    /// `selene push devices remove DEVICE`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forget a device. What waits for it is not sent.")

        @Argument(help: "The device's name or id.")
        var device: String

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let known = try await PushChoice.device(device, service)
                try await service.delete(device: known.id)
                try Terminal.report(known, asJSON: push.json) { Terminal.line("removed \"\(known.name)\"") }
            }
        }
    }

    private static func write(_ devices: [PushDevice]) {
        var table = TextTable()
        for device in devices {
            let state = device.retired.map { "retired: \($0)" } ?? (device.isOnline ? "online" : "")
            table.add(
                device.name, device.channel, device.environment ?? device.platform ?? "", rules(device.settings),
                device.lastSeenAt ?? "", String(device.id.prefix(8)), state)
        }
        table.write()
    }

    /// Which rules a device has, in words.
    private static func rules(_ settings: PushDeviceSettings) -> String {
        var words: [String] = []
        if let quiet = settings.quietHours {
            words += quiet.windows.prefix(2).map { "quiet \($0.start)–\($0.end)" }
        }
        if let digest = settings.digest { words.append("digest \(digest.at.prefix(3).joined(separator: " "))") }
        if let rate = settings.rate { words.append("rate \(rate.burst)") }
        if let mutes = settings.mutes, !mutes.isEmpty { words.append("mutes \(mutes.count)") }
        return words.joined(separator: ", ")
    }
}
