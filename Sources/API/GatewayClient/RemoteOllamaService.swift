public import GatewayAPI

/// Models behind a gateway.
///
/// Every method throws ``GatewayClientError``. Generations and chats are sent again only when the gateway turned them away at
/// the door (429, 503) or was not reached; embeddings and questions also when the connection broke.
///
/// Streams are pulled, and what waits for a consumer that does not keep up is bounded. The work behind a stream ends when its
/// task is cancelled or when the last reference to the stream goes. A stream that ends without an error has had a last piece
/// with `isDone`.
public struct RemoteOllamaService: Sendable {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `GET /health`: whether the gateway serves; does not touch any model.
    public func health() async throws -> HealthResponse { try await connection.send(Call("GET", "/health")) }

    /// `GET /api/llm/health`: whether models can be reached, and which ones there are.
    public func llmHealth() async throws -> LLMHealthResponse {
        try await connection.send(Call("GET", "/api/llm/health"))
    }

    /// `GET /api/tags`: the models that are installed.
    public func models() async throws -> ModelsResponse { try await connection.send(Call("GET", "/api/tags")) }

    /// `POST /api/llm/generate`: generates a whole answer; ignores `stream`.
    public func generate(_ request: GenerateRequest) async throws -> GenerateResponse {
        var whole = request
        whole.stream = false
        return try await connection.send(Call("POST", "/api/llm/generate", whole, .whenRefused, patience: .model))
    }

    /// `POST /api/llm/generate`, streamed: generates piece by piece; ignores `stream`.
    public func generateStream(
        _ request: GenerateRequest
    ) async throws -> AsyncThrowingStream<GenerateChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/llm/generate", streamed, .whenRefused, patience: .model), isLast: \.isDone)
    }

    /// `POST /api/chat`, streamed: answers a conversation piece by piece; ignores `stream`.
    public func chat(_ request: ChatRequest) async throws -> AsyncThrowingStream<ChatChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/chat", streamed, .whenRefused, patience: .model), isLast: \.isDone)
    }

    /// `POST /api/llm/embed`: embeds one text or several.
    public func embed(_ request: EmbedRequest) async throws -> EmbedResponse {
        try await connection.send(Call("POST", "/api/llm/embed", request, .always, patience: .model))
    }
}
