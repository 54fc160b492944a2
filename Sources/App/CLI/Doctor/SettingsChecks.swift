import Gateway
import GatewayAPI
import Inference
import LLM
import Logging
import Search
import Server
import KeyRoom
import Transport
import WebSearch

/// Checks for valid but unwise settings, and for upstreams that do not answer.
enum SettingsChecks {
    /// The keys of the gateway; nil when they cannot be read now.
    typealias Keys = @Sendable () async throws -> [KeyRecord]?

    static func all(_ configuration: GatewayConfiguration, _ keys: @escaping Keys) -> [Check] {
        [
            Check(name: "settings") { try await settings(configuration, keys) },
            Check(name: "upstreams") { try await upstreams(configuration) },
            Check(name: "reranker") { try await reranker(configuration) },
            Check(name: "web search") { try await webSearch(configuration) },
        ]
    }

    private static func settings(
        _ configuration: GatewayConfiguration, _ keys: Keys
    ) async throws -> [Finding] {
        var findings: [Finding] = configuration.unknownVariables.map {
            .warning("settings", $0, remedy: "unset it, or correct its name")
        }
        if let token = configuration.server.apiToken, CredentialCheck.isClientKey(token) {
            findings.append(
                .problem(
                    "settings", "SELENE_API_TOKEN has a key of a client, and selene serve refuses it",
                    remedy: "unset SELENE_API_TOKEN, and export the key as SELENE_KEY"))
        }
        if configuration.server.tls == nil, !configuration.server.isLoopback {
            findings.append(
                .warning(
                    "settings",
                    "browsers send the cookie of http://\(configuration.server.host) to every port of this host, so its other programs could use it",
                    remedy: "use HTTPS: selene tls init"))
        }
        if let token = configuration.server.apiToken, token.utf8.count < 16 {
            findings.append(
                .warning(
                    "settings", "SELENE_API_TOKEN has \(token.utf8.count) characters and can be guessed",
                    remedy: "unset it and use keys: selene keys create NAME"))
        }
        if !configuration.server.isLoopback, configuration.server.apiToken == nil {
            if let keys = try await keys(), !keys.contains(where: { $0.revokedAt == nil }) {
                findings.append(
                    .problem(
                        "settings", "selene serve refuses to listen on \(configuration.server.host) without a key",
                        remedy: "selene keys create NAME"))
            }
        }
        if configuration.server.logsPrompts {
            findings.append(
                .warning("settings", "prompts are logged", remedy: "unset SELENE_LOG_PROMPTS"))
        }
        for provider in configuration.llm.providers {
            guard let problem = provider.key.problem else { continue }
            findings.append(
                .warning(
                    "settings", "provider \"\(provider.name)\" has no key: \(problem)",
                    remedy: "set its key_env or key_file in SELENE_PROVIDERS"))
        }
        return findings.isEmpty ? [.ok("settings", configuration.file ?? "no configuration file")] : findings
    }

    private static func upstreams(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        var findings: [Finding] = []
        var models: Set<String> = []
        for endpoint in configuration.llm.upstreams {
            let health = try await health(endpoint)
            if health.available {
                models.formUnion(health.models)
                let version = health.version.map { ", version \($0)" } ?? ""
                findings.append(.ok("upstreams", "\(endpoint.upstream.baseURL) answers\(version)"))
                if let cloud = try await cloud(endpoint, configuration) { findings.append(cloud) }
            } else {
                findings.append(
                    .problem(
                        "upstreams", "\(endpoint.upstream.baseURL): \(health.reason ?? "no answer")",
                        remedy: "start it (ollama serve), or set another address (OLLAMA_HOST, SELENE_UPSTREAMS)"))
            }
        }
        guard !models.isEmpty || findings.contains(where: { $0.severity == .ok }) else { return findings }
        for model in [configuration.llm.embedModel, configuration.llm.generateModel] {
            // Upstreams do not know aliases.
            let name = configuration.llm.modelRules.resolve(model)
            let provider = RemoteProvider.split(name)?.provider
            if configuration.llm.providers.contains(where: { $0.name == provider }) { continue }
            if !models.contains(name), !models.contains(name + ":latest") {
                findings.append(
                    .warning("upstreams", "no upstream has \(name)", remedy: "ollama pull \(ShellWord.of(name))"))
            }
        }
        return findings
    }

    /// Lets the reranker score two texts, with more time than a search gives it.
    private static func reranker(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        guard let model = configuration.search.rerankModel else { return [] }
        let limit = configuration.search.rerankTimeout
        var patient = configuration
        patient.search.rerankTimeout = max(limit, .seconds(5))
        let started = ContinuousClock.now
        let outcome = try await LocalReranker.run(patient) { reranker in
            try await reranker?.score(
                "Where is the spare key?", ["The spare key is under the mat.", "Feed the starter every day."],
                for: AdmissionCaller("doctor"))
        }
        let time = ContinuousClock.now - started
        if let reason = outcome?.reason {
            return [
                .warning(
                    "reranker", "\(model) gives no scores, so searches keep their order: \(reason)",
                    remedy: "start a server with /v1/rerank, and name it: SELENE_RERANK_MODEL=PROVIDER/MODEL")
            ]
        }
        let milliseconds = Int(time.milliseconds.rounded())
        guard time <= limit else {
            return [
                .warning(
                    "reranker",
                    "\(model) took \(milliseconds) ms for two texts; searches wait for "
                        + "\(Int(limit.milliseconds.rounded())) ms",
                    remedy: "use a faster model, or raise SELENE_RERANK_TIMEOUT")
            ]
        }
        return [.ok("reranker", "\(model) scores two texts in \(milliseconds) ms")]
    }

    /// Asks the search server whether it answers in JSON. No query leaves the machine.
    private static func webSearch(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        let settings = configuration.webSearch
        var findings: [Finding] = []
        if let server = settings.server {
            let searxng = try SearXNG(server)
            do {
                try await searxng.check()
                findings.append(.ok("web search", "\(server.baseURL) answers in JSON; queries of clients go there"))
            } catch let failure as WebFailure {
                findings.append(
                    .problem(
                        "web search", "\(server.baseURL): \(failure.description)",
                        remedy: "correct that, or turn web search off (unset SELENE_WEB_SEARCH)"))
            }
            await searxng.close()
        }
        if settings.pages == .all {
            findings.append(
                .warning(
                    "web search", "each key with the scope llm can read pages of private networks by /api/web_fetch",
                    remedy: "allow public addresses only: SELENE_WEB_FETCH=public"))
        }
        return findings
    }

    /// Whether Ollama's cloud is on; nil when nothing of an upstream runs elsewhere, as far as it says.
    private static func cloud(
        _ endpoint: EndpointConfiguration, _ configuration: GatewayConfiguration
    ) async throws -> Finding? {
        let address = endpoint.upstream.baseURL
        guard ModelPlace.isHere(endpoint.upstream) else {
            return .warning(
                "cloud", "\(address) is a public address: its models count as elsewhere and get no private notes",
                remedy: "use an address of this machine or of a private network (OLLAMA_HOST, SELENE_UPSTREAMS)")
        }
        guard configuration.llm.allowsCloud else {
            return .ok("cloud", "models of Ollama's cloud are refused (SELENE_CLOUD=off)")
        }
        guard let report = try? await with(endpoint, { try await $0.cloudReport() }) else { return nil }
        let models =
            report.models.isEmpty ? "" : "; listed models that run there: " + report.models.joined(separator: ", ")
        switch report.isOn {
        case true?:
            return .ok(
                "cloud",
                "Ollama's cloud is on at \(address): models such as NAME:cloud run elsewhere and get no private notes; "
                    + "SELENE_CLOUD=off refuses them\(models)")
        case false?: return .ok("cloud", "Ollama's cloud is off at \(address)")
        case nil:
            guard !report.models.isEmpty else { return nil }
            return .warning(
                "cloud",
                "\(address) has models that run elsewhere, without private notes: \(report.models.joined(separator: ", "))",
                remedy: "to refuse them: SELENE_CLOUD=off")
        }
    }

    private static func with<Value: Sendable>(
        _ endpoint: EndpointConfiguration, _ body: (OllamaUpstream) async throws -> Value
    ) async throws -> Value {
        let pool = try EndpointPool(
            [endpoint], options: .init(probesAlways: false), logger: CommandContext.logger(.critical))
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(OllamaUpstream(pool: pool)))
        } catch {
            result = .failure(error)
        }
        await pool.shutdown(within: .zero)
        return try result.get()
    }

    private static func health(_ endpoint: EndpointConfiguration) async throws -> UpstreamHealth {
        try await with(endpoint) { await $0.health(timeout: .seconds(5)) }
    }
}
