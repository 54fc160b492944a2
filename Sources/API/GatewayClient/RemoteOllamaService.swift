public import GatewayAPI

/// Models behind a gateway.
///
/// Every method throws ``GatewayClientError``. Generations and chats are sent again only when the gateway turned them away at
/// the door (429, 503) or was not reached; embeddings and questions also when the connection broke.
public struct RemoteOllamaService: LLMProvider {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `GET /health`
    public func health() async throws -> HealthResponse { try await connection.send(Call("GET", "/health")) }

    /// `GET /api/llm/health`
    public func llmHealth() async throws -> LLMHealthResponse {
        try await connection.send(Call("GET", "/api/llm/health"))
    }

    /// `GET /api/tags`
    public func models() async throws -> ModelsResponse { try await connection.send(Call("GET", "/api/tags")) }

    /// `POST /api/llm/generate`; `stream` is not looked at.
    public func generate(_ request: GenerateRequest) async throws -> GenerateResponse {
        var whole = request
        whole.stream = false
        return try await connection.send(Call("POST", "/api/llm/generate", whole, .whenRefused, patience: .model))
    }

    /// `POST /api/llm/generate`, streamed; `stream` is not looked at.
    public func generateStream(
        _ request: GenerateRequest
    ) async throws -> AsyncThrowingStream<GenerateChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/llm/generate", streamed, .whenRefused, patience: .model), isLast: \.isDone)
    }

    /// `POST /api/chat`, streamed; `stream` is not looked at.
    public func chat(_ request: ChatRequest) async throws -> AsyncThrowingStream<ChatChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/chat", streamed, .whenRefused, patience: .model), isLast: \.isDone)
    }

    /// `POST /api/llm/embed`
    public func embed(_ request: EmbedRequest) async throws -> EmbedResponse {
        try await connection.send(Call("POST", "/api/llm/embed", request, .always, patience: .model))
    }
}
