/// The caller that requests an embedding, and the key that pays for it.
package struct TokenAccount: Sendable {
    /// The name for a fair share of the upstream.
    package let name: String
    private let identity: Identity
    private let keys: KeyRing?

    /// Creates the account of a request.
    package init(_ identity: Identity, _ keys: KeyRing?) {
        name = identity.admissionName
        self.identity = identity
        self.keys = keys
    }

    private init(name: String) {
        (self.name, identity, keys) = (name, .unknown, nil)
    }

    /// A caller in this process, which is not charged.
    package static let local = TokenAccount(name: "local")

    /// Whether the key has used up its tokens for this day.
    package var isSpent: Bool { keys?.isSpent(identity) ?? false }

    /// Charges tokens that a model read.
    package func charge(_ tokens: Int) { keys?.recordTokens(identity, prompt: tokens, completion: 0) }
}
