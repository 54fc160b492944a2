import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes for chat sessions.
struct SessionRoutes: Sendable {
    static let compressionStates = ["full", "processing", "compressed", "hybrid"]

    let store: any ConversationSessions
    let watch: SessionWatch
    let bodyLimit: Int

    /// `GET /api/sessions`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in try await store.page(after: cursor, limit: limit) }
        return JSONReply.response(SessionsResponse(sessions: page.items, nextCursor: page.next?.text))
    }

    /// `GET /api/sessions/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        guard let session = try await store.find(id) else { throw GatewayError.noSession(id) }
        watch.opened(id, context)
        return JSONReply.response(session)
    }

    /// `PUT /api/sessions/:id`
    func save(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        let update = try await JSONRequest.decode(SessionUpdate.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await store.save(id, Self.change(update)))
    }

    /// `PATCH /api/sessions/:id/pin`
    func pin(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        let pin = try await JSONRequest.decode(PinRequest.self, from: request, limit: bodyLimit, in: context)
        guard let session = try await store.pin(id, pin.isPinned) else { throw GatewayError.noSession(id) }
        return JSONReply.response(session)
    }

    /// `DELETE /api/sessions/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        guard try await store.delete(id) else { throw GatewayError.noSession(id) }
        watch.deleted(id)
        return JSONReply.response(DeletedSessionResponse(id: id))
    }

    private static func change(_ update: SessionUpdate) throws -> SessionChange {
        var change = SessionChange()
        change.title = try FieldCheck.text(update.title, "title", maxBytes: NotesLimits.maxTitleBytes)
        change.createdAt = try FieldCheck.date(update.createdAt, "created_at")
        change.updatedAt = try FieldCheck.date(update.updatedAt, "updated_at")
        if let count = update.messageCount {
            change.messageCount = try FieldCheck.limit(count, "message_count", default: nil, in: 0...1_000_000_000)
        }
        change.isPinned = update.isPinned
        change.compressionState = try update.compressionState.map {
            try FieldCheck.word($0, "compression_state", of: compressionStates)
        }
        change.compressedAt = try update.compressedAt.map { try FieldCheck.date($0, "compressed_at") ?? 0 }
        change.summaryText = try update.summaryText.map {
            try FieldCheck.text($0, "summary_text", maxBytes: .max, mayBeEmpty: true) as String
        }
        if let messages = update.messages {
            guard update.messagesJSON.isKeep else {
                throw GatewayError.field("messages", "cannot be combined with \"messages_json\"")
            }
            change.messagesJSON = .set(String(decoding: JSONValue.array(messages).json, as: UTF8.self))
        } else {
            change.messagesJSON = try update.messagesJSON.map(checkedMessages)
        }
        return change
    }

    /// Checks that a text is a JSON array and returns it unchanged.
    private static func checkedMessages(_ text: String) throws -> String {
        let text = try FieldCheck.text(text, "messages_json", maxBytes: .max) as String
        guard let document = try? JSONDocument(parsing: Array(text.utf8)), document.isArray else {
            throw GatewayError.field("messages_json", "expected a JSON array as text")
        }
        return text
    }
}

/// The routes for messages of chat sessions.
struct MessageRoutes: Sendable {
    let store: any ConversationMessages
    let watch: SessionWatch
    let bodyLimit: Int

    /// `GET /api/sessions/:id/messages`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let order = try request.word("order", of: MessageOrder.allCases.map(\.rawValue)) ?? MessageOrder.oldest.rawValue
        let isNewestFirst = order == MessageOrder.newest.rawValue
        let cursor = try Self.start(request, isNewestFirst: isNewestFirst)
        let found = try await context.scan { [store] in
            isNewestFirst
                ? try await store.newestPage(of: id, after: cursor, limit: limit)
                : try await store.page(of: id, after: cursor, limit: limit)
        }
        guard let page = found else {
            throw GatewayError.noSession(id)
        }
        if cursor == nil { watch.opened(id, context) }
        return JSONReply.response(
            MessagesResponse(sessionId: id, messages: page.items, nextCursor: page.next?.text))
    }

    /// Returns where the page begins: at a cursor, or before a message.
    private static func start(_ request: Request, isNewestFirst: Bool) throws(GatewayError) -> PageCursor? {
        let cursor = try request.cursor()
        guard let before = try request.rowID("before") else { return cursor }
        guard isNewestFirst else { throw .field("before", "needs \"order=newest\"") }
        guard cursor == nil else { throw .field("before", "cannot be combined with \"cursor\"") }
        return PageCursor(before: before)
    }

    /// `GET /api/messages/recent`
    func recent(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 10, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.recent(after: cursor, limit: limit)
        }
        return JSONReply.response(MessagesResponse(messages: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/sessions/:id/messages`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.sessionID()
        let new = try await JSONRequest.decode(NewMessage.self, from: request, limit: bodyLimit, in: context)
        let role = try FieldCheck.word(new.role, "role", of: ["user", "assistant"])
        let content = try FieldCheck.text(new.content, "content", maxBytes: .max) as String
        guard let message = try await store.add(to: id, role: role, content: content) else {
            throw GatewayError.noSession(id)
        }
        return JSONReply.response(message, status: .created)
    }
}

extension GatewayRequestContext {
    /// The session id in the path.
    fileprivate func sessionID() throws(GatewayError) -> String {
        try pathText("id", maxBytes: NotesLimits.maxSessionIDBytes)
    }
}

extension GatewayError {
    /// 404 for an unknown session.
    fileprivate static func noSession(_ id: String) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no session \"\(id)\"")
    }
}
