/// A unit that a person measures in, as the API returns it.
public struct MeasureRecord: Codable, Sendable, Hashable {
    /// The UUID.
    public var id: String
    /// The unit's text, such as `km`.
    public var unit: String
    /// A short name.
    public var title: String?
    /// What it is about.
    public var description: String?
    /// Notes in any form.
    public var notes: String?
    /// When it was created.
    public var logTime: String
    /// What it measures: `distance`, `mass`, `time`, `money`, `count`, `number` or `other`.
    public var kind: String
    /// The unit that amounts convert to.
    public var canonicalUnit: String
    /// How many of the canonical unit one unit is.
    public var conversionFactor: Double
    /// The number of its latest change in the history; 0 before any.
    public var version: Int64

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, unit, title, description, notes, kind, version
        case logTime = "log_time"
        case canonicalUnit = "canonical_unit"
        case conversionFactor = "conversion_factor"
    }

    /// Creates a value from its fields.
    public init(
        id: String, unit: String, title: String? = nil, description: String? = nil, notes: String? = nil,
        logTime: String, kind: String, canonicalUnit: String, conversionFactor: Double, version: Int64
    ) {
        self.id = id
        self.unit = unit
        self.title = title
        self.description = description
        self.notes = notes
        self.logTime = logTime
        self.kind = kind
        self.canonicalUnit = canonicalUnit
        self.conversionFactor = conversionFactor
        self.version = version
    }
}

/// The reply of `GET /api/measures`, by unit.
public struct MeasureList: Codable, Sendable, Hashable {
    /// The measures of this page.
    public var measures: [MeasureRecord]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case measures
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        measures: [MeasureRecord] = [], nextCursor: String? = nil
    ) {
        self.measures = measures
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/measures` and `PATCH /api/measures/:id`. In a change, absent fields keep their values and
/// null clears them.
public struct MeasureBody: Codable, Sendable, Hashable {
    /// A UUID for a new measure; made when absent.
    public var id: FieldUpdate<String> = .keep
    /// The unit's text. It cannot change.
    public var unit: FieldUpdate<String> = .keep
    /// A short name.
    public var title: FieldUpdate<String> = .keep
    /// What it is about.
    public var description: FieldUpdate<String> = .keep
    /// Notes in any form.
    public var notes: FieldUpdate<String> = .keep
    /// Why, for the history.
    public var reason: FieldUpdate<String> = .keep

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, unit, title, description, notes, reason
    }

    /// Creates a body without a field.
    public init() {}

    /// Tells absent fields from null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.update(String.self, forKey: .id)
        unit = try container.update(String.self, forKey: .unit)
        title = try container.update(String.self, forKey: .title)
        description = try container.update(String.self, forKey: .description)
        notes = try container.update(String.self, forKey: .notes)
        reason = try container.update(String.self, forKey: .reason)
    }

    /// Leaves out what stays.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(unit, forKey: .unit)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(notes, forKey: .notes)
        try container.encode(reason, forKey: .reason)
    }
}
