/// What is off while the notes are in PostgreSQL. The start-up log lists it, and its routes answer 501 `feature_off`.
package enum SwitchedOff: String, CaseIterable, Sendable {
    case notes = "proposals of threads, tasks, briefings, associations and exports"

    /// Whether some routes of the feature work all the same.
    package var isPartial: Bool { self == .notes }

    /// The error of its routes.
    package var refusal: String {
        "\(rawValue): off while the notes are in PostgreSQL (SELENE_STORE); see Documentation/Scale.md"
    }

    /// All of it as one text, for the log.
    static var list: String { allCases.map(\.rawValue).joined(separator: "; ") }
}
