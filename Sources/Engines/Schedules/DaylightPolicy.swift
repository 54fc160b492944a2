/// What a schedule does when the clocks of its zone change.
package struct DaylightPolicy: Sendable, Hashable {
    /// For a wall time that does not exist, such as 02:30 when the clock jumps from 02:00 to 03:00.
    package enum Gap: String, Sendable, CaseIterable {
        /// Fires when the gap ends: at 03:00. Several times in one gap fire once.
        case firstMomentAfter
        /// Fires as if the clock had not changed: at 03:30 (RFC 5545, section 3.3.5).
        case shifted
        /// Does not fire.
        case skip
    }

    /// For a wall time that comes twice, such as 02:30 when the clock goes back from 03:00 to 02:00.
    package enum Overlap: String, Sendable, CaseIterable {
        /// Fires the first time, both times, or the second time.
        case first, both, second
    }

    /// For times of day: nothing is lost, nothing comes twice.
    package static let timeOfDay = DaylightPolicy(gap: .firstMomentAfter, overlap: .first)
    /// For every hour or every 15 minutes: as the time passes, through both hours of an overlap.
    package static let interval = DaylightPolicy(gap: .skip, overlap: .both)

    /// What happens in a gap.
    package var gap: Gap
    /// What happens in an overlap.
    package var overlap: Overlap

    package init(gap: Gap, overlap: Overlap) {
        self.gap = gap
        self.overlap = overlap
    }
}
