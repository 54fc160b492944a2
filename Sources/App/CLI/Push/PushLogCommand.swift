import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// The states of deliveries, on the command line.
enum PushStatusArgument: String, ExpressibleByArgument, CaseIterable {
    case queued, sending, sent, merged, dropped, failed, recalled
}

/// `selene push log`
struct PushLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List deliveries, newest first: what was sent, held, merged, dropped or given up.",
        discussion: """
              selene push log
              selene push log --status failed --limit 200
              selene push log --search "high water"
              selene push log --device phone --topic sea --json | jq '.log[].reason'
            """)

    @Option(help: "Only deliveries to this device: its name or id.")
    var device: String?

    @Option(help: "Only deliveries of this topic.")
    var topic: String?

    @Option(help: "Only queued, sending, sent, merged, dropped, failed or recalled ones.")
    var status: PushStatusArgument?

    @Option(help: "Only deliveries whose title, subtitle or text contains this.")
    var search: String?

    @Option(help: "Maximum number of deliveries, 1 to 10000.")
    var limit = 50

    @OptionGroup var push: PushOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit: expected 1 to 10000, got \(limit)") }
    }

    func run() async throws {
        try await push.reported { service in
            var id: String?
            if let device { id = try await PushChoice.device(device, service).id }
            let all = try await PushChoice.all(limit) { page in
                let part = try await service.log(device: id, topic: topic, status: status?.rawValue, text: search, page)
                return (part.log, part.nextCursor)
            }
            try Terminal.report(PushLogPage(log: all.rows, nextCursor: nil), asJSON: push.json) {
                if all.rows.isEmpty { Terminal.line("Nothing was sent. Send something: selene push send TEXT") }
                Self.write(all.rows)
                if all.hasMore { Terminal.line(Terminal.dim("There are more: --limit")) }
            }
        }
    }

    private static func write(_ lines: [PushLogLine]) {
        var table = TextTable()
        for line in lines {
            table.add(
                line.createdAt, line.status, line.deviceName ?? "(deleted)", line.topic, line.title ?? "",
                line.openedAt != nil ? "opened" : line.deliveredAt != nil ? "delivered" : "",
                String(line.id.prefix(8)), line.status == "sent" ? "" : line.reason ?? "")
        }
        table.write()
    }
}

/// `selene push explain DELIVERY`
struct PushExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say why a delivery was sent, held, merged, dropped or given up.",
        discussion: """
            Shows what each rule said, which one decided, what the service answered, when the next look is due, and what \
            happened so far. The id is that of a delivery or of a notification; 4 letters of its beginning are enough for \
            one of the latest 500.

              selene push explain 3f2504e0
              selene push explain 3f2504e0 --retry
              selene push explain 3f2504e0 --discard
            """)

    @Argument(help: "The id of a delivery or notification, or its beginning.")
    var id: String

    @Flag(help: "Try a delivery again that was given up.")
    var retry = false

    @Flag(help: "Drop a delivery that was given up, so that it is not listed as failed any more.")
    var discard = false

    @OptionGroup var push: PushOptions

    /// Deliveries that a beginning of an id is looked for in.
    private static let recent = 500

    func run() async throws {
        try await push.reported { service in
            let ids = try await deliveries(service)
            if retry { for id in ids { try await service.retry(id) } }
            if discard { for id in ids { try await service.discard(id) } }
            var explained: [PushExplanation] = []
            for id in ids { explained.append(try await service.explain(id)) }
            try Terminal.report(explained, asJSON: push.json) {
                for (index, explanation) in explained.enumerated() {
                    if index > 0 { Terminal.line() }
                    Self.write(explanation)
                }
            }
        }
    }

    /// The deliveries that the id means.
    private func deliveries(_ service: RemotePushService) async throws -> [String] {
        if GoalChoice.isWholeID(id) {
            do {
                return [try await service.explain(id.lowercased()).delivery.id]
            } catch let error as GatewayClientError where error.status == 404 {
                return try await service.message(id.lowercased()).deliveries.map(\.id)
            }
        }
        guard id.count >= PushChoice.shortest else {
            throw ValidationError("expected at least \(PushChoice.shortest) letters of an id, got \"\(id)\"")
        }
        let start = id.lowercased()
        let lines = try await PushChoice.all(Self.recent) { page in
            let part = try await service.log(page)
            return (part.log, part.nextCursor)
        }.rows
        let found = lines.filter { $0.id.hasPrefix(start) }.map(\.id)
        if found.count == 1 { return found }
        let sent = lines.filter { $0.notification.hasPrefix(start) }
        guard found.isEmpty, Set(sent.map(\.notification)).count == 1 else {
            throw ValidationError(
                found.isEmpty && sent.isEmpty
                    ? "none of the latest \(Self.recent) deliveries has an id that begins with \"\(id)\""
                    : "several ids begin with \"\(id)\"; give more of it: selene push log")
        }
        return sent.map(\.id)
    }

    private static func write(_ explanation: PushExplanation) {
        let line = explanation.delivery
        let title = line.title.map { " · \($0)" } ?? ""
        Terminal.line(
            Terminal.bold(SafeText(oneLine: "\(line.status)\(title) · \(line.deviceName ?? "a deleted device")")))
        Terminal.line("\(explanation.summary)")
        if let next = line.nextAt { Terminal.line("next look: \(next)") }
        for (name, steps) in [("Rules", explanation.steps), ("By the rules of now", explanation.now ?? [])]
        where !steps.isEmpty {
            Terminal.line("\(name):")
            for step in steps { Terminal.line("  \(step)") }
        }
        guard !explanation.events.isEmpty else { return }
        Terminal.line("Events:")
        var table = TextTable()
        for event in explanation.events { table.add("  \(event.at)", event.kind, event.detail) }
        table.write()
    }
}
