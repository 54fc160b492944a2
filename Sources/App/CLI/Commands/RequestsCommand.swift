import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene requests`: finished requests and those in flight, of a running gateway.
struct RequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "List the requests of a running gateway: finished ones, and those in flight.",
        discussion: """
            Finished requests are kept for SELENE_REQUEST_LOG_DAYS (default 7), without bodies, queries and keys. A request is \
            listed about a second after its end.

              selene requests
              selene requests --status 5xx --since 2026-03-14
              selene requests --text /api/notes --limit 200
              selene requests --follow --json | jq .path
              selene requests live
              selene requests cancel 42
              selene requests traffic --day

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope admin.

            Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.
            """,
        subcommands: [
            RequestsLogCommand.self, RequestsLiveCommand.self, RequestsCancelCommand.self, RequestsTrafficCommand.self,
        ],
        defaultSubcommand: RequestsLogCommand.self)
}

/// `selene requests log`
struct RequestsLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "List finished requests, the latest first (the default).")

    @Option(help: "Only this class or status, such as 5xx or 429.")
    var status: String?

    @Option(help: "Only requests with the key of this id: selene keys list.")
    var key: Int64?

    @Option(help: "Only this route, such as /api/notes/{id}.")
    var route: String?

    @Option(help: "Only this model.")
    var model: String?

    @Option(help: "Only requests whose path has this text, or with this request id or error code.")
    var text: String?

    @Option(help: "Only requests that ended at this time or later, such as 2026-03-14.")
    var since: String?

    @Option(help: "Only requests that ended at this time or before.")
    var until: String?

    @Option(help: "Maximum number of requests, 1 to 10000.")
    var limit = 50

    @Flag(help: "Go on with new requests, oldest first, until Ctrl-C.")
    var follow = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON: a list, or with --follow a request a line.")
    var json = false

    /// The pause between two looks for new requests.
    private static let pause = Duration.seconds(1)
    /// Pages that one request of a rare filter looks through at most.
    private static let maxPages = 100

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit: expected 1 to 10000, got \(limit)") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteConsoleService(try gateway.connect())
            var query = RequestLogQuery()
            (query.status, query.key, query.route, query.model) = (status, key, route, model)
            (query.text, query.since, query.until) = (text, since, until)
            let (found, hasMore) = try await Self.read(service, query, limit)
            guard follow else {
                try Terminal.report(found, asJSON: json) {
                    if found.isEmpty { Terminal.line("No requests.") }
                    Self.write(found)
                    if hasMore { Terminal.line(Terminal.dim("There are more: --limit")) }
                }
                return
            }
            try print(found.reversed())
            try await go(on: service, query, after: found.first?.id ?? 0)
        }
    }

    /// Prints new requests as they come.
    private func go(on service: RemoteConsoleService, _ query: RequestLogQuery, after first: Int64) async throws {
        var last = first
        while true {
            try await Task.sleep(for: Self.pause)
            var fresh: [LoggedRequest] = []
            var cursor: String?
            repeat {
                let page = try await service.requests(query, PageRequest(limit: 500, cursor: cursor))
                fresh += page.requests.prefix { $0.id > last }
                let reachesKnown = page.requests.contains { $0.id <= last }
                cursor = reachesKnown || page.requests.isEmpty ? nil : page.nextCursor
            } while cursor != nil && fresh.count < 10_000
            last = fresh.map(\.id).max() ?? last
            try print(fresh.reversed())
        }
    }

    private func print(_ requests: [LoggedRequest]) throws {
        guard json else { return Self.write(requests) }
        for request in requests { Terminal.line(try JSONOutput.text(request)) }
    }

    private static func read(
        _ service: RemoteConsoleService, _ query: RequestLogQuery, _ limit: Int
    ) async throws -> (found: [LoggedRequest], hasMore: Bool) {
        var found: [LoggedRequest] = []
        var cursor: String?
        var pages = 0
        repeat {
            let page = try await service.requests(
                query, PageRequest(limit: min(500, limit - found.count), cursor: cursor))
            found += page.requests
            cursor = page.nextCursor
            pages += 1
        } while cursor != nil && found.count < limit && pages < maxPages
        return (found, cursor != nil)
    }

    private static func write(_ requests: [LoggedRequest]) {
        var table = TextTable(right: [1, 4, 5, 6])
        for request in requests {
            table.add(
                request.at, "\(request.status)", request.method, request.path,
                RequestText.milliseconds(request.totalMilliseconds),
                request.firstTokenMilliseconds.map(RequestText.milliseconds) ?? "",
                request.generatedTokens.map { "\($0) tokens" } ?? "", request.key ?? "", request.model ?? "",
                request.error ?? (request.isCancelled == true ? "client left" : ""))
        }
        table.write()
    }
}

/// `selene requests live`
struct RequestsLiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "List the requests in flight, oldest first.")

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let list = try await RemoteConsoleService(try gateway.connect()).live()
            try Terminal.report(list, asJSON: json) {
                if list.requests.isEmpty { Terminal.line("No request is in flight.") }
                var table = TextTable(right: [0, 2])
                for request in list.requests {
                    table.add(
                        request.id, request.phase + (request.place.map { " (place \($0))" } ?? ""),
                        RequestText.milliseconds(request.ageMilliseconds), request.method, request.path,
                        request.key ?? "", request.model ?? "", request.upstream ?? "",
                        request.generatedTokens.map { "\($0) tokens" } ?? "",
                        request.tokensPerSecond.map { "\($0) a second" } ?? "")
                }
                table.write()
                if list.total > list.requests.count { Terminal.line(Terminal.dim("\(list.total) in all")) }
            }
        }
    }
}

/// `selene requests cancel`
struct RequestsCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a request in flight; its client gets an error.")

    @Argument(help: "The number of the request: selene requests live.")
    var id: String

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let done = try await RemoteConsoleService(try gateway.connect()).cancel(id)
            try Terminal.report(done, asJSON: json) { Terminal.line("cancelling \(done.id)") }
        }
    }
}

/// `selene requests traffic`
struct RequestsTrafficCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "traffic", abstract: "Show the traffic of the last hour by the minute, or of the last day.")

    @Flag(help: "The last day, by the quarter of an hour (default: the last hour).")
    var day = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let traffic = try await RemoteConsoleService(try gateway.connect()).traffic(day ? "day" : "hour")
            try Terminal.report(traffic, asJSON: json) {
                var table = TextTable(right: [1, 2, 3, 4, 5, 6])
                table.add("from", "requests", "failed", "first token", "queue", "tokens", "memory")
                for point in traffic.points where point.requests > 0 || point.residentBytes != nil {
                    table.add(
                        point.at, "\(point.requests)", "\(point.failed)",
                        point.firstTokenMilliseconds.map(RequestText.milliseconds) ?? "",
                        point.queueMilliseconds.map(RequestText.milliseconds) ?? "", "\(point.generatedTokens)",
                        point.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "")
                }
                table.write()
            }
        }
    }
}

/// Words of requests for people.
private enum RequestText {
    static func milliseconds(_ value: Double) -> String {
        value < 1000 ? "\((value * 10).rounded() / 10) ms" : "\((value / 100).rounded() / 10) s"
    }
}
