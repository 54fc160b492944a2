public import GatewayAPI

/// Calls the model routes of a gateway.
///
/// Every method throws ``GatewayClientError``. Generations and chats are retried only when the gateway refused them
/// (429, 503) or could not be reached. Embeddings and reads are also retried when the connection broke.
///
/// Streams are pulled: data that waits for a slow consumer is bounded. Cancelling the task, or dropping the last
/// reference to the stream, ends the work behind the stream. A stream that ends without an error has delivered a last
/// piece with `isDone`.
public struct RemoteOllamaService: Sendable {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `GET /health`: returns whether the gateway serves; does not touch any model.
    public func health() async throws -> HealthResponse { try await connection.send(Call("GET", "/health")) }

    /// `GET /ready`: returns whether the gateway can serve requests; throws with status 503 when it cannot.
    public func ready() async throws -> ReadyResponse { try await connection.send(Call("GET", "/ready")) }

    /// `GET /api/llm/health`: returns whether models can be reached, and their names.
    public func llmHealth() async throws -> LLMHealthResponse {
        try await connection.send(Call("GET", "/api/llm/health"))
    }

    /// `GET /api/tags`: returns the installed models.
    public func models() async throws -> ModelsResponse { try await connection.send(Call("GET", "/api/tags")) }

    /// `POST /api/llm/generate`: generates a whole answer; ignores `stream`.
    public func generate(_ request: GenerateRequest) async throws -> GenerateResponse {
        var whole = request
        whole.stream = false
        return try await connection.send(
            Call("POST", "/api/llm/generate", whole, .whenRefused, timeout: .model, schema: whole.format))
    }

    /// `POST /api/llm/generate`, streamed: generates piece by piece; ignores `stream`.
    public func generateStream(
        _ request: GenerateRequest
    ) async throws -> AsyncThrowingStream<GenerateChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/llm/generate", streamed, .whenRefused, timeout: .model, schema: streamed.format),
            isLast: \.isDone)
    }

    /// `POST /api/chat`, streamed: answers a conversation piece by piece; ignores `stream`.
    public func chat(_ request: ChatRequest) async throws -> AsyncThrowingStream<ChatChunk, any Error> {
        var streamed = request
        streamed.stream = true
        return try await connection.lines(
            Call("POST", "/api/chat", streamed, .whenRefused, timeout: .model, schema: streamed.format),
            isLast: \.isDone)
    }

    /// `POST /api/llm/embed`: embeds one text or several.
    public func embed(_ request: EmbedRequest) async throws -> EmbedResponse {
        try await connection.send(Call("POST", "/api/llm/embed", request, .always, timeout: .model))
    }
}
