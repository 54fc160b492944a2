package import Schedules

/// What entities have in common.
package struct Heading: Hashable, Sendable {
    /// The UUID.
    package let id: EntityID
    /// A short name.
    package let title: String?
    /// What it is about.
    package let details: String?
    /// Notes in any form.
    package let notes: String?
    /// When it was created.
    package let logTime: Instant

    /// Creates a heading; the entity checks it.
    package init(
        id: EntityID, title: String?, details: String? = nil, notes: String? = nil, logTime: Instant
    ) {
        self.id = id
        self.title = title
        self.details = details
        self.notes = notes
        self.logTime = logTime
    }

    func check(_ check: inout GoalFieldCheck, requiresTitle: Bool = true) {
        check.text("title", title, required: requiresTitle, limit: GoalFieldCheck.maxTitle)
        check.text("description", details)
        check.text("notes", notes)
    }
}
