/// A result of a check of notifications.
package struct PushFinding: Sendable, Hashable {
    /// How serious a finding is.
    package enum Severity: String, Sendable {
        case ok
        /// It works, but needs attention.
        case warning
        /// Nothing can be sent this way.
        case problem
    }

    /// The subject: one or two words.
    package let check: String
    /// How serious it is.
    package let severity: Severity
    /// The result, for people; has no secret.
    package let message: String
    /// What to do; nil when there is nothing to do.
    package let remedy: String?

    package init(_ check: String, _ severity: Severity, _ message: String, remedy: String? = nil) {
        self.check = check
        self.severity = severity
        self.message = message
        self.remedy = remedy
    }
}
