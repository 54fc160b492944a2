import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push send`: stores a notification, and waits for its deliveries on demand.
struct PushSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a notification.",
        discussion: """
            The command ends when the message is stored; it is sent then, whatever happens to this terminal. With --wait it \
            ends when every delivery was sent, held by a rule or given up. The text "-" is read from standard input.

              selene push send "High water at 18:40" --title Tide --topic sea
              selene push send "Backup failed" --priority emergency --device phone --wait
              selene push send --template water --input what=plants --input liters=2
              selene push send "Take the bread out" --in 45
              tail -n 1 build.log | selene push send - --title Build

            Exit codes: 0 stored, or with --wait sent to all, 1 failed, 2 with --wait: not sent to all, 64 wrong usage.
            """)

    @Argument(help: "The text; - for standard input.")
    var text: String?

    @OptionGroup var content: PushContent

    @Option(name: .customLong("at"), help: "When to send it, such as 2026-12-24T18:00:00+01:00 (default: now).")
    var time: String?

    @Option(name: .customLong("in"), help: "Minutes until it is sent, in place of --at.")
    var minutes: Double?

    @Flag(help: "Wait until every delivery was sent, held or given up, 60 seconds at most.")
    var wait = false

    @OptionGroup var push: PushOptions

    /// Bytes of a text that are read from standard input.
    private static let maxText = 4096
    private static let timeout = Duration.seconds(60)

    func validate() throws {
        guard time == nil || minutes == nil else { throw ValidationError("expected one of --at and --in") }
        if let minutes, !(minutes.isFinite && (0...527_040).contains(minutes)) {
            throw ValidationError("--in: expected 0 to 527040 minutes, got \(minutes)")
        }
        if text != "-" { _ = try content.message(text) }
    }

    func run() async throws {
        try await push.reported { service in
            var request = PushSendRequest(topic: content.topic)
            request.message = try content.message(try written())
            request.template = content.template
            request.inputs = try await content.values(service)
            request.devices = content.devices.isEmpty ? nil : content.devices
            request.notBefore = time ?? minutes.map { Date(timeIntervalSinceNow: $0 * 60).ISO8601Format() }
            var sent = try await service.send(request)
            if wait { sent = try await Self.waitForDelivery(sent, service) }
            try Terminal.report(sent, asJSON: push.json) { Self.write(sent) }
            if wait, sent.deliveries.contains(where: { $0.status != "sent" }) { throw ExitCode(2) }
        }
    }

    private func written() throws -> String? {
        guard text == "-" else { return text }
        guard let read = try LineInput.whole(limit: Self.maxText) else {
            throw ValidationError("the text on standard input has more than \(Self.maxText) bytes")
        }
        return String(read.reversed().drop { $0.isNewline }.reversed())
    }

    /// Waits until no delivery is on its way: each one was sent, or a rule holds it, or it was given up.
    static func waitForDelivery(_ sent: PushNotification, _ service: RemotePushService) async throws
        -> PushNotification
    {
        let end = ContinuousClock.now + timeout
        var sent = sent
        while ContinuousClock.now < end {
            sent = try await service.message(sent.id)
            let open = sent.deliveries.filter { $0.status == "queued" || $0.status == "sending" }
            if open.isEmpty { break }
            var moving = false
            for delivery in open {
                // Read later than the message: it may have left since. A rule that decided says until when;
                // before the first decision nothing is known.
                let line = try await service.explain(delivery.id).delivery
                if line.status != "queued" || line.rule == nil || line.rule == "collapse" { moving = true }
            }
            guard moving else { break }
            try await Task.sleep(for: .milliseconds(200))
        }
        return sent
    }

    private static func write(_ sent: PushNotification) {
        Terminal.line("\(sent.status)  \(sent.id)")
        var table = TextTable()
        for delivery in sent.deliveries { table.add("  \(delivery.status)", delivery.name, delivery.id) }
        table.write()
        if sent.isRepeat == true { Terminal.note("An earlier request stored it already.") }
        if let delivery = sent.deliveries.first, sent.status != "sent" {
            Terminal.note("why: selene push explain \(delivery.id.prefix(8))")
        }
    }
}
