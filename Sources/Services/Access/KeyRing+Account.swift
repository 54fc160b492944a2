package import Inference

extension KeyRing {
    /// The account of the key that started a job; nil for a job without one.
    package func account(ofKey id: Int64?) -> EmbeddingAccount? {
        id.map { id in
            EmbeddingAccount(check: { try await self.requireFunds(ofKey: id) }) { tokens, model in
                self.recordTokens(id, of: model, prompt: tokens, completion: 0)
            }
        }
    }
}
