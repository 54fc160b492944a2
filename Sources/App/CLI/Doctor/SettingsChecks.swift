import Gateway
import Inference
import Logging
import Storage
import Transport

/// Settings that are allowed and unwise, and the servers that they name.
enum SettingsChecks {
    static func all(_ configuration: GatewayConfiguration, _ database: GatewayDatabase?) -> [Check] {
        [
            Check(name: "settings") { try await settings(configuration, database) },
            Check(name: "upstreams") { try await upstreams(configuration) },
        ]
    }

    private static func settings(
        _ configuration: GatewayConfiguration, _ database: GatewayDatabase?
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        if let token = configuration.apiToken, token.utf8.count < 16 {
            findings.append(
                .warning(
                    "settings", "SELENE_API_TOKEN has \(token.utf8.count) characters and can be guessed",
                    remedy: "unset it and use keys: selene keys create NAME"))
        }
        if !configuration.isLoopback, configuration.apiToken == nil {
            let keys = try await database?.keys.all() ?? []
            if !keys.contains(where: { $0.revokedAt == nil }) {
                findings.append(
                    .problem(
                        "settings", "selene serve refuses to listen on \(configuration.host) without a key",
                        remedy: "selene keys create NAME"))
            }
        }
        if configuration.logsPrompts {
            findings.append(
                .warning("settings", "what models are asked is logged", remedy: "unset SELENE_LOG_PROMPTS"))
        }
        return findings.isEmpty ? [.ok("settings", configuration.file ?? "no configuration file")] : findings
    }

    private static func upstreams(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        var findings: [Finding] = []
        var models: Set<String> = []
        for endpoint in configuration.upstreams {
            let health = try await health(endpoint)
            if health.available {
                models.formUnion(health.models)
                let version = health.version.map { ", version \($0)" } ?? ""
                findings.append(.ok("upstreams", "\(endpoint.upstream.baseURL) answers\(version)"))
            } else {
                findings.append(
                    .problem(
                        "upstreams", "\(endpoint.upstream.baseURL): \(health.reason ?? "no answer")",
                        remedy: "start it (ollama serve), or name another one (OLLAMA_HOST, SELENE_UPSTREAMS)"))
            }
        }
        guard !models.isEmpty || findings.contains(where: { $0.severity == .ok }) else { return findings }
        for model in [configuration.embedModel, configuration.generateModel] {
            // An alias stands for another name, which its upstream knows.
            let name = configuration.modelRules.resolve(model)
            if !models.contains(name), !models.contains(name + ":latest") {
                findings.append(
                    .warning("upstreams", "no upstream has \(name)", remedy: "ollama pull \(ShellWord.of(name))"))
            }
        }
        return findings
    }

    private static func health(_ endpoint: EndpointConfiguration) async throws -> UpstreamHealth {
        let logger = Workbench.logger(.critical)
        let pool = try EndpointPool([endpoint], options: .init(probesAlways: false), logger: logger)
        let upstream = OllamaUpstream(pool: pool, rules: .none, shield: nil)
        let health = await upstream.health(timeout: .seconds(5))
        await pool.shutdown(within: .zero)
        return health
    }
}
