/// The day of an action as it was when the action was logged.
///
/// It is stored and never computed again, so moving to another zone, another day start or new zone data leave past days
/// as they were.
package struct DayStamp: Hashable, Sendable {
    /// The action's day.
    package let day: LocalDay
    /// The zone in force, an IANA name.
    package let zone: String
    /// Minutes after midnight at which days began.
    package let startMinute: Int

    /// Creates a stamp, for example from stored columns.
    package init(day: LocalDay, zone: String, startMinute: Int) {
        self.day = day
        self.zone = zone
        self.startMinute = startMinute
    }
}
