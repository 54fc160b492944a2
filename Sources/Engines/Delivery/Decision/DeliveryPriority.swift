/// How much a message may interrupt, from the least to the most.
package enum DeliveryPriority: Int, Sendable, CaseIterable, Comparable {
    /// Ascending; `emergency` repeats until someone acknowledges it.
    case minimum = 1, low, normal, high, emergency

    /// Compares by urgency.
    package static func < (a: DeliveryPriority, b: DeliveryPriority) -> Bool { a.rawValue < b.rawValue }
}
