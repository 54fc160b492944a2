import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushRoom
import Schedules
import Server

struct PushScheduleRoutes: Sendable {
    private static let maxPage = 100
    /// Bytes of a schedule.
    private static let maxBody = 128 << 10
    /// Times that are shown.
    private static let shown = 5

    let store: PushScheduleStore
    let sending: PushSending
    let templates: PushTemplates
    let rules: RuleBook
    let bodyLimit: Int

    /// `GET /api/v1/schedules`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let page = try await store.page(after: try request.cursor(), limit: limit)
        return JSONReply.response(
            PushScheduleList(schedules: page.items.map { show($0) }, nextCursor: page.next?.text))
    }

    /// `POST /api/v1/schedules/preview`: the next times, without storing anything.
    func preview(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await decode(request, context)
        let version = rules.refreshZones()
        let rule = try PushScheduleRule(wanted, zones: rules.zones)
        return JSONReply.response(
            PushSchedulePreview(
                next: rule.next(Self.shown, after: PushTime.now), gap: rule.schedule.daylight.gap.rawValue,
                overlap: rule.schedule.daylight.overlap.rawValue, zoneData: version))
    }

    /// `POST /api/v1/schedules`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let checked = try await read(request, context)
        let stored = try await store.add(
            name: checked.name, document: checked.document, isOn: checked.isOn, now: checked.now.milliseconds,
            nextDue: checked.next, zoneVersion: checked.version)
        sending.wakeSignals.schedules.signal()
        var response = JSONReply.response(show(stored), status: .created)
        response.headers[.location] = "/api/v1/schedules/\(stored.uuid)"
        return response
    }

    /// `GET /api/v1/schedules/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(show(try await store.find(context.pathText("id", maxBytes: 64))))
    }

    /// `PUT /api/v1/schedules/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: 64)
        let checked = try await read(request, context)
        let stored = try await store.change(
            id, name: checked.name, document: checked.document, isOn: checked.isOn, now: checked.now.milliseconds,
            nextDue: checked.next, zoneVersion: checked.version)
        sending.wakeSignals.schedules.signal()
        return JSONReply.response(show(stored))
    }

    /// `DELETE /api/v1/schedules/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await store.delete(context.pathText("id", maxBytes: 64))
        return Response(status: .noContent)
    }

    /// A schedule that may be stored.
    private struct Checked {
        var name: String
        var document: String
        var isOn: Bool
        var now: Instant
        var next: Int64?
        var version: String?
    }

    private func decode(
        _ request: Request, _ context: GatewayRequestContext
    ) async throws -> PushScheduleRequest {
        try await JSONRequest.decode(
            PushScheduleRequest.self, from: request, limit: min(bodyLimit, Self.maxBody), in: context)
    }

    /// Reads a schedule and checks all of it, its message included.
    private func read(_ request: Request, _ context: GatewayRequestContext) async throws -> Checked {
        let wanted = try await decode(request, context)
        let name = try FieldCheck.text(wanted.name, "name", maxBytes: 128) as String
        let version = rules.refreshZones()
        let rule = try PushScheduleRule(wanted, zones: rules.zones)
        _ = try FieldCheck.texts(
            wanted.devices, "devices", maxCount: PulpitNotification.devices, maxBytes: PushMessage.Limits.name)
        var order = PushOrder(try await templates.message(wanted.message, wanted.template, wanted.inputs))
        order.topic = wanted.topic ?? order.topic
        // Devices may come later; those that a name means have to exist.
        let devices = wanted.devices == nil ? [] : try await sending.devices(wanted.devices)
        _ = try sending.draft(order, to: devices)
        let now = PushTime.now
        let next = rule.nextDue(after: now)
        guard next != nil else {
            throw GatewayError.field(
                wanted.at != nil ? "at" : wanted.cron != nil ? "cron" : "rrule", "has no time after now")
        }
        return Checked(
            name: name, document: String(decoding: try JSONReply.data(wanted), as: UTF8.self),
            isOn: wanted.enabled ?? true, now: now, next: next, version: version)
    }

    private func show(_ stored: StoredPushSchedule) -> PushSchedule {
        let read = try? JSONDocument(parsing: Array(stored.document.utf8)).decode(PushScheduleRequest.self)
        let request = read ?? PushScheduleRequest(name: stored.name)
        let rule = try? PushScheduleRule(request, zones: rules.zones)
        var schedule = PushSchedule(
            id: stored.uuid, schedule: request, enabled: stored.isOn,
            next: stored.isOn ? rule?.next(Self.shown, after: PushTime.now) ?? [] : [])
        schedule.lastRun = stored.lastRun
        schedule.missed = stored.missed
        schedule.zoneData = stored.zoneVersion
        return schedule
    }
}
