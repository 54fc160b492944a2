/// What happened that the gateway may notify of.
package struct PushOccasion: Sendable, Hashable {
    /// What makes it unique over all servers; a message of it has it as its origin.
    package var origin: String
    /// A job's kind, a thread's name or the begin of a question.
    package var name: String
    /// What else is known.
    package var detail: String
    /// Milliseconds since 1970 after which it is not worth a message; nil for never.
    package var expires: Int64?

    package init(origin: String, name: String, detail: String, expires: Int64? = nil) {
        self.origin = origin
        self.name = name
        self.detail = detail
        self.expires = expires
    }
}
