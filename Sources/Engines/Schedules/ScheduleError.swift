/// Why a schedule, a rule or a zone was rejected.
package struct ScheduleError: Error, Equatable, CustomStringConvertible {
    /// What the error is about.
    package enum Kind: Sendable {
        /// The text of a rule is malformed or outside of the subset.
        case syntax
        /// The rule has no occurrence, or none within the work that one search may do.
        case neverFires
        /// The zone's name is not in the zone data.
        case unknownZone
        /// The zone's file is malformed.
        case damagedZone
    }

    /// What the error is about.
    package let kind: Kind
    /// What was wrong with which input, and what was expected.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
