/// Whether an action counts for a goal, and why.
package struct Match: Equatable, Sendable {
    /// What the confidence is made of.
    package enum Component: String, Sendable, CaseIterable {
        /// The action's day is within the goal's days.
        case period
        /// An amount converts to the goal's unit.
        case unit
        /// The title has a keyword of the goal, or words of its title.
        case words
        /// The meanings are close.
        case meaning
    }

    /// The share of one component.
    package struct Share: Equatable, Sendable {
        /// What was compared.
        package let component: Component
        /// Its part of the confidence, in thousandths.
        package let points: Int
        /// Why, for a person.
        package let reason: String
    }

    /// What follows.
    package enum Verdict: String, Sendable, CaseIterable {
        case counts
        /// A person has to say so; until then nothing is counted.
        case asks
        /// It does not count, and nobody is asked.
        case no
    }

    /// Confidence from which an action counts without being asked about.
    package static let countingConfidence = 0.7
    /// Confidence from which a person is asked.
    package static let askingConfidence = 0.45

    /// One for each component, in the order of ``Component``.
    package let shares: [Share]
    /// What follows.
    package let verdict: Verdict
    /// What the action adds, in the goal's unit: the converted amount, or 1 for a goal without a unit. Nil if no amount
    /// converts; the verdict is then `no`.
    package let amount: Rational?

    /// The sum of the shares, at most 0.99: only a person is certain.
    package var confidence: Double { Self.confidence(of: shares) }

    /// The components with a share, such as `period unit words`.
    package var matchedOn: String {
        shares.filter { $0.points > 0 }.map(\.component.rawValue).joined(separator: " ")
    }

    static func confidence(of shares: [Share]) -> Double {
        Double(min(990, shares.reduce(0) { $0 + $1.points })) / 1000
    }
}
