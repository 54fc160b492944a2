import Synchronization

/// Tells a stream of events that its client left.
package final class Departure: Sendable {
    private let value = Atomic(false)

    /// Creates the departure of a client that is present.
    package init() {}

    /// Whether the client left.
    package var isSet: Bool { value.load(ordering: .relaxed) }

    /// Records that the client left.
    package func set() { value.store(true, ordering: .relaxed) }
}
