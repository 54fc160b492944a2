package import GatewayAPI

/// Messages that a search found, the one stored last first.
package struct FoundMessages: Sendable {
    /// A message, or a session whose title alone was found.
    package struct Item: Sendable {
        /// The session's title.
        package var title: String
        package var session: String
        /// The message, its number 0 when a client keeps it as JSON. Of a session whose title alone was found the latest one, nil
        /// when it has none.
        package var message: Message?
        /// How many groups of the search the message itself has.
        package var matches: Int
    }

    package var items: [Item] = []
    /// Found messages of a session beyond ``MessageFinder/maxInSession``, by session.
    package var others: [String: Int] = [:]
    /// How many messages were looked at when the time or the number of a search was used up; nil when all were, or the newest hits
    /// were enough.
    package var cutAfter: Int?

    package init() {}
}
