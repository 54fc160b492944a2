/// What a route asks of the key that its request came with.
extension GatewayRequestContext {
    /// Refuses a model that the key may not name.
    ///
    /// - Throws: ``GatewayError`` with 403 `model_not_allowed`.
    func requireModel(_ model: String) throws(GatewayError) { try keys?.requireModel(model, for: identity) }

    /// Runs a read that looks at many rows: within the share of the client's identity, and until the client leaves.
    ///
    /// - Throws: ``GatewayError`` with 429 when too many of the identity's reads wait, with 499 when the client left.
    func scan<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let keys else { return try await read() }
        let name = identity.admissionName
        return try await client.whilePresent { try await keys.scans.run(name, read) }
    }

    /// Counts the tokens of this request.
    func recordTokens(prompt: Int, completion: Int) {
        trace.tokens(prompt: prompt, generated: completion)
        keys?.recordTokens(identity, prompt: prompt, completion: completion)
    }
}
