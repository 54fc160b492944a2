package import Storage
import Synchronization

/// Enforces a key's terms: scopes, models, rate and quota.
extension KeyRing {
    /// Admits a request to a route or refuses it, and counts either.
    ///
    /// - Throws: ``AccessRefusal``: a missing scope, or a used-up quota or rate.
    package func admit(_ identity: Identity, to access: RouteAccess) throws(AccessRefusal) {
        guard access != .open else { return }
        if let key = identity.keyID { meter.countRequest(key) }
        var spendsTokens = false
        if case .requireScope(let scope, let spends) = access {
            guard identity.grant.scopes.allow(scope) else {
                throw refuse(identity, AccessRefusal.missingScope(scope, has: identity.grant.scopes))
            }
            spendsTokens = spends
        }
        guard let key = identity.keyID else { return }
        if spendsTokens, isSpent(identity) { throw refuse(identity, quotaExceeded(identity)) }
        guard let limit = identity.grant.requestsPerMinute else { return }
        let now = clock.instant()
        let wait = buckets.withLock { buckets in
            buckets[key, default: RequestBucket(perMinute: limit, at: now)].take(perMinute: limit, at: now)
        }
        if let wait { throw refuse(identity, AccessRefusal.rateLimited(limit: limit, wait: wait)) }
    }

    /// Whether the key has used up its tokens for this day; false for a holder without a quota.
    package func isSpent(_ identity: Identity) -> Bool {
        guard let key = identity.keyID, let limit = identity.grant.tokensPerDay else { return false }
        return meter.tokensToday(key) >= limit
    }

    private func quotaExceeded(_ identity: Identity) -> AccessRefusal {
        let now = clock.unixSeconds()
        return .quotaExceeded(
            limit: identity.grant.tokensPerDay ?? 0, retryAfterSeconds: UTCDay(unixSeconds: now).end - now)
    }

    /// Refuses an identity without a scope that a part of a request needs.
    ///
    /// - Throws: ``AccessRefusal/missingScope(_:has:)``.
    package func requireScope(_ scope: KeyScope, for identity: Identity) throws(AccessRefusal) {
        guard !identity.grant.scopes.contains(scope) else { return }
        throw refuse(identity, AccessRefusal.missingScope(scope, has: identity.grant.scopes))
    }

    /// Refuses an identity that may not send notifications of a topic.
    ///
    /// - Throws: ``AccessRefusal/missingScope(_:has:)`` with the scope of the topic.
    package func requireTopic(_ topic: String, for identity: Identity) throws(AccessRefusal) {
        guard !identity.grant.scopes.allow(topic: topic) else { return }
        throw refuse(identity, AccessRefusal.missingScope(.pushSend(topic: topic), has: identity.grant.scopes))
    }

    /// Stops work in the name of a key that may no longer pay for it.
    ///
    /// - Throws: ``AccessRefusal`` when the key was revoked, expired, lost the scope, may not use the model or spent its
    ///   tokens; ``StorageError`` when the keys cannot be read.
    package func requireFunds(
        ofKey id: Int64, scope: KeyScope = .notesWrite, model: String? = nil
    ) async throws {
        guard let identity = try await identity(ofKey: id) else {
            throw AccessRefusal.keyRevoked
        }
        guard !identity.grant.isExpired(at: clock.unixSeconds()) else { throw AccessRefusal.keyExpired }
        try requireScope(scope, for: identity)
        if let model { try requireModel(model, for: identity) }
        if isSpent(identity) { throw quotaExceeded(identity) }
    }

    /// Refuses a model that the key may not use. Not called for models that the gateway itself chose.
    ///
    /// - Throws: ``AccessRefusal/modelNotAllowed(_:allowed:)``.
    package func requireModel(_ model: String, for identity: Identity) throws(AccessRefusal) {
        guard !allows(model: model, to: identity) else { return }
        throw refuse(identity, AccessRefusal.modelNotAllowed(model, allowed: identity.grant.models))
    }

    /// Whether a key may use a model. The key's list may have the alias or its model.
    package func allows(model: String, to identity: Identity) -> Bool {
        identity.grant.allows(model: model) || identity.grant.allows(model: resolve(model))
    }

    /// Counts the tokens of a request. Tokens of a holder without a key are not counted.
    ///
    /// - Parameters:
    ///   - prompt: Tokens that the model read.
    ///   - completion: Tokens that the model wrote; 0 for embeddings.
    package func recordTokens(_ identity: Identity, prompt: Int, completion: Int) {
        if let key = identity.keyID { meter.countTokens(key, prompt: prompt, completion: completion) }
    }

    /// Counts a refusal and returns the error to throw.
    package func refuse<Refusal: Error>(_ identity: Identity, _ error: Refusal) -> Refusal {
        if let key = identity.keyID { meter.countRefusal(key) }
        return error
    }
}
