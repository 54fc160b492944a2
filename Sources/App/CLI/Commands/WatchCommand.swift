import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene watch`: what a running gateway does, as the console shows it.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a running gateway: figures, requests, jobs, answers, upstreams, notifications.",
        discussion: """
            Prints the state of each topic, then each change, at most once a second and topic, until Ctrl-C. It reads the \
            stream that the console reads, and reconnects.

              selene watch
              selene watch --topic jobs --topic runs
              selene watch --json | jq 'select(.event == "requests")'

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope admin, and that of each topic.

            Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    @Option(
        help:
            "figures, requests, traffic, jobs, runs, upstreams or pushes; may be repeated. Default: all that the key may read."
    )
    var topic: [String] = []

    @Option(help: "End after so many events, 1 to 1000000. Default: go on until Ctrl-C.")
    var events: Int?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON, an event a line: {\"event\":…,\"data\":…}.")
    var json = false

    func validate() throws {
        guard events.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--events: expected 1 to 1000000, got \(events ?? 0)")
        }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let source = RemoteConsoleService(try gateway.connect()).events(topic)
            var rest = events ?? .max
            while rest > 0 {
                let event = try await source.next()
                rest -= 1
                if json {
                    let data = String(decoding: event.data, as: UTF8.self)
                    Terminal.line(SafeText(oneLine: "{\"event\":\"\(event.name)\",\"data\":\(data)}"))
                } else {
                    Terminal.line(
                        SafeText(oneLine: "\(Self.clock())  \(event.name.padded(to: 11)) \(try Self.text(event))"))
                }
            }
        }
    }

    private static func clock() -> String {
        Date.now.formatted(.iso8601.time(includingFractionalSeconds: false).timeSeparator(.colon))
    }

    /// An event in one line.
    private static func text(_ event: ConsoleEvent) throws -> String {
        switch event.name {
        case "figures":
            let now = try event.decoded(as: StatsResponse.self)
            return "\(now.requests.total) requests, \(now.requests.failed) failed, "
                + "\(now.admission.inFlight) of \(now.admission.maxInFlight) places in use, "
                + "\(now.admission.waiting.values.reduce(0, +)) waiting, \(now.tokens.generated) tokens"
        case "requests":
            let now = try event.decoded(as: LiveRequestList.self)
            let shown = now.requests.prefix(3).map { request in
                "\(request.path) \(request.phase)" + (request.place.map { " (place \($0))" } ?? "")
            }
            return now.total == 0 ? "none in flight" : "\(now.total) in flight: \(shown.joined(separator: ", "))"
        case "traffic":
            let now = try event.decoded(as: TrafficPoint.self)
            return "\(now.requests) requests this minute, \(now.failed) failed, \(now.generatedTokens) tokens"
        case "jobs":
            let now = try event.decoded(as: JobList.self).jobs.filter { $0.state == .running }
            let shown = now.map { "\($0.kind.rawValue) \($0.done) of \($0.total)" }
            return now.isEmpty ? "none running" : shown.joined(separator: ", ")
        case "runs":
            let now = try event.decoded(as: LiveRuns.self)
            return "\(now.running.count) answers being written, latest: "
                + (now.latest.first.map { "\($0.state.rawValue), \($0.model)" } ?? "none")
        case "upstreams":
            return try event.decoded(as: LiveUpstreams.self).upstreams.map { upstream in
                "\(upstream.name) \(upstream.inOrder ? "healthy" : "unhealthy"), \(upstream.inFlight) in flight"
            }.joined(separator: "; ")
        case "pushes":
            let latest = try event.decoded(as: PushLogPage.self).log.first
            return latest.map { "latest: \($0.title ?? $0.topic), \($0.status)" } ?? "none yet"
        case "unavailable":
            let problem = try event.decoded(as: LiveProblem.self)
            return "\(problem.topic): \(problem.error)"
        default: return ""
        }
    }
}
