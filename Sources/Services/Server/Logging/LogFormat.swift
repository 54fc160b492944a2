/// How lines of the log look.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// For people: time, level, facts, message.
    case text
    /// One JSON object on each line.
    case json
}
