package import GatewayAPI
package import Inference

extension RerankStage {
    /// Creates the stage that the settings describe.
    ///
    /// - Parameters:
    ///   - models: The servers with models.
    ///   - isPrivate: Whether a note must not leave the user's machines.
    package init(
        _ settings: SearchSettings, _ models: EmbeddingModels, isPrivate: @escaping @Sendable (Note) -> Bool
    ) {
        self.init(settings.reranker(models), isPrivate: isPrivate)
    }
}

extension SearchSettings {
    /// The reranker that the settings name; nil for none.
    package func reranker(_ models: EmbeddingModels) -> Reranker? {
        rerankModel.map { model in
            models.reranker(
                Reranker.Options(
                    model: model, timeout: rerankTimeout, candidates: rerankCandidates, textBytes: rerankBytes))
        }
    }
}
