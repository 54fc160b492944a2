import Access
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import PushRoom
import Server

/// The routes that tell what happened: log, explanations, receipts and the stream.
struct PushLogRoutes: Sendable {
    private static let maxPage = 500

    let room: PushRoom
    let changes: PushChanges
    let explainer: Explainer
    let reading: PushReading
    let bodyLimit: Int
    private let readers = EventReaders(of: "notifications", limit: 1000, limitOfKey: 64)

    init(_ service: PushService, bodyLimit: Int) {
        (room, changes, reading) = (service.room, service.changes, service.reading)
        (explainer, self.bodyLimit) = (Explainer(service), bodyLimit)
    }

    /// `GET /api/v1/log`
    func log(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let cursor = try request.cursor()
        var filter = PushLogFilter()
        filter.device = try request.parameter("device")
        filter.topic = try request.parameter("topic")
        filter.text = try FieldCheck.text(try request.parameter("q"), "q", maxBytes: 256)
        if let word = try request.parameter("status") {
            guard let state = PushState(word: word) else {
                throw GatewayError.field(
                    "status", "expected \(PushState.allCases.map(\.word).joined(separator: ", "))")
            }
            filter.state = state
        }
        let wanted = filter
        let page = try await context.scan { [log = room.log] in
            try await log.page(wanted, after: cursor, limit: limit)
        }
        return JSONReply.response(
            PushLogPage(
                log: page.items.map { Explainer.line($0, hasTitle: true) }, nextCursor: page.next?.text))
    }

    /// The latest deliveries as a topic of the console.
    var topic: LiveTopic {
        LiveTopic("pushes", .pushAdmin) { [log = room.log] in
            let page = try await log.page(PushLogFilter(), after: nil, limit: 50)
            return PushLogPage(log: page.items.map { Explainer.line($0, hasTitle: true) }, nextCursor: nil)
        }
    }

    /// `GET /api/v1/deliveries/:id/explain`
    func explain(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try await own(context)
        return JSONReply.response(try await explainer.explain(id))
    }

    /// `POST /api/v1/deliveries/:id/receipts`
    func receipt(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try await own(context)
        let wanted = try await JSONRequest.decode(
            PushReceiptRequest.self, from: request, limit: bodyLimit, in: context)
        guard wanted.event == "action" || wanted.action == nil else {
            throw GatewayError.field("action", "belongs to the event action")
        }
        guard wanted.event == "result" || (wanted.success == nil && wanted.output == nil) else {
            throw GatewayError.field("success", "belongs to the event result, as output does")
        }
        let receipt: PushReceipt
        switch wanted.event {
        case "delivered": receipt = .delivered
        case "opened": receipt = .opened
        case "acknowledged": receipt = .acknowledged
        case "action":
            guard let action = wanted.action else { throw GatewayError.field("action", "is required") }
            receipt = .action(try FieldCheck.text(action, "action", maxBytes: 64))
        case "result":
            guard let success = wanted.success else { throw GatewayError.field("success", "is required") }
            let output = try FieldCheck.text(wanted.output, "output", maxBytes: PushReceipt.maxOutput)
            receipt = .result(success, output: output)
        default: throw GatewayError.field("event", "expected delivered, opened, action, acknowledged or result")
        }
        _ = try await changes.note(receipt, of: id)
        return Response(status: .noContent)
    }

    /// `POST /api/v1/deliveries/:id/retry`
    func retry(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let delivery = try await changes.retry(context.pathText("id", maxBytes: 64))
        let (entry, _, _) = try await room.log.entry(delivery.uuid)
        return JSONReply.response(Explainer.line(entry, hasTitle: true), status: .accepted)
    }

    /// `DELETE /api/v1/deliveries/:id`: drops a failed delivery.
    func discard(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let delivery = try await room.outbox.discard(context.pathText("id", maxBytes: 64))
        let (entry, _, _) = try await room.log.entry(delivery.uuid)
        return JSONReply.response(Explainer.line(entry, hasTitle: true))
    }

    /// `GET /api/v1/stream`: a device's notifications, or all events.
    func stream(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try request.parameter("device")
        var device: StoredPushDevice?
        if let id {
            let found = try await room.devices.find(id)
            guard !found.isHidden else { throw GatewayError(.notFound, .notFound, "there is no device \(found.uuid)") }
            if found.owner != context.identity.keyID { try context.requireScope(.pushAdmin) }
            try await room.devices.markSeen(found.id)
            device = found
        } else {
            guard try request.flag("all") else {
                throw GatewayError.field("device", "is required, or all=true for the events of all devices")
            }
            try context.requireScope(.pushAdmin)
        }
        let given = try request.headers[.lastEventID] ?? request.parameter("since")
        var seen: Int64?
        if let given, !given.isEmpty {
            // An id that is no number was never one of ours: the reader starts anew.
            seen = Int64(given) ?? .max
        }
        let place = try readers.take(context.identity.rootKey)
        let reader = context.eventReader(device == nil ? .pushAdmin : .pushReceive)
        return PushEventStream(reading: reading, device: device, seen: seen, reader: reader).response(place)
    }

    /// The delivery of the path. Without `push:admin`, a key sees deliveries of what it sent, and to its devices.
    private func own(_ context: GatewayRequestContext) async throws -> String {
        let id = try context.pathText("id", maxBytes: 64)
        let (entry, device, _) = try await room.log.entry(id)
        let key = context.identity.keyID
        if entry.message.sender != key, device?.owner != key { try context.requireScope(.pushAdmin) }
        return id
    }
}
