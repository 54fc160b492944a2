/// The reply of `GET /api/admin/config`: every setting in force, secrets masked.
public struct ConfigurationReport: Codable, Sendable, Hashable {
    /// The configuration file that was read; absent when there is none.
    public var file: String?
    /// Why a reload would be refused; absent when it would not.
    public var problem: String?
    /// The settings, in the order of `selene config`.
    public var settings: [SettingInForce]

    /// Creates a report.
    public init(file: String?, problem: String?, settings: [SettingInForce]) {
        (self.file, self.problem, self.settings) = (file, problem, settings)
    }
}

/// A setting with the value in force.
public struct SettingInForce: Codable, Sendable, Hashable {
    /// The key in a configuration file.
    public var key: String
    /// The value as text; `********` for a secret, absent when unset.
    public var value: String?
    /// `flag`, `environment`, `file` or `default`.
    public var origin: String
    /// The environment variable.
    public var environment: String
    /// What it does.
    public var summary: String
    /// The default as text; absent when it has none.
    public var fallback: String?
    /// Whether `PATCH /api/admin/config` changes it.
    public var isEditable: Bool
    /// Whether a reload applies a change of it; others need a restart.
    public var isLive: Bool
    /// What files and environment say now, where that is another value.
    public var next: Change?

    /// A value that is not in force yet.
    public struct Change: Codable, Sendable, Hashable {
        /// The value as text; `********` for a secret, absent when unset.
        public var value: String?
        /// `flag`, `environment`, `file` or `default`.
        public var origin: String

        /// Creates a change.
        public init(value: String?, origin: String) { (self.value, self.origin) = (value, origin) }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case key, value, origin, environment, summary
        case fallback = "default"
        case isEditable = "editable"
        case isLive = "live"
        case next
    }

    /// Creates a setting.
    public init(
        key: String, value: String?, origin: String, environment: String, summary: String, fallback: String?,
        isEditable: Bool, isLive: Bool, next: Change?
    ) {
        (self.key, self.value, self.origin, self.environment) = (key, value, origin, environment)
        (self.summary, self.fallback, self.isEditable) = (summary, fallback, isEditable)
        (self.isLive, self.next) = (isLive, next)
    }
}

/// The body of `PATCH /api/admin/config`.
public struct SettingChange: Codable, Sendable, Hashable {
    /// The key in a configuration file.
    public var key: String
    /// The value as text; absent for the default.
    public var value: String?

    /// Creates a change.
    public init(key: String, value: String?) { (self.key, self.value) = (key, value) }
}

/// The reply of `GET /api/admin/doctor`.
public struct DoctorReport: Codable, Sendable, Hashable {
    /// Findings of the severity `problem`.
    public var problems: Int
    /// Findings of the severity `warning`.
    public var warnings: Int
    /// Whether the slow checks ran, too.
    public var isDeep: Bool
    /// What was found, in the order of the checks.
    public var findings: [DoctorFinding]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case problems, warnings
        case isDeep = "deep"
        case findings
    }

    /// Creates a report.
    public init(isDeep: Bool, findings: [DoctorFinding]) {
        (self.isDeep, self.findings) = (isDeep, findings)
        problems = findings.count { $0.severity == "problem" }
        warnings = findings.count { $0.severity == "warning" }
    }
}

/// A result of a check.
public struct DoctorFinding: Codable, Sendable, Hashable {
    /// The check: one or two words.
    public var check: String
    /// `ok`, `warning` or `problem`.
    public var severity: String
    /// The result, as text.
    public var message: String
    /// The remedy: a command or a sentence.
    public var remedy: String?
    /// Whether `selene doctor --fix` repairs it.
    public var isFixable: Bool

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case check, severity, message, remedy
        case isFixable = "fixable"
    }

    /// Creates a finding.
    public init(check: String, severity: String, message: String, remedy: String?, isFixable: Bool) {
        (self.check, self.severity, self.message) = (check, severity, message)
        (self.remedy, self.isFixable) = (remedy, isFixable)
    }
}
