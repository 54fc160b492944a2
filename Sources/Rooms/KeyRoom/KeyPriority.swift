/// Whose requests go first when several keys wait for a model.
package enum KeyPriority: String, Sendable, Hashable, Comparable, CaseIterable {
    /// As background work, behind all others. At least one request in eight is such a one while some wait.
    case low
    /// By turns with the other keys.
    case normal
    /// Before the others, which still get at least one request in eight.
    case high

    package static func < (one: KeyPriority, other: KeyPriority) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .low: 0
        case .normal: 1
        case .high: 2
        }
    }
}
