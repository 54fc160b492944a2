import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push read TOPIC`
struct PushReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read the messages of topics, as ntfy's clients do.",
        discussion: """
            Prints each message that names no devices, until Ctrl-C. All readers share the device "ntfy", which the first \
            one registers, or the first message in ntfy's form: what was sent before is not there. The key needs the scope push:send.

              selene push read alerts
              selene push read alerts backups --since 10m
              selene push read alerts --poll --json | jq -r .message
            """)

    @Argument(help: "Topics, 1 to 32.")
    var topics: [String]

    @Option(
        help: "all, latest, seconds since 1970, a duration such as 10m, or the id of a message. Default: from now on.")
    var since: String?

    @Flag(help: "Print the stored messages and end. Default of --since: all.")
    var poll = false

    @Flag(help: "With --poll: also messages that wait for their time.")
    var scheduled = false

    @OptionGroup var push: PushOptions

    func validate() throws {
        guard (1...32).contains(topics.count) else {
            throw ValidationError("expected 1 to 32 topics, got \(topics.count)")
        }
        guard poll || !scheduled else { throw ValidationError("--scheduled needs --poll") }
    }

    func run() async throws {
        try await push.reported { service in
            if poll {
                for event in try await service.messages(of: topics, since: since, scheduled: scheduled) {
                    try write(event)
                }
            } else {
                for try await event in try await service.events(of: topics, since: since) { try write(event) }
            }
        }
    }

    private func write(_ event: PushTopicEvent) throws {
        if push.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Terminal.line(SafeText(oneLine: String(decoding: try encoder.encode(event), as: UTF8.self)))
        }
        guard event.event == "message" else { return }
        let time = Date(timeIntervalSince1970: TimeInterval(event.time)).ISO8601Format()
        let title = event.title.map { "\($0): " } ?? ""
        Terminal.line(SafeText(oneLine: "\(time)  \(event.topic)  \(title)\(event.message ?? "")"))
    }
}
