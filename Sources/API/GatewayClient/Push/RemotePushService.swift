public import Foundation
public import GatewayAPI

/// Calls the routes of notifications: messages, devices, templates, schedules and the log.
///
/// Every method throws ``GatewayClientError``. A message gets its name here, so one that is sent again is stored once.
public struct RemotePushService: Sendable {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Messages

    /// `POST /api/v1/messages`: stores a notification and a delivery for each device.
    ///
    /// - Parameter name: The `Idempotency-Key`: within 48 hours a message of the same name is stored once.
    public func send(_ request: PushSendRequest, name: String = UUID().uuidString) async throws -> PushNotification {
        var call = try Call("POST", "/api/v1/messages", request, .always)
        call.headers["Idempotency-Key"] = name
        return try await connection.send(call)
    }

    /// `GET /api/v1/messages/:id`: returns a notification with its deliveries.
    public func message(_ id: String) async throws -> PushNotification {
        try await connection.send(Call("GET", try path("messages", id)))
    }

    /// `DELETE /api/v1/messages/:id`: takes a notification back.
    @discardableResult
    public func recall(_ id: String) async throws -> PushNotification {
        try await connection.send(Call("DELETE", try path("messages", id)))
    }

    /// `GET /ntfy/:topic/json?poll=1`: returns the stored messages of topics, oldest first.
    ///
    /// - Parameters:
    ///   - topics: 1 to 32 topics.
    ///   - since: `all`, `latest`, seconds since 1970, a duration such as `10m`, or the id of a message; nil for all.
    ///   - scheduled: Whether messages that wait for their time are returned, too, last.
    public func messages(
        of topics: [String], since: String? = nil, scheduled: Bool = false
    ) async throws -> [PushTopicEvent] {
        let data = try await connection.sendForData(
            Call("GET", try Self.path(of: topics)).with("poll", 1).with("since", since).with(
                "scheduled", scheduled ? 1 : nil))
        do {
            return try data.split(separator: 0x0A).map { try JSONDecoder().decode(PushTopicEvent.self, from: $0) }
        } catch {
            throw GatewayClientError(.undecodable, "the messages cannot be decoded: \(error)")
        }
    }

    /// `GET /ntfy/:topic/json`: returns the events of topics as they come. The stream throws when the connection ends.
    ///
    /// - Parameter since: As of ``messages(of:since:scheduled:)``; nil for messages from now on.
    public func events(
        of topics: [String], since: String? = nil
    ) async throws -> AsyncThrowingStream<PushTopicEvent, any Error> {
        try await connection.lines(Call("GET", try Self.path(of: topics)).with("since", since)) { _ in false }
    }

    private static func path(of topics: [String]) throws -> String {
        "/ntfy/" + (try topics.map(Call.segment).joined(separator: ",")) + "/json"
    }

    /// `GET /api/v1/log`: returns deliveries, newest first.
    ///
    /// - Parameters:
    ///   - device: Only those to this device's id.
    ///   - topic: Only those of this topic.
    ///   - status: Only those with this status, such as `failed`.
    ///   - text: Only those whose title, subtitle or body contains it.
    public func log(
        device: String? = nil, topic: String? = nil, status: String? = nil, text: String? = nil,
        _ page: PageRequest = .first
    ) async throws -> PushLogPage {
        try await connection.send(
            Call("GET", "/api/v1/log").with("device", device).with("topic", topic).with("status", status)
                .with("q", text).with(page))
    }

    /// `GET /api/v1/deliveries/:id/explain`: returns why a delivery is what it is.
    public func explain(_ id: String) async throws -> PushExplanation {
        try await connection.send(Call("GET", try path("deliveries", id) + "/explain"))
    }

    /// `POST /api/v1/deliveries/:id/retry`: tries a delivery again that was given up.
    @discardableResult
    public func retry(_ id: String) async throws -> PushLogLine {
        try await connection.send(Call("POST", try path("deliveries", id) + "/retry", .whenRefused))
    }

    /// `DELETE /api/v1/deliveries/:id`: drops a delivery that was given up.
    @discardableResult
    public func discard(_ id: String) async throws -> PushLogLine {
        try await connection.send(Call("DELETE", try path("deliveries", id), .whenRefused))
    }

    // MARK: Devices

    /// `GET /api/v1/devices`: returns devices, oldest first.
    public func devices(_ page: PageRequest = .first) async throws -> PushDeviceList {
        try await connection.send(Call("GET", "/api/v1/devices").with(page))
    }

    /// `POST /api/v1/devices`: registers a device. A known address keeps its id.
    public func register(_ device: PushDeviceRequest) async throws -> PushDevice {
        try await connection.send(try Call("POST", "/api/v1/devices", device, .always))
    }

    /// `PUT /api/v1/devices/:id`: changes the fields that the body has.
    @discardableResult
    public func change(device id: String, _ change: PushDeviceRequest) async throws -> PushDevice {
        try await connection.send(try Call("PUT", try path("devices", id), change, .always))
    }

    /// `DELETE /api/v1/devices/:id`: forgets a device.
    public func delete(device id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("devices", id), .whenRefused))
    }

    /// `GET /api/v1/web-push/key`: returns the public key that browsers need to subscribe.
    public func webPushKey() async throws -> PushWebKey {
        try await connection.send(Call("GET", "/api/v1/web-push/key"))
    }

    // MARK: Templates

    /// `GET /api/v1/notifications/definitions`: returns templates, oldest first.
    public func templates(_ page: PageRequest = .first) async throws -> PushDefinitionList {
        try await connection.send(Call("GET", "/api/v1/notifications/definitions").with(page))
    }

    /// `POST /api/v1/notifications/definitions`: stores a template under its name.
    public func add(template: JSONValue) async throws -> PushDefinition {
        try await connection.send(
            try Call("POST", "/api/v1/notifications/definitions", template, .whenRefused))
    }

    /// `PUT /api/v1/notifications/definitions/:id`: replaces a template.
    @discardableResult
    public func change(template id: String, to template: JSONValue) async throws -> PushDefinition {
        try await connection.send(
            try Call("PUT", try path("notifications/definitions", id), template, .always))
    }

    /// `DELETE /api/v1/notifications/definitions/:id`: deletes a template.
    public func delete(template id: String) async throws {
        try await connection.sendForNothing(
            Call("DELETE", try path("notifications/definitions", id), .whenRefused))
    }

    /// `POST /api/v1/notifications/definitions/:id/preview`: returns the message of a template, without sending it.
    ///
    /// - Parameter inputs: The values; nil for the examples of the template.
    public func preview(template id: String, _ inputs: [String: JSONValue]? = nil) async throws -> JSONValue {
        struct Inputs: Encodable { var inputs: [String: JSONValue]? }
        struct Preview: Decodable { var message: JSONValue }
        let reply: Preview = try await connection.send(
            try Call("POST", try path("notifications/definitions", id) + "/preview", Inputs(inputs: inputs), .always))
        return reply.message
    }

    // MARK: Schedules

    /// `GET /api/v1/schedules`: returns schedules with their next times, oldest first.
    public func schedules(_ page: PageRequest = .first) async throws -> PushScheduleList {
        try await connection.send(Call("GET", "/api/v1/schedules").with(page))
    }

    /// `POST /api/v1/schedules/preview`: returns the next times of a schedule, without storing it.
    public func preview(_ schedule: PushScheduleRequest) async throws -> PushSchedulePreview {
        try await connection.send(try Call("POST", "/api/v1/schedules/preview", schedule, .always))
    }

    /// `POST /api/v1/schedules`: stores a schedule.
    public func add(_ schedule: PushScheduleRequest) async throws -> PushSchedule {
        try await connection.send(try Call("POST", "/api/v1/schedules", schedule, .whenRefused))
    }

    /// `PUT /api/v1/schedules/:id`: replaces a schedule.
    @discardableResult
    public func change(schedule id: String, to schedule: PushScheduleRequest) async throws -> PushSchedule {
        try await connection.send(try Call("PUT", try path("schedules", id), schedule, .always))
    }

    /// `DELETE /api/v1/schedules/:id`: deletes a schedule.
    public func delete(schedule id: String) async throws {
        try await connection.sendForNothing(Call("DELETE", try path("schedules", id), .whenRefused))
    }

    // MARK: APNs

    /// `GET /api/v1/config/apns`: returns how the gateway reaches APNs, without the key.
    public func apns() async throws -> PushAPNsState {
        try await connection.send(Call("GET", "/api/v1/config/apns"))
    }

    /// `PUT /api/v1/config/apns`: configures APNs.
    public func configure(_ apns: PushAPNsRequest) async throws -> PushAPNsState {
        try await connection.send(try Call("PUT", "/api/v1/config/apns", apns, .always))
    }

    private func path(_ area: String, _ id: String) throws -> String { "/api/v1/\(area)/" + (try Call.segment(id)) }
}
