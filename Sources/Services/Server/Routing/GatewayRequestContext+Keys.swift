package import Access
package import GatewayAPI

/// Checks and charges the key of a request.
extension GatewayRequestContext {
    /// Rejects a model that the key may not use.
    ///
    /// - Throws: ``AccessRefusal/modelNotAllowed(_:allowed:)``.
    package func requireModel(_ model: String) throws(AccessRefusal) { try keys?.requireModel(model, for: identity) }

    /// Rejects a key without a scope that a part of the request needs in addition to the route's own.
    ///
    /// - Throws: ``AccessRefusal/missingScope(_:has:)``.
    package func requireScope(_ scope: KeyScope) throws(AccessRefusal) { try keys?.requireScope(scope, for: identity) }

    /// Rejects a key that may not send notifications of a topic.
    ///
    /// - Throws: ``AccessRefusal/missingScope(_:has:)``.
    package func requireTopic(_ topic: String) throws(AccessRefusal) { try keys?.requireTopic(topic, for: identity) }

    /// The account that is charged for the request's embeddings.
    package var account: TokenAccount { TokenAccount(identity, keys) }

    /// Runs a read of many rows: within the share of the caller's identity, and until the client leaves.
    ///
    /// - Throws: ``GatewayError`` with 429 when too many of the identity's reads wait, with 499 when the client left.
    package func scan<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let keys else { return try await read() }
        let name = identity.admissionName
        guard let turn else { return try await client.whilePresent { try await keys.scans.run(name, read) } }
        // What waits for a scan keeps no quick answer waiting.
        turn.end()
        return try await client.whilePresent {
            turn.keep(try await keys.scans.take(name))
            return try await read()
        }
    }

    /// Counts the tokens of this request.
    ///
    /// - Parameter model: The model that answered; the one of the request's trace when nil.
    package func recordTokens(of model: String? = nil, prompt: Int, completion: Int) {
        trace.tokens(prompt: prompt, generated: completion)
        keys?.recordTokens(identity, of: model ?? trace.facts.model, prompt: prompt, completion: completion)
    }
}
