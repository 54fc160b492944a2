/// What a search of messages looks for.
package struct MessageSearch: Sendable, Hashable {
    /// The most groups; later ones are not looked for.
    package static let maxGroups = 32

    /// Groups of texts, of each of which a message or its session's title has to contain one, folded. No group finds all messages.
    package var groups: [[String]]
    /// Texts that neither may contain.
    package var excluded: [String]
    /// The earliest time of a message in seconds since 1970; nil for any.
    package var since: Int64?
    /// The latest time of a message in seconds since 1970; nil for any.
    package var until: Int64?
    /// Texts of which the session's title has to contain each.
    package var titles: [String]

    package init(
        groups: [[String]], excluded: [String] = [], since: Int64? = nil, until: Int64? = nil, titles: [String] = []
    ) {
        self.groups = Array(groups.prefix(Self.maxGroups))
        (self.excluded, self.since, self.until, self.titles) = (excluded, since, until, titles)
    }
}
