package import Inference
package import Server
package import Transport

/// The settings of models: upstreams, default models, and limits of concurrent requests.
package struct LLMSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .generateModel, .embedModel, .ollamaHost, .upstreams, .upstreamKeys, .modelAliases, .modelDefaults, .loadShield,
        .cloud, .providers, .transcribeModel, .connectTimeout, .firstByteTimeout, .idleTimeout, .maxInFlight,
        .maxWaiting,
    ]

    /// The model for `/api/llm/generate`.
    package var generateModel: String
    /// The model for `/api/llm/embed`, backfill and queries.
    package var embedModel: String
    /// Ollama's address and timeouts.
    package var upstream: UpstreamConfiguration
    /// All upstreams; the first has the address of ``upstream``.
    package var upstreams: [EndpointConfiguration]
    /// The aliases and load options of models.
    package var modelRules: ModelRules
    /// Whether the gateway loads models before they are used.
    package var shieldsLoads: Bool
    /// Whether models of Ollama's cloud may be used.
    package var allowsCloud: Bool
    /// The providers of models besides Ollama, in the order of their names.
    package var providers: [ProviderConfiguration]
    /// The model that turns speech into text; nil for none.
    package var transcribeModel: String?
    /// The maximum number of concurrent requests to the upstream.
    package var maxInFlight: Int
    /// The maximum number of requests that wait for the upstream.
    package var maxWaiting: Int

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        generateModel = reader.text(.generateModel) ?? ""
        embedModel = try reader.nonEmptyText(.embedModel)
        transcribeModel = reader.text(.transcribeModel).flatMap { $0.isEmpty ? nil : $0 }
        maxInFlight = try reader.integer(.maxInFlight, in: 1...10_000)
        maxWaiting = try reader.integer(.maxWaiting, in: 0...100_000)
        let address = reader.text(.ollamaHost) ?? ""
        var upstream: UpstreamConfiguration
        do {
            upstream = try UpstreamConfiguration(host: address)
        } catch {
            throw ConfigurationError.invalid(
                .ollamaHost, address, reader.origin(of: .ollamaHost), "an address such as http://127.0.0.1:11434")
        }
        var upstreams = try UpstreamSettings.endpoints(reader, only: upstream)
        modelRules = try UpstreamSettings.rules(reader)
        shieldsLoads = try UpstreamSettings.flag(.loadShield, reader)
        allowsCloud = try UpstreamSettings.flag(.cloud, reader)
        providers = try ProviderSettings.providers(reader)
        if let first = upstreams.first { upstream = first.upstream }
        upstream.connectTimeout = try reader.seconds(.connectTimeout)
        upstream.firstByteTimeout = try reader.seconds(.firstByteTimeout)
        upstream.idleTimeout = try reader.seconds(.idleTimeout)
        for index in upstreams.indices {
            let baseURL = upstreams[index].upstream.baseURL
            upstreams[index].upstream = upstream
            upstreams[index].upstream.baseURL = baseURL
        }
        (self.upstream, self.upstreams) = (upstream, upstreams)
        if !allowsCloud, let away = upstreams.first(where: { !ModelPlace.isHere($0.upstream) }) {
            throw ConfigurationError(
                message:
                    "cloud (\(Setting.cloud.environment)) is off, but the upstream \(away.upstream.baseURL) has a public "
                    + "address; use an address of this machine or of a private network, or set "
                    + "\(Setting.cloud.environment)=on")
        }
    }
}

extension Setting {
    package static let generateModel = Setting(
        "generate_model", default: "llama3.2", editable: true, "model for generation")
    package static let embedModel = Setting(
        "embed_model", default: "nomic-embed-text", editable: true, "model for embeddings")
    package static let ollamaHost = Setting(
        "ollama_host", environment: "OLLAMA_HOST", default: "http://127.0.0.1:11434", "where Ollama listens")
    package static let upstreams = Setting(
        "upstreams", default: nil,
        "several Ollamas instead of ollama_host: NAME=ADDRESS or ADDRESS, comma-separated")
    package static let upstreamKeys = Setting(
        "upstream_keys", default: nil, secret: true, "bearer keys of upstreams: NAME=KEY, comma-separated")
    package static let modelAliases = Setting(
        "model_aliases", default: nil, editable: true,
        "other names for models, comma-separated: ALIAS=MODEL or ALIAS=MODEL|ELSE|ELSE")
    package static let modelDefaults = Setting(
        "model_defaults", default: nil, "load options of models, as JSON: {\"MODEL\": {\"num_ctx\": 8192}}"
    )
    package static let loadShield = Setting(
        "load_shield", default: "off", editable: true,
        "on: the gateway loads models, so that a load continues when its client leaves")
    package static let cloud = Setting(
        "cloud", default: "on", editable: true,
        "off: refuses models of Ollama's cloud (NAME:cloud, NAME:TAG-cloud) on all routes")
    package static let providers = Setting(
        "providers", default: nil,
        "other providers of models, as JSON: {\"NAME\": {\"kind\": \"openai\", \"url\": \"…\", \"key_env\": \"…\"}}")
    package static let transcribeModel = Setting(
        "transcribe_model", default: nil, editable: true,
        "model for speech, at Ollama's address or PROVIDER/MODEL: none by default")
    package static let connectTimeout = Setting("connect_timeout", default: "5", "seconds to connect to Ollama")
    package static let firstByteTimeout = Setting(
        "first_byte_timeout", default: "300", "seconds to Ollama's first byte, including the load of a model")
    package static let idleTimeout = Setting("idle_timeout", default: "120", "seconds between two reads of a reply")
    package static let maxInFlight = Setting("max_in_flight", default: "64", "concurrent requests to Ollama")
    package static let maxWaiting = Setting("max_waiting", default: "256", "requests that may wait for Ollama")
}
