public import GatewayAPI

/// Calls the chat routes of a gateway. An answer belongs to the gateway: it is written whether anyone reads it or not.
///
/// Every method throws ``GatewayClientError``. All calls are retried, ``continue(_:)`` only when the gateway refused it
/// (429, 503) or could not be reached.
public struct RemoteChatService: Sendable {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `POST /api/chat/runs`: begins a run, or returns the one that was begun with the request's id.
    ///
    /// Fails with the code `session_busy` while another run of the session has not ended.
    public func begin(_ request: ChatRunRequest) async throws -> ChatRun {
        try await connection.send(Call("POST", "/api/chat/runs", request, .always))
    }

    /// `GET /api/chat/runs/:id`: returns a run with its text and record.
    public func run(_ id: String) async throws -> ChatRun {
        try await connection.send(Call("GET", "/api/chat/runs/\(Call.segment(id))"))
    }

    /// `GET /api/chat/runs`: returns runs without text and record, latest first; 50 to a page.
    ///
    /// - Parameters:
    ///   - session: Only runs of this session; all when nil.
    ///   - running: Only runs that have not ended.
    public func runs(session: String? = nil, running: Bool = false, _ page: PageRequest) async throws
        -> ChatRunsResponse
    {
        try await connection.send(
            Call("GET", "/api/chat/runs").with("session", session).with("state", running ? "running" : nil).with(page))
    }

    /// `DELETE /api/chat/runs/:id`: stops a run and keeps its text so far. Does nothing to a run that has ended.
    @discardableResult
    public func stop(_ id: String) async throws -> ChatRun {
        try await connection.send(Call("DELETE", "/api/chat/runs/\(Call.segment(id))"))
    }

    /// `POST /api/chat/runs/:id/continue`: continues a run that the end of a gateway interrupted.
    @discardableResult
    public func `continue`(_ id: String) async throws -> ChatRun {
        try await connection.send(Call("POST", "/api/chat/runs/\(Call.segment(id))/continue", .whenRefused))
    }

    /// `POST /api/sessions/:id/compress`: requests a summary of a session's old messages; the messages stay. A job writes
    /// it; ``Session/compressionState`` is `processing` until then.
    ///
    /// - Parameter model: The model that summarises; the gateway's when nil.
    @discardableResult
    public func compress(session: String, model: String? = nil) async throws -> Session {
        try await connection.send(
            Call("POST", "/api/sessions/\(Call.segment(session))/compress", CompressRequest(model: model), .always))
    }

    /// `GET /api/chat/runs/:id/events`: follows a run to its end. ``ChatAnswer`` makes an answer of the events.
    ///
    /// The stream pulls and buffers nothing. After a cut, or a silence of ``GatewayConnection/Timeouts/events``, it
    /// reconnects after the last event, as often as the retry policy permits without a new event. Deltas are then
    /// complete and in order, or a snapshot replaces all text. Cancelling the task, or dropping the last reference to
    /// the stream, closes the connection and changes nothing in the run. A stream that ends without an error has
    /// delivered `done` or `failed`.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - lastEventID: The id of the last event that the caller has; nil to begin with the first one.
    public func events(
        of id: String, after lastEventID: String? = nil
    ) throws -> AsyncThrowingStream<ChatRunEvent, any Error> {
        let source = RunEventSource(
            connection, path: "/api/chat/runs/\(try Call.segment(id))/events", after: lastEventID)
        return AsyncThrowingStream { try await source.next() }
    }
}
