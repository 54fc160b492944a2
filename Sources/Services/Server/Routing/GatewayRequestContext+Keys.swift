package import Access
package import Storage

/// What a route asks of the key that its request came with.
extension GatewayRequestContext {
    /// Refuses a model that the key may not name.
    ///
    /// - Throws: ``AccessRefusal/modelNotAllowed(_:allowed:)``.
    package func requireModel(_ model: String) throws(AccessRefusal) { try keys?.requireModel(model, for: identity) }

    /// Refuses a key that lacks a scope which a part of the request needs beside the route's own.
    ///
    /// - Throws: ``AccessRefusal/missingScope(_:has:)``.
    package func requireScope(_ scope: KeyScope) throws(AccessRefusal) { try keys?.requireScope(scope, for: identity) }

    /// Who pays for what the request embeds.
    package var account: TokenAccount { TokenAccount(identity, keys) }

    /// Runs a read that looks at many rows: within the share of the client's identity, and until the client leaves.
    ///
    /// - Throws: ``GatewayError`` with 429 when too many of the identity's reads wait, with 499 when the client left.
    package func scan<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let keys else { return try await read() }
        let name = identity.admissionName
        return try await client.whilePresent { try await keys.scans.run(name, read) }
    }

    /// Counts the tokens of this request.
    package func recordTokens(prompt: Int, completion: Int) {
        trace.tokens(prompt: prompt, generated: completion)
        keys?.recordTokens(identity, prompt: prompt, completion: completion)
    }
}
