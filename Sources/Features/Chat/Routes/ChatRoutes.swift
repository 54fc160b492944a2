import Database
import Storage
import Access
import ChatRoom
import GatewayAPI
import HTTPTypes
import Hummingbird
import Prompts
package import Server
import KeyRoom
import Tools

/// The routes below `/api/chat/runs`.
package struct ChatRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// The largest number of runs in a page.
    static let maxPage = 200

    let service: ChatService
    /// The model of a request that names none.
    let defaultModel: @Sendable () -> String
    let bodyLimit: Int
    private let metrics: ChatMetrics
    private let readers = EventReaders(
        of: "runs", limit: ChatLimits.readers, limitOfKey: ChatLimits.readersOfKey)

    package init(
        service: ChatService, metrics: ChatMetrics, defaultModel: @escaping @Sendable () -> String, bodyLimit: Int
    ) {
        self.service = service
        self.metrics = metrics
        self.defaultModel = defaultModel
        self.bodyLimit = min(bodyLimit, 1 << 20)
    }

    /// Adds the routes. All need the scopes `llm` and `notes:read`.
    package func add(to router: GatewayRouter) {
        router.add(.post, "/api/chat/runs", .requireScope(.llm, spendsTokens: true), begin)
        router.add(.get, "/api/chat/runs", .requireScope(.notesRead), list)
        router.add(.get, "/api/chat/runs/:id", .requireScope(.notesRead), show)
        router.add(.delete, "/api/chat/runs/:id", .requireScope(.llm), stop)
        router.add(.get, "/api/chat/runs/:id/events", .requireScope(.notesRead), events)
        router.add(
            .post, "/api/chat/runs/:id/continue", .requireScope(.llm, spendsTokens: true), takesFields: false, resume)
        router.add(.post, "/api/sessions/:id/compress", .requireScope(.llm, spendsTokens: true), compress)
    }

    /// Writes the metrics of the feature.
    package func write(to text: inout PrometheusText) {
        metrics.write(running: service.running, readers: readers.count, to: &text)
    }

    /// Begins a run: 201, or 200 for one that is known.
    func begin(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(ChatRunRequest.self, from: request, limit: bodyLimit, in: context)
        let model = try FieldCheck.text(body.model, "model", maxBytes: 256) ?? defaultModel()
        let plan = try Self.plan(body)
        try context.requireScope(.notesRead)
        try context.requireModel(model)
        context.trace.use(model: model)
        let begun = try await service.begin(plan, model: model, owner: RunOwner(context))
        var response = JSONReply.response(begun.run, status: begun.isNew ? .created : .ok)
        response.headers[.location] = "/api/chat/runs/\(begun.run.id)"
        return response
    }

    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let state = request.queryField("state")
        guard state == nil || state == "running" else { throw GatewayError.field("state", "only \"running\" is known") }
        let session = request.queryField("session")
        let cursor = try request.cursor()
        let page = try await context.scan { [store = service.engine.answers] in
            try await store.page(running: state != nil, session: session, after: cursor, limit: limit)
        }
        return JSONReply.response(
            ChatRunsResponse(
                runs: page.items.map(Self.line), nextCursor: page.next?.text))
    }

    /// The runs as a topic of the console.
    package var topic: LiveTopic {
        LiveTopic("runs", .notesRead) { [store = service.engine.answers] in
            func runs(_ isRunning: Bool) async throws -> [ChatRun] {
                try await store.page(running: isRunning, session: nil, after: nil, limit: 50).items.map(Self.line)
            }
            return LiveRuns(running: try await runs(true), latest: try await runs(false))
        }
    }

    /// A run of a list, without its text.
    private static func line(_ stored: StoredChatRun) -> ChatRun {
        var run = ChatRun(stored, options: .init(stored: stored.request))
        (run.text, run.record) = (nil, nil)
        return run
    }

    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await service.find(try Self.id(context)))
    }

    func stop(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        // The answer is the whole run, with passages of notes.
        try context.requireScope(.notesRead)
        return JSONReply.response(try await service.stop(try Self.id(context)))
    }

    func resume(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let run = try await service.find(id)
        try context.requireScope(.notesRead)
        try context.requireModel(run.model)
        return JSONReply.response(try await service.resume(id, owner: RunOwner(context)).run)
    }

    /// Streams the run as server-sent events until it ends.
    func events(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let last = request.headers[.lastEventID] ?? request.queryField("after")
        // An unknown run is 404, not an empty stream.
        if service.live(id) == nil { _ = try await service.find(id) }
        let place = try readers.take(context.identity.rootKey)
        let reader = context.eventReader(.notesRead)
        return RunEventStream(service: service, id: id, lastEventID: last, place: place, client: reader).response()
    }

    /// Requests a summary of a session's old messages: 202 with the session, or 200 when there is nothing to summarise.
    func compress(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: NotesLimits.maxSessionIDBytes)
        guard try await service.engine.store.sessions.find(id) != nil else {
            throw GatewayError(.notFound, .notFound, "there is no session \"\(id)\"")
        }
        let body = try await JSONRequest.decodeIfPresent(
            CompressRequest.self, from: request, limit: bodyLimit, in: context)
        let model = try FieldCheck.text(body?.model, "model", maxBytes: 256) ?? defaultModel()
        try context.requireScope(.notesRead)
        try context.requireModel(model)
        let isRequested = try await service.compress(id, model: model, key: context.identity.keyID)
        guard let session = try await service.engine.store.sessions.find(id) else {
            throw GatewayError(.notFound, .notFound, "there is no session \"\(id)\"")
        }
        return JSONReply.response(session, status: isRequested ? .accepted : .ok)
    }

    /// A client has read a session as one does that opens it. Callers that may not chat have nothing computed ahead.
    package func opened(_ session: String, _ context: GatewayRequestContext) {
        guard let mayUse = Self.chatting(context) else { return }
        service.opened(session, by: RunOwner(context), mayUse: mayUse)
    }

    /// A reader has set the reading position of a book; nil when the whole book may be shown.
    package func read(_ book: Int64, _ position: Int?, _ context: GatewayRequestContext) {
        guard let mayUse = Self.chatting(context) else { return }
        service.read(book, to: position, model: defaultModel(), by: RunOwner(context), mayUse: mayUse)
    }

    /// Whether a caller may use a model now, by its full name; nil for one that may not chat.
    private static func chatting(_ context: GatewayRequestContext) -> (@Sendable (String) async -> Bool)? {
        let identity = context.identity
        guard let keys = context.keys, identity.grant.scopes.allow(.llm), identity.grant.scopes.allow(.notesRead) else {
            return nil
        }
        let isGood = keys.question(of: identity, for: .llm)
        return { model in
            guard keys.allows(model: model, to: identity), !keys.isSpent(identity) else { return false }
            return (try? await isGood()) == true
        }
    }

    private static func id(_ context: GatewayRequestContext) throws -> String {
        try context.pathText("id", maxBytes: 200)
    }

    // MARK: Checking requests

    static func plan(_ body: ChatRunRequest) throws -> RunPlan {
        guard (1...ChatLimits.idBytes).contains(body.id.utf8.count), body.id.utf8.allSatisfy(isIDByte) else {
            throw GatewayError.field("id", "must have 1 to \(ChatLimits.idBytes) letters, digits, \"-\" or \"_\"")
        }
        let question = try FieldCheck.text(body.question, "question", maxBytes: ChatLimits.questionBytes) as String
        let session = try FieldCheck.text(body.session, "session", maxBytes: NotesLimits.maxSessionIDBytes)
        let kind = try body.kind.map { name throws(GatewayError) in
            guard let kind = ChatKind(rawValue: name) else {
                throw GatewayError.field(
                    "kind", "expected one of " + ChatKind.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return kind
        }
        let chosen = kind ?? .ask
        try check(body.scope)
        if chosen.needsThread, body.scope?.thread?.values.isEmpty ?? true {
            throw GatewayError.field("scope.thread", "is required for the kind \"\(chosen.rawValue)\"")
        }
        let books = body.scope?.book?.values ?? []
        guard chosen.needsBook ? (1...ChatLimits.books).contains(books.count) : books.isEmpty else {
            throw GatewayError.field(
                "scope.book",
                chosen.needsBook ? "needs 1 to \(ChatLimits.books) books" : "belongs to the kind \"book\" only")
        }
        let options = RunPlan.Options(
            kind: chosen.rawValue, scope: body.scope, tools: (body.tools ?? true) && chosen.usesNotes,
            strict: body.strict ?? false,
            limit: try FieldCheck.limit(body.limit, default: chosen.passages, in: 1...ChatLimits.passages),
            thinks: body.thinks, memories: body.memories)
        return RunPlan(id: body.id, question: question, session: session, parent: body.parent, options: options)
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func check(_ scope: ChatScope?) throws {
        guard let scope else { return }
        for (name, list) in [("thread", scope.thread), ("tag", scope.tag), ("noteType", scope.noteType)] {
            _ = try FieldCheck.texts(
                list?.values, "scope.\(name)", maxCount: 32, maxBytes: NotesLimits.maxWordBytes)
        }
        for (name, date) in [("since", scope.timeScope?.since), ("until", scope.timeScope?.until)] {
            guard let date else { continue }
            guard Timestamp.unixSeconds(date) != nil else {
                throw GatewayError.field("scope.timeScope.\(name)", "\"\(date)\" is not a date such as 2026-01-31")
            }
        }
        if let days = scope.timeScope?.days, !(0...NotesLimits.maxDays).contains(days) {
            throw GatewayError.field("scope.timeScope.days", "must be from 0 to \(Int(NotesLimits.maxDays))")
        }
    }
}

extension RunOwner {
    /// The caller of a request.
    init(_ context: GatewayRequestContext) {
        let identity = context.identity
        self.init(
            caller: identity.caller, key: identity.keyID,
            scopes: Set(identity.grant.scopes.map(\.rawValue)),
            charge: { [keys = context.keys] model, prompt, completion in
                keys?.recordTokens(identity, of: model, prompt: prompt, completion: completion)
            })
    }
}
