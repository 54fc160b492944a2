package import Schedules

/// Silence that a person asked for: messages are dropped.
package struct Mute: Sendable, Hashable {
    /// The muted topic; nil mutes the device.
    package var topic: String?
    /// The end; nil mutes until the mute is removed.
    package var until: Instant?
    /// Priorities from this one on come through; nil lets none through.
    package var breakThrough: DeliveryPriority?

    package init(topic: String? = nil, until: Instant? = nil, breakThrough: DeliveryPriority? = nil) {
        self.topic = topic
        self.until = until
        self.breakThrough = breakThrough
    }

    func isActive(at now: Instant) -> Bool { until.map { now < $0 } ?? true }

    func covers(topic: String) -> Bool { self.topic == nil || self.topic == topic }

    func isBroken(by priority: DeliveryPriority) -> Bool { breakThrough.map { priority >= $0 } ?? false }
}
