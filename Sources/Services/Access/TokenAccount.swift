/// The caller that requests an embedding, and the key that pays for it.
package struct TokenAccount: Sendable {
    /// The name for a fair share of the upstream.
    package let name: String
    private let identity: Identity
    private let keys: KeyRing?
    private let other: (@Sendable (Int) -> Void)?
    private let otherIsSpent: (@Sendable () -> Bool)?

    /// Creates the account of a request.
    package init(_ identity: Identity, _ keys: KeyRing?) {
        name = identity.admissionName
        self.identity = identity
        self.keys = keys
        (other, otherIsSpent) = (nil, nil)
    }

    /// Creates the account of work that goes on without its request, such as a tool's.
    ///
    /// - Parameters:
    ///   - charge: Charges tokens that a model read.
    ///   - isSpent: Whether the payer has used up its tokens; nil for a payer without a quota.
    package init(
        name: String, charge: (@Sendable (Int) -> Void)? = nil, isSpent: (@Sendable () -> Bool)? = nil
    ) {
        (self.name, identity, keys, other, otherIsSpent) = (name, .unknown, nil, charge, isSpent)
    }

    /// A caller in this process, which is not charged.
    package static let local = TokenAccount(name: "local")

    /// Whether the key has used up its tokens for this day.
    package var isSpent: Bool { keys?.isSpent(identity) ?? otherIsSpent?() ?? false }

    /// Charges tokens that a model read.
    package func charge(_ tokens: Int) {
        keys?.recordTokens(identity, prompt: tokens, completion: 0)
        other?(tokens)
    }
}
