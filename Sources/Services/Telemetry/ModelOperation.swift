import Inference

/// What a model does for a route, by the name that the conventions of OpenTelemetry have for it.
package struct ModelOperation: Sendable, Hashable {
    /// The attribute `gen_ai.operation.name`.
    package let name: String

    /// - Returns: nil for a route whose own purpose is not a call of a model, such as a search.
    package init?(route: String) {
        guard let name = Self.names[route] ?? (ChatProtocol(path: route) != nil ? "chat" : nil) else { return nil }
        self.name = name
    }

    /// The conventions have no names for reranking and speech.
    private static let names = [
        "/api/embed": "embeddings", "/api/embeddings": "embeddings", "/v1/embeddings": "embeddings",
        "/api/llm/embed": "embeddings",
        "/api/generate": "text_completion", "/v1/completions": "text_completion",
        "/api/llm/generate": "text_completion", "/v1/images/generations": "generate_content",
        "/v1/images/edits": "generate_content", "/v1/audio/speech": "speech",
        "/v1/audio/transcriptions": "transcription", "/api/llm/transcribe": "transcription",
        "/v1/rerank": "rerank", "/api/rerank": "rerank",
    ]
}
