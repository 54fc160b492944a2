/// The format of log lines.
package enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// For people: time, level, facts, message.
    case text
    /// One JSON object on each line.
    case json
}
