import ArgumentParser
import Database
import Foundation
import Gateway
import GatewayAPI
import GatewayClient
import Notifications
import PostgresStorage
import PushChannels
import PushRoom
import Search
import Server
import Storage
import Text

/// `selene push doctor`: finds out why no notification comes.
struct PushDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why notifications do not arrive.",
        discussion: """
            Checks the keys of APNs and Web Push with their files, the clock, the zone data, both environments of APNs, the \
            devices and the outbox, with the settings and the database of this machine. APNs is asked to push to a token \
            that no device has: its refusal of the token proves that it accepts the key, the clock and the bundle id.

            With --send, a running gateway sends a test to a device, and the command waits for what became of it.

              selene push doctor
              selene push doctor --offline
              selene push doctor --send phone
              selene push doctor --json | jq '.findings[] | select(.severity == "problem")'

            Exit codes: 0 no problems (perhaps warnings), 1 problems, 64 wrong usage or configuration.
            """)

    @Flag(help: "Ask no service on the network.")
    var offline = false

    @Option(name: .customLong("send"), help: "Send a test to this device, by name or id, through a running gateway.")
    var device: String?

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var push: PushOptions

    private struct Report: Encodable {
        var problems: Int
        var warnings: Int
        var findings: [Finding]
    }

    func run() async throws {
        let configuration = try options.load()
        let usesNetwork = !offline
        var findings: [Finding]
        do {
            findings = try await Interrupt.cancellable { try await Self.examine(configuration, usesNetwork) }
        } catch {
            throw Failure.exit(for: error)
        }
        if let device { findings.append(try await test(device)) }
        let report = Report(
            problems: findings.count { $0.severity == .problem },
            warnings: findings.count { $0.severity == .warning }, findings: findings)
        try Terminal.report(report, asJSON: push.json) {
            for finding in findings { Terminal.line(finding.text) }
            Terminal.line("\(Count.of(report.problems, "problem")), \(Count.of(report.warnings, "warning"))")
        }
        if report.problems > 0 { throw ExitCode.failure }
    }

    private static func examine(_ configuration: GatewayConfiguration, _ usesNetwork: Bool) async throws -> [Finding] {
        let path = configuration.databasePath
        let database =
            FileManager.default.fileExists(atPath: path)
            ? try GatewayDatabase(path: path, repairsTriggers: false) : nil
        defer { try? database?.close() }
        let logger = CommandContext.logger(configuration.commandLogLevel)
        let postgres = configuration.search.postgresStore(logger)
        defer { postgres?.close() }
        let store: (any SQLStore)? = postgres ?? database
        let checkup = PushCheckup(
            configuration.push, room: store.map { PushRoom($0) }, databasePath: path, logger: logger)
        return try await checkup.findings(usesNetwork: usesNetwork).map(Finding.init)
    }

    /// Sends a test through the gateway and says what became of it.
    private func test(_ name: String) async throws -> Finding {
        do {
            let service = RemotePushService(try push.gateway.connect())
            let device = try await PushChoice.device(name, service)
            let message = JSONValue.object([
                "title": .string("Selene Gateway"),
                "body": .string("This is a test. Notifications reach this device."),
            ])
            let request = PushSendRequest(message: message, topic: "test", devices: [device.id])
            let sent = try await PushSendCommand.waitForDelivery(try await service.send(request), service)
            guard let delivery = sent.deliveries.first else {
                return .problem("test push", "the gateway stored no delivery", remedy: "selene push devices")
            }
            let explanation = try await service.explain(delivery.id)
            // It may have been sent after the waiting ended.
            guard explanation.delivery.status == "sent" else {
                return .problem(
                    "test push", explanation.summary, remedy: "selene push explain \(delivery.id.prefix(8))")
            }
            return .ok("test push", explanation.summary)
        } catch let error as GatewayClientError {
            return .problem("test push", error.description, remedy: "start the gateway (selene serve), or give --url")
        }
    }
}

extension Finding {
    /// A finding of the doctor of notifications.
    init(_ finding: PushFinding) {
        let severity: Severity =
            switch finding.severity {
            case .ok: .ok
            case .warning: .warning
            case .problem: .problem
            }
        self.init(check: finding.check, severity: severity, message: finding.message, remedy: finding.remedy)
    }
}
