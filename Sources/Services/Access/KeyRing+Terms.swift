package import GatewayAPI
package import KeyRoom
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
        if spendsTokens, let refusal = spentQuota(of: identity) { throw refuse(identity, refusal) }
        let now = clock.instant()
        let limits = identity.allowances.filter { $0.requestsPerMinute != nil }
        guard !limits.isEmpty else { return }
        let refused = buckets.withLock { buckets -> (limit: Int, wait: Duration)? in
            var taken: [Int64] = []
            for allowance in limits {
                guard let limit = allowance.requestsPerMinute else { continue }
                let wait = buckets[allowance.key, default: RequestBucket(perMinute: limit, at: now)]
                    .take(perMinute: limit, at: now)
                guard let wait else {
                    taken.append(allowance.key)
                    continue
                }
                for key in taken { buckets[key]?.giveBack() }
                return (limit, wait)
            }
            return nil
        }
        if let refused { throw refuse(identity, AccessRefusal.rateLimited(limit: refused.limit, wait: refused.wait)) }
    }

    /// Whether the key, or one that made it, has used up its tokens for this day or its budget for this month; false for a
    /// holder without either.
    package func isSpent(_ identity: Identity) -> Bool { spentQuota(of: identity) != nil }

    /// The refusal for a quota that is used up; nil when none is.
    private func spentQuota(of identity: Identity) -> AccessRefusal? {
        let now = clock.unixSeconds()
        let today = UTCDay(unixSeconds: now)
        for allowance in identity.allowances where allowance.tokensPerDay != nil || allowance.budgetPerMonth != nil {
            let spent = allowance.members.map(meter.spent)
            if let limit = allowance.tokensPerDay,
                spent.reduce(0, { $0.addingWithoutOverflow($1.tokens) }) >= limit
            {
                return .quotaExceeded(limit: limit, retryAfterSeconds: today.end - now)
            }
            if let budget = allowance.budgetPerMonth, spent.reduce(.zero, { $0 + $1.cost }) >= budget {
                return .budgetExceeded(
                    meter.priceList.text(budget),
                    retryAfterSeconds: today.firstOfNextMonth.number * UTCDay.seconds - now)
            }
        }
        return nil
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
        if let refusal = spentQuota(of: identity) { throw refusal }
    }

    /// Asks whether the holder of a request may still do what a scope allows. Streams ask again and again.
    ///
    /// The question holds until the caller's key was revoked, has expired or lost the scope, its browser session ended, or
    /// `SELENE_API_TOKEN` was replaced. It throws ``StorageError`` when the keys cannot be read.
    package func question(of identity: Identity, for scope: KeyScope) -> @Sendable () async throws -> Bool {
        let generation = tokenGeneration
        return { [self] in
            if let session = identity.session {
                guard try await table().hasSession(session, at: clock.unixSeconds()) else { return false }
            }
            return switch identity.holder {
            case .key(let id, _): try await isStillGood(key: id, for: scope)
            case .anonymous: try await !needsCredential()
            case .token: tokenGeneration == generation
            case .machine: true
            case .unknown: false
            }
        }
    }

    /// Whether a key, such as that of a device's owner, may still do what a scope allows: it is not revoked and has not
    /// expired, nor has one that made it.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func isStillGood(key id: Int64, for scope: KeyScope) async throws -> Bool {
        guard let identity = try await identity(ofKey: id) else { return false }
        return identity.grant.scopes.allow(scope) && !identity.grant.isExpired(at: clock.unixSeconds())
    }

    /// Which key made which, as of now.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func families() async throws -> KeyFamilies { try await table().families }

    /// The key at which shares of a key are counted: itself, or one that made it.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func rootKey(of id: Int64) async throws -> Int64 { try await identity(ofKey: id)?.rootKey ?? id }

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
    ///   - model: The model or an alias of it; nil when it is not known.
    ///   - prompt: Tokens that the model read.
    ///   - completion: Tokens that the model wrote; 0 for embeddings.
    package func recordTokens(_ identity: Identity, of model: String?, prompt: Int, completion: Int) {
        if let key = identity.keyID { recordTokens(key, of: model, prompt: prompt, completion: completion) }
    }

    /// Counts tokens that were used for a key, as ``recordTokens(_:of:prompt:completion:)``.
    package func recordTokens(_ key: Int64, of model: String?, prompt: Int, completion: Int) {
        meter.countTokens(key, of: model.map(resolve), prompt: prompt, completion: completion)
    }

    /// Whether what the caller uses is counted in money.
    package func hasPrice(_ identity: Identity) -> Bool { identity.keyID != nil && !meter.priceList.isEmpty }

    /// Counts a refusal and returns the error to throw.
    package func refuse<Refusal: Error>(_ identity: Identity, _ error: Refusal) -> Refusal {
        if let key = identity.keyID { meter.countRefusal(key) }
        return error
    }
}
