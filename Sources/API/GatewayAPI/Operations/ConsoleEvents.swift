/// The event `unavailable` of `GET /api/admin/events`: a topic cannot be read now.
public struct LiveProblem: Codable, Sendable, Hashable {
    /// The topic.
    public var topic: String
    /// Why it cannot be read.
    public var error: String

    /// Creates it from its fields.
    public init(topic: String, error: String) {
        self.topic = topic
        self.error = error
    }
}

/// The event `upstreams` of `GET /api/admin/events`.
public struct LiveUpstreams: Codable, Sendable, Hashable {
    /// The state of each upstream.
    public var upstreams: [StatsResponse.Endpoint]

    /// Creates it from its fields.
    public init(upstreams: [StatsResponse.Endpoint]) { self.upstreams = upstreams }
}

/// The event `runs` of `GET /api/admin/events`.
public struct LiveRuns: Codable, Sendable, Hashable {
    /// The runs that are not over, at most 50.
    public var running: [ChatRun]
    /// The latest runs, newest first, at most 50.
    public var latest: [ChatRun]

    /// Creates it from its fields.
    public init(running: [ChatRun], latest: [ChatRun]) {
        self.running = running
        self.latest = latest
    }
}
