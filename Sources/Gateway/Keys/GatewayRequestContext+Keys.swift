/// What a route asks of the key that its request came with.
extension GatewayRequestContext {
    /// Refuses a model that the key may not name.
    ///
    /// - Throws: ``GatewayError`` with 403 `model_not_allowed`.
    func requireModel(_ model: String) throws(GatewayError) { try keys?.requireModel(model, for: identity) }

    /// Counts the tokens of this request.
    func recordTokens(prompt: Int, completion: Int) {
        trace.tokens(prompt: prompt, generated: completion)
        keys?.recordTokens(identity, prompt: prompt, completion: completion)
    }
}
