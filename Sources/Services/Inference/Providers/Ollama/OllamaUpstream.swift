package import GatewayAPI
package import NIOCore
package import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The vectors of one embedding call.
package struct Embeddings: Sendable, Hashable {
    /// The model's name in Ollama's reply.
    package var model: String
    /// The length of each vector; 0 when there are no vectors.
    package var dimensions: Int
    /// The number of vectors.
    package var count: Int
    /// All vectors, row by row: vector *i* is `values[i * dimensions ..< (i + 1) * dimensions]`.
    package var values: [Float]
    /// The prompt tokens that Ollama counted.
    package var promptTokens: Int

    package init(model: String, dimensions: Int, count: Int, values: [Float], promptTokens: Int) {
        self.model = model
        self.dimensions = dimensions
        self.count = count
        self.values = values
        self.promptTokens = promptTokens
    }

    /// Copies one vector.
    ///
    /// - Parameter index: The vector's number, from 0 to `count - 1`.
    package func vector(_ index: Int) -> [Float] {
        Array(values[index * dimensions..<(index + 1) * dimensions])
    }
}

/// A model that Ollama has.
package struct OllamaModel: Sendable, Hashable {
    /// The name with its tag.
    package var name: String
    /// The digest of its weights and templates.
    package var digest: String
    /// Whether Ollama says that another server runs it.
    package var isElsewhere = false
}

/// The health of Ollama, with its version and models.
package struct UpstreamHealth: Sendable {
    /// Whether Ollama answered.
    package var available: Bool
    /// Ollama's version; nil when it did not answer.
    package var version: String?
    /// The names of Ollama's models.
    package var models: [String]
    /// The time until the answer or error.
    package var latency: Duration
    /// Why Ollama is not available; nil when it is.
    package var reason: String?
}

/// A client for Ollama's API, over one transport or a pool of endpoints.
package struct OllamaUpstream: Sendable {
    /// The maximum bytes of an embedding response: 4,096 vectors of 4,096 numbers fit.
    static let embeddingLimit = 512 << 20
    /// The maximum bytes of any other whole response.
    static let responseLimit = 16 << 20

    private enum Backend: Sendable {
        case transport(UpstreamTransport)
        case pool(EndpointPool, LoadShield?)
    }
    private let backend: Backend
    let rules: ModelRules
    let cloud: CloudSwitch
    /// Where models run, as Ollama said.
    let places = KnownPlaces()

    /// Creates a client over one transport, without rules.
    package init(transport: UpstreamTransport) { self.init(transport: transport, cloud: CloudSwitch()) }

    /// Creates a client over one transport, without rules.
    package init(transport: UpstreamTransport, cloud: CloudSwitch) {
        backend = .transport(transport)
        rules = .none
        self.cloud = cloud
    }

    /// Creates a client over a pool of endpoints.
    ///
    /// - Parameters:
    ///   - rules: The model aliases and defaults to apply.
    ///   - shield: Loads models before requests use them; nil leaves loading to Ollama.
    package init(pool: EndpointPool, rules: ModelRules = .none, shield: LoadShield? = nil) {
        self.init(pool: pool, rules: rules, shield: shield, cloud: CloudSwitch())
    }

    /// Creates a client over a pool of endpoints.
    ///
    /// - Parameter cloud: Whether models of Ollama's cloud may be used.
    package init(pool: EndpointPool, rules: ModelRules = .none, shield: LoadShield? = nil, cloud: CloudSwitch) {
        backend = .pool(pool, shield)
        self.rules = rules
        self.cloud = cloud
    }

    /// The addresses that a request may be sent to.
    var addresses: [UpstreamConfiguration] {
        switch backend {
        case .transport(let transport): [transport.configuration]
        case .pool(let pool, _): pool.endpoints.map(\.configuration.upstream)
        }
    }

    /// The base URL of Ollama, or of the first endpoint.
    package var baseURL: String {
        switch backend {
        case .transport(let transport): transport.configuration.baseURL
        case .pool(let pool, _): pool.endpoints.first?.configuration.upstream.baseURL ?? ""
        }
    }

    /// The status of each endpoint; empty over a single transport.
    package var endpoints: [EndpointStatus] {
        if case .pool(let pool, _) = backend { pool.endpoints.map(\.status) } else { [] }
    }

    /// Requests Ollama's version.
    ///
    /// - Throws: ``UpstreamError``.
    package func version() async throws(UpstreamError) -> String {
        struct Version: Decodable { var version: String }
        return try await get(Version.self, "/api/version").version
    }

    /// Lists the models that Ollama has, with their digests.
    ///
    /// - Parameter timeout: The timeout for the first byte; nil for 10 seconds.
    /// - Throws: ``UpstreamError``.
    package func models(within timeout: Duration? = nil) async throws(UpstreamError) -> [OllamaModel] {
        guard case .pool(let pool, _) = backend, !pool.isSingle else {
            return try await get(Tags.self, "/api/tags", within: timeout).list
        }
        // The first endpoint with a model defines its digest; see ``EndpointPool/take(model:isSameEverywhere:after:)``.
        var places: [String: Int] = [:]
        var models: [OllamaModel] = []
        for answer in try await pool.gather("/api/tags", within: timeout ?? .seconds(10), limit: Self.responseLimit) {
            guard let tags = try? JSONDecoder().decode(Tags.self, from: answer.body) else { continue }
            for model in tags.list {
                if let place = places[model.name] {
                    models[place].isElsewhere = models[place].isElsewhere || model.isElsewhere
                } else {
                    places[model.name] = models.count
                    models.append(model)
                }
            }
        }
        return models
    }

    private struct Tags: Decodable {
        struct Model: Decodable {
            var name: String
            var digest: String?
            var remote_host: String?
            var remote_model: String?
        }
        var models: [Model]?

        var list: [OllamaModel] {
            (models ?? []).map { model in
                let isElsewhere = [model.remote_host, model.remote_model].contains { $0?.isEmpty == false }
                return OllamaModel(name: model.name, digest: model.digest ?? "", isElsewhere: isElsewhere)
            }
        }
    }

    /// Whether a model is in memory at one of the endpoints.
    ///
    /// - Throws: ``UpstreamError``, also of a server without Ollama's `/api/ps`.
    func isLoaded(_ model: String) async throws(UpstreamError) -> Bool {
        let name = ModelName.canonical(rules.resolve(model))
        var loaded: [Tags] = []
        if case .pool(let pool, _) = backend, !pool.isSingle {
            let answers = try await pool.gather("/api/ps", within: .seconds(2), limit: Self.responseLimit)
            loaded = answers.compactMap { try? JSONDecoder().decode(Tags.self, from: $0.body) }
        } else {
            loaded = [try await get(Tags.self, "/api/ps", within: .seconds(2))]
        }
        return loaded.contains { $0.list.contains { ModelName.canonical($0.name) == name } }
    }

    /// Looks up the digest of a model. As in Ollama, a name without a tag means `:latest`.
    ///
    /// - Parameter timeout: The timeout for the first byte; nil for 10 seconds.
    /// - Throws: ``UpstreamError``, with status 404 when Ollama does not have the model.
    package func digest(of model: String, within timeout: Duration? = nil) async throws(UpstreamError) -> String {
        let models = try await models(within: timeout)
        let model = rules.resolve(model)
        let latest = ModelName.full(model)
        guard let found = models.first(where: { $0.name == model || $0.name == latest }) else {
            throw UpstreamError(
                .status, "model \"\(model)\" is not in Ollama; try: ollama pull \(model)", status: 404)
        }
        return found.digest
    }

    /// Requests the version and the models. Errors become ``UpstreamHealth/reason``.
    package func health(timeout: Duration) async -> UpstreamHealth {
        let clock = ContinuousClock()
        let started = clock.now
        do {
            let version = try await get(VersionReply.self, "/api/version", within: timeout).version
            let latency = clock.now - started
            let models = try await models().map(\.name)
            return UpstreamHealth(available: true, version: version, models: models, latency: latency)
        } catch {
            return UpstreamHealth(
                available: false, version: nil, models: [], latency: clock.now - started, reason: error.message)
        }
    }

    /// Sends a body to `/api/generate` and returns the streaming response, whose status is 200.
    ///
    /// - Throws: ``UpstreamError``; Ollama's own errors have ``UpstreamError/Code/status``.
    package func generate(body: ByteBuffer) async throws(UpstreamError) -> UpstreamResponse {
        try await post("/api/generate", body)
    }

    /// Sends a body to `/api/chat` and returns the streaming response, whose status is 200.
    ///
    /// - Throws: ``UpstreamError``; Ollama's own errors have ``UpstreamError/Code/status``.
    func chat(body: ByteBuffer) async throws(UpstreamError) -> UpstreamResponse {
        try await post("/api/chat", body)
    }

    /// Sends a recording to `/v1/audio/transcriptions` and returns the answer's value.
    ///
    /// - Throws: ``UpstreamError``, with status 404 when the server at Ollama's address has no such route or model.
    func transcribe(_ recording: Recording, model: String) async throws(UpstreamError) -> JSONValue {
        try await checkCloud(model)
        let request = UpstreamRequest.transcription(
            recording, model: rules.resolve(model), path: "/v1/audio/transcriptions")
        let body = try await checked(send(request)).body.collect(upTo: Self.responseLimit)
        guard let value = try? JSONDocument(parsing: Array(body.readableBytesView)).value else {
            throw UpstreamError(.invalidResponse, "Ollama's answer to /v1/audio/transcriptions is not JSON")
        }
        return value
    }

    /// Sends texts to `/v1/rerank`, or to `/rerank` as the form says, and returns the answer's value.
    ///
    /// - Throws: ``UpstreamError``, with status 404 when the server at Ollama's address has no such route or model.
    func rerank(
        _ form: RerankForm, model: String, _ query: String, _ texts: [String]
    ) async throws(UpstreamError) -> JSONValue {
        try await checkCloud(model)
        let members = form.members(model: rules.resolve(model), query: query, texts: texts)
        let response = try await checked(send(.post(form == .texts ? "/rerank" : "/v1/rerank", members)))
        let body = try await response.body.collect(upTo: Reranker.answerLimit)
        guard let value = try? JSONDocument(parsing: Array(body.readableBytesView)).value else {
            throw UpstreamError(.invalidResponse, "Ollama's answer to /v1/rerank is not JSON")
        }
        return value
    }

    /// Requests the description of a model, an object of JSON.
    ///
    /// - Throws: ``UpstreamError``, with status 404 when Ollama does not have the model.
    func show(_ model: String) async throws(UpstreamError) -> ByteBuffer {
        try cloud.check(rules.resolve(model))
        return try await describe(model)
    }

    /// Requests the description of a model, whatever its place.
    ///
    /// - Parameter timeout: The timeout of the first byte; nil for the configured one.
    func describe(_ model: String, within timeout: Duration? = nil) async throws(UpstreamError) -> ByteBuffer {
        let body = ByteBuffer(bytes: JSONBytes.object([("model", .string(model))]))
        return try await post("/api/show", body, usesModel: false, within: timeout).body.collect(
            upTo: Self.responseLimit)
    }

    /// Embeds texts in one call, in their order.
    ///
    /// - Parameters:
    ///   - dimensions: The length to cut vectors to; nil for the model's own.
    ///   - options: Ollama's `options`.
    ///   - truncates: Whether Ollama cuts a text that is too long; otherwise it refuses it.
    ///   - received: Called when the answer is there, before it is parsed: Ollama is free then.
    /// - Throws: ``UpstreamError``; ``UpstreamError/Code/invalidResponse`` when the number of vectors is wrong.
    package func embed(
        model: String, inputs: [String], dimensions: Int? = nil, options: [String: JSONValue] = [:],
        truncates: Bool = true, received: @Sendable () -> Void = {}
    ) async throws(UpstreamError) -> Embeddings {
        struct Body: Encodable {
            var model: String
            var input: [String]
            var truncate: Bool
            var dimensions: Int?
            var options: [String: JSONValue]?
        }
        let body = try encode(
            Body(
                model: model, input: inputs, truncate: truncates, dimensions: dimensions,
                options: options.isEmpty ? nil : options))
        let response = try await post("/api/embed", body)
        let whole = try await response.body.collect(upTo: Self.embeddingLimit)
        received()
        let scanned: Result<Embeddings, UpstreamError> = unsafe whole.withUnsafeReadableBytes { raw in
            do throws(UpstreamError) {
                return .success(unsafe try EmbeddingScanner.scan(raw.bindMemory(to: UInt8.self)))
            } catch {
                return .failure(error)
            }
        }
        let embeddings = try scanned.get()
        guard embeddings.count == inputs.count else {
            throw UpstreamError(
                .invalidResponse, "Ollama sent \(embeddings.count) vectors for \(inputs.count) texts")
        }
        return embeddings
    }

    /// Requests Ollama's status, an object of JSON. Older versions have no such route.
    func cloudStatus() async throws(UpstreamError) -> JSONValue {
        let response = try await send(
            UpstreamRequest(method: "GET", path: "/api/status", firstByteTimeout: .seconds(5)))
        let body = try await checked(response).body.collect(upTo: Self.responseLimit)
        guard let value = (try? JSONDocument(parsing: Array(body.readableBytesView)))?.value else {
            throw UpstreamError(.invalidResponse, "Ollama's answer to /api/status is not JSON")
        }
        return value
    }

    private struct VersionReply: Decodable { var version: String }

    private func get<Value: Decodable>(
        _ type: Value.Type, _ path: String, within timeout: Duration? = nil
    ) async throws(UpstreamError) -> Value {
        let response = try await send(
            UpstreamRequest(method: "GET", path: path, firstByteTimeout: timeout ?? .seconds(10)))
        let body = try await checked(response).body.collect(upTo: Self.responseLimit)
        do {
            return try JSONDecoder().decode(Value.self, from: Data(body.readableBytesView))
        } catch {
            throw UpstreamError(.invalidResponse, "Ollama's answer to \(path) is not the expected JSON")
        }
    }

    /// - Parameters:
    ///   - usesModel: Whether Ollama needs the body's model in memory.
    ///   - timeout: The timeout of the first byte; nil for the configured one.
    private func post(
        _ path: String, _ body: ByteBuffer, usesModel: Bool = true, within timeout: Duration? = nil
    ) async throws(UpstreamError) -> UpstreamResponse {
        var request = UpstreamRequest(
            method: "POST", path: path, headers: [("Content-Type", "application/json")], body: body,
            firstByteTimeout: timeout)
        let isEmbedding = ModelRequest.isEmbedding(path)
        request.isAnsweredInPieces = !isEmbedding
        if usesModel, !cloud.isOn {
            let asked = ModelResolver.request(path: path, body: body, rules: rules)
            if let model = asked.model { try await checkCloud(model) }
        }
        guard case .pool(let pool, let shield) = backend, !rules.isEmpty || shield != nil || !pool.isSingle else {
            return try await checked(send(request))
        }
        let asked = ModelResolver.request(path: path, body: body, rules: rules)
        request.body = asked.body
        // Vectors of different weights must not mix, so the pool must know each endpoint's digest.
        if isEmbedding, !pool.isSingle { await pool.probeUnknown() }
        let response = try await pool.send(request, model: asked.model, isSameEverywhere: isEmbedding) { endpoint in
            if usesModel, let model = asked.model {
                await shield?.load(model, at: endpoint, by: asked.load(path: path))
            }
        }
        return try await checked(response)
    }

    private func send(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        switch backend {
        case .transport(let transport): try await transport.send(request)
        case .pool(let pool, _): try await pool.send(request)
        }
    }

    /// Turns a status other than 200 into an error with Ollama's own message.
    private func checked(_ response: UpstreamResponse) async throws(UpstreamError) -> UpstreamResponse {
        guard response.status != 200 else { return response }
        struct Body: Decodable { var error: String }
        let body = try await response.body.collect(upTo: Self.responseLimit)
        let message = (try? JSONDecoder().decode(Body.self, from: Data(body.readableBytesView)))?.error
        let pause =
            [429, 503].contains(response.status)
            ? response.head["Retry-After"].flatMap { Int($0) }.map { min(max(0, $0), 3600) } : nil
        throw UpstreamError(
            .status, message ?? "status \(response.status)", from: "Ollama", status: response.status,
            retryAfterSeconds: pause)
    }

    private func encode(_ value: some Encodable) throws(UpstreamError) -> ByteBuffer {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return ByteBuffer(bytes: try encoder.encode(value))
        } catch {
            throw UpstreamError(.failed, "cannot encode the request as JSON: \(error)")
        }
    }
}
