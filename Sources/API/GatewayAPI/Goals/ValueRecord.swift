/// What matters to a person, as the API returns it.
public struct ValueRecord: Codable, Sendable, Hashable {
    /// The UUID as it was written.
    public var id: String
    /// `general`, `major`, `highest_order` or `life_area`.
    public var kind: String
    /// A short name.
    public var title: String
    /// What it is about.
    public var description: String?
    /// Notes in any form.
    public var notes: String?
    /// When it was created, as stored.
    public var logTime: String
    /// 1 (first) to 100.
    public var priority: Int
    /// The part of life that it belongs to.
    public var lifeDomain: String?
    /// How actions show that they serve it.
    public var alignmentGuidance: String?
    /// Ids of the goals that serve it.
    public var goals: [String]
    /// The number of its latest change in the history; 0 before any.
    public var version: Int64

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, title, description, notes, priority, goals, version
        case logTime = "log_time"
        case lifeDomain = "life_domain"
        case alignmentGuidance = "alignment_guidance"
    }

    /// Creates a value from its fields.
    public init(
        id: String, kind: String, title: String, description: String? = nil, notes: String? = nil,
        logTime: String, priority: Int, lifeDomain: String? = nil, alignmentGuidance: String? = nil,
        goals: [String] = [], version: Int64
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.description = description
        self.notes = notes
        self.logTime = logTime
        self.priority = priority
        self.lifeDomain = lifeDomain
        self.alignmentGuidance = alignmentGuidance
        self.goals = goals
        self.version = version
    }
}

/// The reply of `GET /api/values`, by priority.
public struct ValueList: Codable, Sendable, Hashable {
    /// The values of this page.
    public var values: [ValueRecord]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case values
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        values: [ValueRecord] = [], nextCursor: String? = nil
    ) {
        self.values = values
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/values` and `PATCH /api/values/:id`. In a change, absent fields keep their values and
/// null clears them.
public struct ValueBody: Codable, Sendable, Hashable {
    /// A UUID for a new value; made when absent.
    public var id: FieldUpdate<String> = .keep
    /// `general`, `major`, `highest_order` or `life_area`; `general` when absent.
    public var kind: FieldUpdate<String> = .keep
    /// A short name.
    public var title: FieldUpdate<String> = .keep
    /// What it is about.
    public var description: FieldUpdate<String> = .keep
    /// Notes in any form.
    public var notes: FieldUpdate<String> = .keep
    /// 1 (first) to 100; 50 when absent.
    public var priority: FieldUpdate<Int> = .keep
    /// The part of life that it belongs to.
    public var lifeDomain: FieldUpdate<String> = .keep
    /// How actions show that they serve it.
    public var alignmentGuidance: FieldUpdate<String> = .keep
    /// Why, for the history.
    public var reason: FieldUpdate<String> = .keep

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, title, description, notes, priority, reason
        case lifeDomain = "life_domain"
        case alignmentGuidance = "alignment_guidance"
    }

    /// Creates a body without a field.
    public init() {}

    /// Tells absent fields from null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.update(String.self, forKey: .id)
        kind = try container.update(String.self, forKey: .kind)
        title = try container.update(String.self, forKey: .title)
        description = try container.update(String.self, forKey: .description)
        notes = try container.update(String.self, forKey: .notes)
        priority = try container.update(Int.self, forKey: .priority)
        lifeDomain = try container.update(String.self, forKey: .lifeDomain)
        alignmentGuidance = try container.update(String.self, forKey: .alignmentGuidance)
        reason = try container.update(String.self, forKey: .reason)
    }

    /// Leaves out what stays.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(notes, forKey: .notes)
        try container.encode(priority, forKey: .priority)
        try container.encode(lifeDomain, forKey: .lifeDomain)
        try container.encode(alignmentGuidance, forKey: .alignmentGuidance)
        try container.encode(reason, forKey: .reason)
    }
}
