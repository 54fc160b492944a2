package import Inference

/// The caller that requests an embedding, and the key that pays for it.
package struct TokenAccount: Sendable {
    /// Who asks, for a fair share of the upstream.
    package let caller: AdmissionCaller
    /// The name for shares.
    package var name: String { caller.identity }
    private let identity: Identity
    private let keys: KeyRing?
    private let other: Charge?
    private let otherIsSpent: (@Sendable () -> Bool)?

    /// Charges tokens that a model read.
    package typealias Charge = @Sendable (_ tokens: Int, _ model: String) -> Void

    /// Creates the account of a request.
    package init(_ identity: Identity, _ keys: KeyRing?) {
        caller = identity.caller
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
        _ caller: AdmissionCaller, charge: Charge? = nil, isSpent: (@Sendable () -> Bool)? = nil
    ) {
        (self.caller, identity, keys, other, otherIsSpent) = (caller, .unknown, nil, charge, isSpent)
    }

    /// Creates an account, as ``init(_:charge:isSpent:)``, of a caller without limits of its own.
    package init(name: String, charge: Charge? = nil, isSpent: (@Sendable () -> Bool)? = nil) {
        self.init(AdmissionCaller(name), charge: charge, isSpent: isSpent)
    }

    /// A caller in this process, which is not charged.
    package static let local = TokenAccount(name: "local")

    /// Whether the key has used up its tokens for this day or its budget for this month.
    package var isSpent: Bool { keys?.isSpent(identity) ?? otherIsSpent?() ?? false }

    /// Charges tokens that a model read.
    package func charge(_ tokens: Int, of model: String) {
        keys?.recordTokens(identity, of: model, prompt: tokens, completion: 0)
        other?(tokens, model)
    }
}
