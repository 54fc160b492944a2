/// What is off while the notes are in PostgreSQL. The start-up log lists it, and its routes answer 501 `feature_off`.
package enum SwitchedOff: String, CaseIterable, Sendable {
    /// The devices are rows of another program, which works on a file.
    case devices = "the registration of devices at /api/devices"

    /// The error of its routes.
    package var refusal: String {
        "\(rawValue): off while the notes are in PostgreSQL (SELENE_STORE); see Documentation/Scale.md"
    }

    /// All of it as one text, for the log.
    static var list: String { allCases.map(\.rawValue).joined(separator: "; ") }
}
