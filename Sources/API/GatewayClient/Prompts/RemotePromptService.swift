public import GatewayAPI

/// Calls the routes of a gateway for prompts, tools and stored benchmarks.
///
/// Every method throws ``GatewayClientError``. Calls are retried when the connection breaks or the gateway is busy, except
/// ``store(_:)``, which is retried only when the gateway refused it or could not be reached.
public struct RemotePromptService: Sendable {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    // MARK: Prompts

    /// `GET /api/prompts`: returns all prompts without their templates.
    ///
    /// - Parameters:
    ///   - kind: Only prompts of this kind; all when nil.
    ///   - query: Only prompts whose title, purpose or template has this text; all when nil.
    public func prompts(kind: String? = nil, query: String? = nil) async throws -> PromptsResponse {
        try await connection.send(Call("GET", "/api/prompts").with("kind", kind).with("q", query))
    }

    /// `GET /api/prompts/:id`: returns a prompt with its template.
    ///
    /// - Parameter version: A number or the beginning of a version; the current one when nil.
    public func prompt(_ id: String, version: String? = nil) async throws -> Prompt {
        try await connection.send(Call("GET", try Self.path(id)).with("version", version))
    }

    /// `PUT /api/prompts/:id`: stores a new version of a prompt, or a new prompt. Nothing changes when it is equal.
    public func save(_ id: String, _ change: PromptChange) async throws -> Prompt {
        try await connection.send(Call("PUT", try Self.path(id), change, .always))
    }

    /// `DELETE /api/prompts/:id`: deletes an own prompt with its versions; one that comes with the gateway returns to its
    /// original.
    @discardableResult
    public func delete(_ id: String) async throws -> DeletedPromptResponse {
        try await connection.send(Call("DELETE", try Self.path(id)))
    }

    /// `GET /api/prompts/:id/versions`: returns the versions, latest first.
    public func versions(of id: String) async throws -> PromptVersionsResponse {
        try await connection.send(Call("GET", try Self.path(id) + "/versions"))
    }

    /// `GET /api/prompts/:id/diff`: compares two versions line by line.
    ///
    /// - Parameters:
    ///   - from: A number or the beginning of a version; the one before `to` when nil.
    ///   - to: The same; the current one when nil.
    public func diff(of id: String, from: String? = nil, to: String? = nil) async throws -> PromptDiff {
        try await connection.send(Call("GET", try Self.path(id) + "/diff").with("from", from).with("to", to))
    }

    /// `POST /api/prompts/:id/render`: returns the question that a prompt asks with these values.
    public func render(_ id: String, _ values: [String: String] = [:]) async throws -> RenderedPrompt {
        try await connection.send(
            Call("POST", try Self.path(id) + "/render", PromptRenderRequest(values: values), .always))
    }

    // MARK: Tools

    /// `GET /api/tools`: returns the tools that the key may call.
    public func tools() async throws -> ToolsResponse { try await connection.send(Call("GET", "/api/tools")) }

    /// `POST /api/tools/:name`: calls a tool. Tools change nothing.
    public func call(_ tool: String, _ request: ToolCallRequest) async throws -> ToolCallResponse {
        try await connection.send(
            Call("POST", "/api/tools/\(try Call.segment(tool))", request, .always, timeout: .model))
    }

    // MARK: Benchmarks

    /// `GET /api/bench`: returns the stored benchmarks without their reports, latest first.
    public func benchRuns() async throws -> BenchRunsResponse { try await connection.send(Call("GET", "/api/bench")) }

    /// `GET /api/bench/:id`: returns a stored benchmark with its report.
    public func benchRun(_ id: Int64) async throws -> BenchRun {
        try await connection.send(Call("GET", "/api/bench/\(id)"))
    }

    /// `POST /api/bench`: stores a benchmark. The oldest are dropped when there are too many.
    public func store(_ run: NewBenchRun) async throws -> BenchRun {
        try await connection.send(Call("POST", "/api/bench", run, .whenRefused))
    }

    /// `DELETE /api/bench/:id`: deletes a stored benchmark.
    @discardableResult
    public func deleteBenchRun(_ id: Int64) async throws -> DeletedResponse {
        try await connection.send(Call("DELETE", "/api/bench/\(id)"))
    }

    private static func path(_ id: String) throws -> String { "/api/prompts/\(try Call.segment(id))" }
}
