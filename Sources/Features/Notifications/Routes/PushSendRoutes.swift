import Access
import Cryptography
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushRoom
import Schedules
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The routes that send, change and take back notifications.
struct PushSendRoutes: Sendable {
    /// Bytes of an `Idempotency-Key`.
    private static let maxKey = 255

    let room: PushRoom
    let sending: PushSending
    let templates: PushTemplates
    let changes: PushChanges
    let bodyLimit: Int

    /// `POST /api/v1/messages`
    func send(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (bytes, name) = try await body(of: request, context)
        let wanted: PushSendRequest
        do { wanted = try decode(PushSendRequest.self, bytes) } catch {
            try Self.refuseModel(bytes, at: request.uri.path)
            throw error
        }
        var order = PushOrder(try await templates.message(wanted.message, wanted.template, wanted.inputs))
        order.topic = wanted.topic ?? order.topic
        order.devices = try checked(wanted.devices)
        if let text = wanted.notBefore {
            guard let instant = PushTime.instant(text),
                instant <= PushTime.now.adding(seconds: PulpitNotification.longest)
            else {
                throw GatewayError.field(
                    "notBefore", "expected a time within 366 days, such as 2026-12-24T18:00:00Z")
            }
            order.notBefore = instant
        }
        order.request = name
        return try await submit(order, context)
    }

    /// `POST /api/v1/notifications`: Pulpit's form.
    func pulpit(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (bytes, name) = try await body(of: request, context)
        let wanted = try pulpit(bytes)
        var order = PushOrder(wanted.message)
        order.devices = wanted.devices.isEmpty ? nil : wanted.devices
        order.notBefore = wanted.notBefore
        order.request = name
        // Pulpit knows a repeated request by its id.
        if name == nil, let id = wanted.id {
            order.request = PushRequestName(
                caller: context.identity.callerName, name: "id \(id)", hash: Data(SHA256.hash(data: bytes)))
        }
        return try await submit(order, context)
    }

    private func pulpit(_ bytes: [UInt8]) throws -> PulpitNotification {
        let value = try value(bytes)
        return try refusing { () throws(PushFieldError) in try PulpitNotification(value, now: PushTime.now) }
    }

    /// `POST /api/v1/notifications/:name`: a template. The body has `inputs`, `devices`, `topic` and `delay`.
    func named(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let template = try context.pathText("name", maxBytes: 64)
        guard try await room.library.find(.template, template) != nil else {
            throw GatewayError(.notFound, .notFound, "there is no notification \"\(template)\"")
        }
        let (bytes, name) = try await body(of: request, context, mayBeEmpty: true)
        let wanted = bytes.isEmpty ? NamedRequest() : try decode(NamedRequest.self, bytes)
        var order = PushOrder(try await templates.render(template, wanted.inputs ?? [:]))
        order.topic = wanted.topic ?? order.topic
        order.devices = try checked(wanted.devices)
        if let delay = wanted.delay {
            guard delay.isFinite, (0...Double(PulpitNotification.longest)).contains(delay) else {
                throw GatewayError.field("delay", "expected 0 to \(PulpitNotification.longest) seconds")
            }
            if delay > 0 { order.notBefore = PushTime.now.adding(milliseconds: Int64(delay * 1000)) }
        }
        order.request = name
        return try await submit(order, context)
    }

    private struct NamedRequest: Codable {
        var inputs: [String: JSONValue]?
        var devices: [String]?
        var topic: String?
        var delay: Double?
    }

    /// `POST /ntfy/:topic` and `PUT /ntfy/:topic`
    func ntfy(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let topic = try context.pathText("topic", maxBytes: 64)
        return try await publish(rawBody(of: request, context), in: topic, request, context)
    }

    private func publish(
        _ bytes: [UInt8], in topic: String, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> Response {
        let headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        let read = try refusing { () throws(PushFieldError) in
            try NtfyPublish(
                topic: topic, headers: headers, query: request.queryFields, body: bytes, now: PushTime.now, zone: .utc)
        }
        return try await submit(read, context)
    }

    /// `POST /:topic` and `PUT /:topic`: ntfy's own paths, with ``PushSettings/hasNtfyRoot``.
    ///
    /// - Throws: ``GatewayError`` with 404 for a word of another protocol and for a request to a model, which a wrong base address
    ///   leads here.
    func ntfyRoot(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let topic = try context.pathText("topic", maxBytes: 1024)
        guard PushOrder.isTopic(topic), !PathSuggestion.reserved.contains(topic.lowercased()) else {
            throw GatewayError(.notFound, .notFound, PathSuggestion.missing(request.uri.path))
        }
        let bytes = try await rawBody(of: request, context)
        try Self.refuseModel(bytes, at: request.uri.path)
        return try await publish(bytes, in: topic, request, context)
    }

    /// `POST /`: ntfy's JSON form at the root, with ``PushSettings/hasNtfyRoot``.
    func ntfyRootJSON(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let bytes = try await rawBody(of: request, context)
        try Self.refuseModel(bytes, at: "/")
        return try await publishJSON(bytes, context)
    }

    /// Refuses a body that asks a model something, which a wrong base address leads here.
    private static func refuseModel(_ bytes: [UInt8], at path: String) throws(GatewayError) {
        guard bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
            case .object(let members)? = (try? JSONDocument(parsing: bytes))?.value,
            ["model", "prompt", "messages"].contains(where: { members[$0] != nil })
        else { return }
        let hint = path.hasPrefix("/api/v1/") ? "did you mean \(path.dropFirst("/api".count))? " : ""
        throw GatewayError(
            .notFound, .notFound,
            "\(path) takes notifications, and this body is for a model: \(hint)Ollama's API is at /api, OpenAI's and "
                + "Anthropic's at /v1")
    }

    /// `POST /ntfy`: ntfy's JSON form.
    func ntfyJSON(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await publishJSON(rawBody(of: request, context), context)
    }

    private func publishJSON(_ bytes: [UInt8], _ context: GatewayRequestContext) async throws -> Response {
        let read = try refusing { () throws(PushFieldError) in
            try NtfyPublish(json: bytes, now: PushTime.now, zone: .utc)
        }
        return try await submit(read, context)
    }

    private func submit(_ published: NtfyPublish, _ context: GatewayRequestContext) async throws -> Response {
        var order = PushOrder(published.message)
        order.topic = published.topic
        order.notBefore = published.notBefore
        order.source = "ntfy"
        try checkRights(order.message, order.topic, context)
        // As with ntfy, who reads the topic later gets what was published before.
        try await NtfyReader.register(at: room)
        let stored = try await store(order, context)
        let time = published.notBefore ?? PushTime.now
        let form = NtfyMessage(
            published.message, id: stored.message.uuid, topic: published.topic, time: time.seconds)
        return JSONReply.response(form?.json ?? .object(["id": .string(stored.message.uuid)]))
    }

    /// `GET /api/v1/messages/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(Self.notification(try await own(context)))
    }

    /// `PATCH /api/v1/messages/:id`
    func update(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let known = try await own(context)
        let wanted = try await JSONRequest.decode(PushUpdateRequest.self, from: request, limit: bodyLimit, in: context)
        let message = try refusing("message.") { () throws(PushFieldError) in try PushMessage(wanted.message) }
        try checkRights(message, known.message.topic, context)
        return JSONReply.response(
            Self.notification(try await changes.update(known.message.uuid, to: message)), status: .accepted)
    }

    /// `DELETE /api/v1/messages/:id` and `DELETE /api/v1/execute/:id`
    func recall(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let known = try await own(context)
        return JSONReply.response(Self.notification(try await changes.recall(known.message.uuid)))
    }

    /// The notification of the path. Without `push:admin`, a key sees only what it sent.
    private func own(_ context: GatewayRequestContext) async throws -> PushSubmission {
        let found = try await room.outbox.find(context.pathText("id", maxBytes: 64))
        if found.message.sender != context.identity.keyID { try context.requireScope(.pushAdmin) }
        return found
    }

    private func submit(_ order: PushOrder, _ context: GatewayRequestContext) async throws -> Response {
        let stored = try await store(order, context)
        var response = JSONReply.response(
            Self.notification(stored, isRepeat: stored.isKnown), status: .accepted)
        response.headers[.location] = "/api/v1/messages/\(stored.message.uuid)"
        return response
    }

    /// Stores an order in the name of the caller, if it may send in the topic.
    private func store(_ order: PushOrder, _ context: GatewayRequestContext) async throws -> PushSubmission {
        try checkRights(order.message, order.topic, context)
        var order = order
        order.sender = context.identity.keyID
        return try await sending.submit(order)
    }

    /// Refuses a key that may not send in the topic, and a key for topics whose message has a button that the gateway runs:
    /// such a key could not run it by itself.
    private func checkRights(_ message: PushMessage, _ topic: String, _ context: GatewayRequestContext) throws {
        try context.requireTopic(topic)
        if message.actions.contains(where: \.needsServer) { try context.requireScope(.pushSend) }
    }

    /// The notification for clients.
    ///
    /// - Parameter isRepeat: Whether a request with the same `Idempotency-Key` sent it before.
    static func notification(_ submission: PushSubmission, isRepeat: Bool = false) -> PushNotification {
        let deliveries = submission.deliveries.map { entry in
            PushNotification.Delivery(
                id: entry.delivery.uuid, device: entry.device, name: entry.name, status: entry.delivery.state.word)
        }
        let states = Set(submission.deliveries.map(\.delivery.state))
        let status: String =
            if submission.message.isRecalled {
                PushState.recalled.word
            } else if states.contains(.queued) || states.contains(.sending) {
                PushState.queued.word
            } else if states.count == 1, let only = states.first {
                only.word
            } else {
                states.isEmpty ? PushState.failed.word : "mixed"
            }
        return PushNotification(
            id: submission.message.uuid, status: status, topic: submission.message.topic,
            isRepeat: isRepeat ? true : nil, deliveries: deliveries)
    }

    private func checked(_ devices: [String]?) throws(GatewayError) -> [String]? {
        try FieldCheck.texts(
            devices, "devices", maxCount: PulpitNotification.devices, maxBytes: PushMessage.Limits.name)
    }

    /// The body, and the name of the request by its `Idempotency-Key`.
    private func body(
        of request: Request, _ context: GatewayRequestContext, mayBeEmpty: Bool = false
    ) async throws -> ([UInt8], PushRequestName?) {
        let bytes = try await JSONRequest.bytes(of: request, limit: bodyLimit, in: context)
        guard mayBeEmpty || !bytes.isEmpty else {
            throw GatewayError(.badRequest, .invalidJSON, "the body is empty; expected a JSON object")
        }
        guard let key = request.headers[.idempotencyKey] else { return (bytes, nil) }
        guard (1...Self.maxKey).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw GatewayError.field("Idempotency-Key", "expected 1 to \(Self.maxKey) visible ASCII characters")
        }
        var hash = SHA256()
        hash.update(data: Array(request.uri.path.utf8) + [0])
        hash.update(data: bytes)
        return (
            bytes,
            PushRequestName(
                caller: context.identity.callerName, name: "key \(key)", hash: Data(hash.finalize()))
        )
    }

    private func rawBody(of request: Request, _ context: GatewayRequestContext) async throws -> [UInt8] {
        let limit = min(bodyLimit, 64 << 10)
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard chunk.readableBytes <= limit - bytes.count else {
                throw GatewayError(
                    .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes",
                    headers: [.connection: "close"])
            }
            try context.body?.grow(by: chunk.readableBytes)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    private func value(_ bytes: [UInt8]) throws -> JSONValue { try decode(JSONValue.self, bytes) }

    private func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONRequest.decode(type, from: bytes)
    }
}

extension HTTPField.Name {
    // The name is a literal and a valid token, so unwrapping it cannot fail.
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
