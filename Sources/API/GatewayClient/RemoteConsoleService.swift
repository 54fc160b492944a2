public import GatewayAPI

/// Which requests of the log are wanted; nil for any.
public struct RequestLogQuery: Sendable, Hashable {
    /// A class such as `5xx`, or a status such as `429`.
    public var status: String?
    /// The id of the caller's key.
    public var key: Int64?
    /// The pattern of the route.
    public var route: String?
    /// The model.
    public var model: String?
    /// Part of the path, or a whole request id or error code.
    public var text: String?
    /// The first end, as a date.
    public var since: String?
    /// The last end, as a date.
    public var until: String?

    /// Creates a query for all requests.
    public init() {}
}

/// Calls the routes for the person who runs the gateway: requests, traffic. Every method throws ``GatewayClientError``.
public struct RemoteConsoleService: Sendable {
    let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `GET /api/requests`: returns finished requests, the latest first.
    public func requests(_ query: RequestLogQuery = .init(), _ page: PageRequest = .first) async throws
        -> RequestLogPage
    {
        try await connection.send(
            Call("GET", "/api/requests").with("status", query.status).with("key", query.key)
                .with("route", query.route).with("model", query.model).with("text", query.text)
                .with("since", query.since).with("until", query.until).with(page))
    }

    /// `GET /api/requests/live`: returns the requests in flight, oldest first.
    public func live() async throws -> LiveRequestList {
        try await connection.send(Call("GET", "/api/requests/live"))
    }

    /// `DELETE /api/requests/live/:id`: cancels a request in flight.
    @discardableResult
    public func cancel(_ id: String) async throws -> RequestCancellation {
        try await connection.send(Call("DELETE", "/api/requests/live/\(try Call.segment(id))"))
    }

    /// `GET /api/audit`: returns administrative changes, the latest first.
    ///
    /// - Parameters:
    ///   - action: Only this one.
    ///   - key: Only changes with the key of this id.
    ///   - since: Only entries of this time or later, as a date.
    public func audit(
        action: AuditAction? = nil, key: Int64? = nil, since: String? = nil, _ page: PageRequest = .first
    ) async throws -> AuditPage {
        try await connection.send(
            Call("GET", "/api/audit").with("action", action?.rawValue).with("key", key).with("since", since).with(page))
    }

    /// `GET /api/admin/events`: reads what the console shows live.
    ///
    /// - Parameter topics: Their names; all that the key may read when empty.
    public func events(_ topics: [String] = []) -> ConsoleEventSource {
        ConsoleEventSource(connection, topics: topics)
    }

    /// `GET /api/admin/spaces`: returns the embedding spaces, oldest first.
    public func spaces() async throws -> SpaceList {
        try await connection.send(Call("GET", "/api/admin/spaces"))
    }

    /// `POST /api/admin/spaces/:id/switch`: makes a space active.
    ///
    /// - Parameter at: The percentage of notes that must have vectors in the space; 100 when nil.
    public func switchSpace(_ id: Int64, at: Double? = nil) async throws -> SpaceList {
        try await connection.send(
            Call("POST", "/api/admin/spaces/\(id)/switch", SpaceSwitchRequest(at: at), .always))
    }

    /// `POST /api/admin/spaces/rollback`: makes the previous space active again.
    public func rollBackSpace() async throws -> SpaceList {
        try await connection.send(Call("POST", "/api/admin/spaces/rollback", .whenRefused))
    }

    /// `DELETE /api/admin/spaces/:id`: removes a space that is not active.
    public func dropSpace(_ id: Int64) async throws -> SpaceList {
        try await connection.send(Call("DELETE", "/api/admin/spaces/\(id)", .whenRefused))
    }

    /// `GET /api/admin/keys`: returns the live keys with today's use.
    public func keys(_ page: PageRequest = .first) async throws -> AdminKeyList {
        try await connection.send(Call("GET", "/api/admin/keys").with(page))
    }

    /// `GET /api/admin/keys/:id`: returns a live key with the use of 30 days.
    public func key(_ id: Int64) async throws -> AdminKey {
        try await connection.send(Call("GET", "/api/admin/keys/\(id)"))
    }

    /// `POST /api/admin/keys`: makes a key. The reply has the key itself, once.
    public func addKey(_ key: NewAdminKey) async throws -> AdminKey {
        try await connection.send(Call("POST", "/api/admin/keys", key, .whenRefused))
    }

    /// `PATCH /api/admin/keys/:id`: changes the rights and limits of a key.
    public func changeKey(_ id: Int64, _ change: AdminKeyChange) async throws -> AdminKey {
        try await connection.send(Call("PATCH", "/api/admin/keys/\(id)", change, .always))
    }

    /// `GET /api/admin/failed-notes`: returns notes that could not be embedded.
    ///
    /// - Parameter space: Only those of an embedding space; all when nil.
    public func failedNotes(space: Int64? = nil, _ page: PageRequest = .first) async throws -> FailedNotePage {
        try await connection.send(Call("GET", "/api/admin/failed-notes").with("space", space).with(page))
    }

    /// `POST /api/admin/failed-notes/:space/:note/retry`: queues a failed note again.
    @discardableResult
    public func retryNote(_ note: Int64, space: Int64) async throws -> FailedNoteChange {
        try await connection.send(Call("POST", "/api/admin/failed-notes/\(space)/\(note)/retry", .whenRefused))
    }

    /// `DELETE /api/admin/failed-notes/:space/:note`: takes a failed note off the queue.
    @discardableResult
    public func discardNote(_ note: Int64, space: Int64) async throws -> FailedNoteChange {
        try await connection.send(Call("DELETE", "/api/admin/failed-notes/\(space)/\(note)", .whenRefused))
    }

    /// `GET /api/admin/config`: returns the settings in force.
    public func configuration() async throws -> ConfigurationReport {
        try await connection.send(Call("GET", "/api/admin/config"))
    }

    /// `PATCH /api/admin/config`: changes a setting in the configuration's file; nil stands for the default.
    @discardableResult
    public func configure(_ key: String, _ value: String?) async throws -> ConfigurationReport {
        try await connection.send(
            Call("PATCH", "/api/admin/config", SettingChange(key: key, value: value), .whenRefused))
    }

    /// `GET /api/admin/doctor`: returns the findings of the doctor.
    ///
    /// - Parameter isDeep: Whether to run the slow checks, too.
    public func doctor(isDeep: Bool = false) async throws -> DoctorReport {
        try await connection.send(Call("GET", "/api/admin/doctor").with("deep", isDeep ? true : nil))
    }

    /// `GET /api/admin/traffic`: returns the traffic of the last hour or day.
    ///
    /// - Parameter span: `hour` or `day`; `hour` when nil.
    public func traffic(_ span: String? = nil) async throws -> TrafficResponse {
        try await connection.send(Call("GET", "/api/admin/traffic").with("span", span))
    }
}
