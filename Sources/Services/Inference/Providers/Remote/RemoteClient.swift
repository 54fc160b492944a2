import GatewayAPI
import NIOCore
import Transport

/// Sends requests to one provider, with its key, its limits and its rules for retries.
struct RemoteClient: Sendable {
    /// The maximum bytes of a whole response.
    static let responseLimit = 16 << 20

    let configuration: ProviderConfiguration
    private let transport: UpstreamTransport
    let admission: Admission
    private let cloud: CloudSwitch
    private let pause: @Sendable (Duration) async throws -> Void

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - admission: Grants the provider's places; nil for one of the client's own.
    ///   - cloud: Whether models of Ollama's cloud may be used.
    ///   - pause: Waits before another attempt.
    /// - Throws: ``UpstreamError`` when the process has no free descriptor.
    init(
        _ configuration: ProviderConfiguration, admission: Admission? = nil, cloud: CloudSwitch = CloudSwitch(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(UpstreamError) {
        self.configuration = configuration
        self.cloud = cloud
        self.pause = pause
        transport = try UpstreamTransport(configuration: configuration.upstream)
        self.admission =
            admission ?? Admission(maxInFlight: configuration.maxInFlight, maxWaiting: configuration.maxWaiting)
    }

    /// Refuses a name of Ollama's cloud at a server of the user's while the settings do.
    func checkCloud(_ model: String) throws(UpstreamError) {
        if configuration.isLocal { try cloud.check(model) }
    }

    /// Streams an answer; see ``ChatProvider/chat(_:for:_:)``.
    ///
    /// - Parameter request: Makes the request once there is a place for it.
    func chat(
        _ parser: some ChatStreamParser, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void,
        _ request: () async throws(UpstreamError) -> UpstreamRequest
    ) async throws {
        let permit = try await admission.acquire(caller) { try await receive(.waiting(place: $0)) }
        defer { permit.release() }
        let request = try await request()
        try await receive(.sent)
        let response = try await send(request)
        do {
            try await response.deliver(parser, receive)
        } catch let error as UpstreamError {
            throw redacted(error)
        }
        permit.release()
        await response.body.drain()
    }

    /// Sends a request without a body and returns the value of the answer.
    ///
    /// - Throws: ``UpstreamError``.
    func get(_ path: String) async throws(UpstreamError) -> JSONValue {
        try await value(of: UpstreamRequest(method: "GET", path: path, firstByteTimeout: .seconds(10)))
    }

    /// Sends a request and returns the value of the answer.
    ///
    /// - Throws: ``UpstreamError``.
    func value(
        of request: UpstreamRequest, upTo limit: Int = responseLimit, values: Int = 1 << 18, repeats: Bool = true
    ) async throws(UpstreamError) -> JSONValue {
        let body = try await send(request, repeats: repeats).body.collect(upTo: limit)
        let document = try? JSONDocument(parsing: Array(body.readableBytesView), limits: JSONLimits(values: values))
        guard let value = document?.value else {
            throw UpstreamError(
                .invalidResponse, "the answer of provider \"\(configuration.name)\" to \(request.path) is not JSON")
        }
        return value
    }

    /// Sends a request until it succeeds or the rules forbid another attempt.
    ///
    /// - Parameter repeats: Whether there may be another attempt.
    /// - Throws: ``UpstreamError`` without any part of the key.
    func send(_ request: UpstreamRequest, repeats: Bool = true) async throws(UpstreamError) -> UpstreamResponse {
        if let error = configuration.keyError { throw error }
        var request = request.traced(as: configuration.call, isOwn: configuration.isLocal)
        request.headers += configuration.headers()
        var attempt = 1
        while true {
            let failure: (outcome: Result<UpstreamResponseHead, UpstreamError>, word: String?, error: UpstreamError)
            do throws(UpstreamError) {
                let response = try await transport.send(request)
                if (200...299).contains(response.status) { return response }
                let said = RemoteError(try await response.body.collect(upTo: 1 << 20))
                failure = (.success(response.head), said.word, said.error(response.head, from: configuration.name))
            } catch {
                failure = (.failure(error), nil, error)
            }
            let pause = RetryRule.pause(
                after: failure.outcome, word: failure.word, attempt: attempt, chance: .random(in: 0...1))
            guard repeats, let pause else { throw redacted(failure.error) }
            do { try await self.pause(pause) } catch { throw .cancelled }
            attempt += 1
        }
    }

    private func redacted(_ error: UpstreamError) -> UpstreamError {
        var error = error
        error.message = configuration.key.redacting(error.message)
        return error
    }
}

extension UpstreamRequest {
    /// A request with a body of JSON.
    static func post(_ path: String, _ members: [(name: String, value: JSONValue)]) -> UpstreamRequest {
        post(path, json: JSONBytes.object(members))
    }

    /// A request with a body that is JSON already.
    static func post(_ path: String, json: [UInt8]) -> UpstreamRequest {
        UpstreamRequest(
            method: "POST", path: path, headers: [("Content-Type", "application/json")], body: ByteBuffer(bytes: json))
    }
}
