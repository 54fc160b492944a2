/// A stored comparison of models, as `selene playground bench` makes it.
public struct BenchRun: Codable, Sendable, Hashable {
    /// The id.
    public var id: Int64
    /// The name, one line.
    public var name: String
    /// The report. The gateway does not read it. Absent in lists.
    public var report: JSONValue?
    /// When it was stored, in UTC.
    public var createdAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, name, report
        case createdAt = "created_at"
    }

    /// Creates a run.
    public init(id: Int64, name: String, report: JSONValue?, createdAt: String) {
        self.id = id
        self.name = name
        self.report = report
        self.createdAt = createdAt
    }
}

/// The body of `POST /api/bench`.
public struct NewBenchRun: Codable, Sendable, Hashable {
    /// The name, one line.
    public var name: String
    /// The report, an object.
    public var report: JSONValue

    /// Creates a run.
    public init(name: String, report: JSONValue) {
        self.name = name
        self.report = report
    }
}

/// The reply of `GET /api/bench`, latest first, without reports.
public struct BenchRunsResponse: Codable, Sendable, Hashable {
    /// The runs.
    public var runs: [BenchRun]

    /// Creates a reply.
    public init(runs: [BenchRun]) { self.runs = runs }
}
