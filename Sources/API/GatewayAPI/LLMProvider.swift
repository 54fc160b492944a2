/// Language models, wherever they run: behind a gateway, or on the device.
///
/// Every method throws the provider's own error; `GatewayClientError` for the remote one.
///
/// Streams are pulled, and what waits for a consumer that does not keep up is bounded. The work behind a stream ends when its
/// task is cancelled or when the last reference to the stream goes.
public protocol LLMProvider: Sendable {
    /// Whether the provider itself is there; does not touch any model.
    func health() async throws -> HealthResponse
    /// Whether models can be reached, and which ones there are.
    func llmHealth() async throws -> LLMHealthResponse
    /// The models that are installed.
    func models() async throws -> ModelsResponse
    /// Generates a whole answer.
    func generate(_ request: GenerateRequest) async throws -> GenerateResponse
    /// Generates piece by piece. A stream that ends without an error has had a last piece with `isDone`.
    func generateStream(_ request: GenerateRequest) async throws -> AsyncThrowingStream<GenerateChunk, any Error>
    /// Answers a conversation piece by piece. A stream that ends without an error has had a last piece with `isDone`.
    func chat(_ request: ChatRequest) async throws -> AsyncThrowingStream<ChatChunk, any Error>
    /// Embeds one text or several.
    func embed(_ request: EmbedRequest) async throws -> EmbedResponse
}
