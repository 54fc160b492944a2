/// One time at which a schedule fires.
package struct Occurrence: Sendable, Hashable {
    /// When it fires, a whole second.
    package let instant: Instant
    /// The wall time that the rule names. In a gap it differs from what the clock shows at ``instant``.
    package let wall: WallTime
    /// 1 if the clock shows the wall time for the second time, otherwise 0.
    package let fold: Int

    /// A name that is the same on every server: schedule, wall time and fold, such as `s1/2026-11-01T01:30:00/0`.
    ///
    /// A schedule has no two occurrences of one id. The id does not change when new zone data move the instant.
    package func id(schedule: String) -> String { "\(schedule)/\(wall)/\(fold)" }
}
