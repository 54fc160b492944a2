import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage
import Traffic

/// `GET /api/requests`, and the requests in flight below `/api/requests/live`.
struct RequestRoutes: Sendable {
    /// The maximum number of requests in a page.
    static let maxPage = 500
    /// The maximum number of requests in flight in a list.
    static let maxLive = 200

    let log: RequestLog
    let live: LiveRequests

    /// Lists finished requests, the latest first: every request that ended before this one began.
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let cursor = try request.cursor()
        let filter = try Self.filter(of: request)
        guard let file = log.file else {
            if let failure = log.failure { throw failure }
            throw GatewayError(
                .conflict, .init(rawValue: "request_log_off"), "requests are not stored; set SELENE_REQUEST_LOG=on")
        }
        await log.flush()
        let page = try await context.scan { try await file.page(filter, after: cursor, limit: limit) }
        return JSONReply.response(
            RequestLogPage(
                requests: page.items.map(LoggedRequest.init), nextCursor: page.next?.text, days: file.limits.days,
                dropped: log.journal?.dropped ?? 0))
    }

    private static func filter(of request: Request) throws -> RequestLogFilter {
        var filter = RequestLogFilter()
        if let status = try request.parameter("status") {
            if let number = Int(status), (100...999).contains(number) {
                filter.status = number
            } else if status.utf8.count == 3, status.hasSuffix("xx"), let digit = Int(status.prefix(1)),
                (1...5).contains(digit)
            {
                filter.statusClass = digit
            } else {
                throw GatewayError.field("status", "expected a class such as 5xx or a status such as 429")
            }
        }
        filter.keyID = try request.rowID("key")
        filter.route = try request.parameter("route")
        filter.model = try request.parameter("model")
        if let text = try FieldCheck.text(request.parameter("text"), "text", maxBytes: 256) { filter.text = text }
        filter.since = try FieldCheck.date(request.parameter("since"), "since").map { $0 &* 1000 }
        // To the end of the second.
        filter.until = try FieldCheck.date(request.parameter("until"), "until").map { $0 &* 1000 &+ 999 }
        return filter
    }

    /// Lists the requests in flight, without this one.
    func inFlight(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(
            await inFlight { $0.requestID == context.requestID && $0.route == "/api/requests/live" })
    }

    /// The requests in flight as a topic of the console, without those that read the console's events.
    var topic: LiveTopic {
        LiveTopic("requests", .admin) { await inFlight { $0.route == "/api/admin/events" } }
    }

    private func inFlight(without isLeftOut: @Sendable (LiveFacts) -> Bool) async -> LiveRequestList {
        let requests = live.oldest(Self.maxLive + 1)
        let found = await withTaskGroup(of: (UInt64, LiveFacts?).self) { group in
            for (number, request) in requests { group.addTask { (number, await request.facts()) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let list = requests.compactMap { number, _ in
            found[number].flatMap { isLeftOut($0) ? nil : RequestInFlight(number, $0) }
        }
        let leftOut = found.values.count(where: isLeftOut)
        return LiveRequestList(
            requests: Array(list.prefix(Self.maxLive)), total: max(list.count, live.count - leftOut))
    }

    /// Cancels a request in flight: 202, as its work ends when it next waits.
    func cancel(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: 20)
        guard let number = UInt64(id) else { throw GatewayError.field("id", "must be a whole number") }
        guard let found = live.find(number) else {
            throw GatewayError(.notFound, .notFound, "no request \(number) is in flight")
        }
        // The path has no query; a key in front of it is gone.
        if let facts = await found.facts() {
            context.audits("\(facts.method) \(facts.route)", id: Int64(clamping: number), detail: facts.request.key)
        }
        await found.stop()
        return JSONReply.response(RequestCancellation(id: String(number), status: "cancelling"), status: .accepted)
    }
}

extension LoggedRequest {
    /// The wire form of a row.
    fileprivate init(_ row: StoredRequest) {
        let entry = row.entry
        self.init(
            id: row.id, at: Timestamp.milliseconds(entry.at), method: entry.method, route: entry.route,
            path: entry.path, status: entry.status, phase: entry.phase, keyID: entry.keyID, key: entry.key,
            model: entry.model, upstream: entry.upstream, error: entry.error, requestID: entry.requestID,
            isCancelled: entry.isCancelled ? true : nil, isBroken: entry.isBroken ? true : nil,
            queueMilliseconds: entry.queued.map { Double($0) / 1000 },
            firstTokenMilliseconds: entry.firstToken.map { Double($0) / 1000 },
            totalMilliseconds: Double(entry.total) / 1000, promptTokens: entry.promptTokens,
            generatedTokens: entry.generatedTokens, requestBytes: entry.requestBytes,
            responseBytes: entry.responseBytes)
    }
}

extension RequestInFlight {
    /// The wire form of what is known.
    fileprivate init(_ number: UInt64, _ facts: LiveFacts) {
        let request = facts.request
        let isQueued = request.phase == .queued
        let streaming = request.answeredAt.map { (ContinuousClock.now - $0).milliseconds }
        var rate: Double?
        if let tokens = facts.generatedTokens, let streaming, streaming > 0, request.phase == .streaming {
            rate = (Double(tokens) / streaming * 10_000).rounded() / 10
        }
        self.init(
            id: String(number), method: facts.method, route: facts.route, path: facts.path,
            phase: request.phase.rawValue, place: isQueued ? request.placeNow?() ?? request.place : nil,
            keyID: request.keyID,
            key: request.key, model: request.model, upstream: facts.upstream, requestID: facts.requestID,
            ageMilliseconds: facts.age.milliseconds, firstTokenMilliseconds: request.firstByte?.milliseconds,
            generatedTokens: request.phase == .streaming ? facts.generatedTokens : nil, tokensPerSecond: rate,
            responseBytes: facts.responseBytes)
    }
}
