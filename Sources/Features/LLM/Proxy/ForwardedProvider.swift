import HTTPTypes
import Inference
import Transport

/// How a proxied request goes to a provider besides Ollama: which routes, under which path and headers.
///
/// Only listed headers cross the gateway. Others tell the provider about the client or the client about the provider's
/// account, such as cookies, organisations and addresses.
struct ForwardedProvider: Sendable {
    private static let toProvider: Set<String> = [
        "accept", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta", "idempotency-key",
    ]
    private static let toClient: Set<String> = [
        "content-type", "content-length", "content-encoding", "transfer-encoding", "cache-control", "date",
        "retry-after", "retry-after-ms", "x-should-retry", "request-id", "openai-processing-ms", "openai-version",
    ]
    private static let prefixesToClient = ["x-ratelimit-", "anthropic-ratelimit-"]
    /// The largest error of a provider that is passed on, in bytes.
    static let errorLimit = 1 << 20

    let configuration: ProviderConfiguration

    /// The routes that a kind of provider answers.
    static func routes(of kind: ProviderConfiguration.Kind) -> [String] {
        switch kind {
        case .openAI: ["/v1/chat/completions", "/v1/embeddings"]
        case .anthropic: ["/v1/messages"]
        }
    }

    /// Whether the provider answers a route.
    func answers(_ path: String) -> Bool { Self.routes(of: configuration.kind).contains(path) }

    /// Why a route does not fit a model of the provider.
    func misfit(_ model: String, at path: String) -> String {
        let routes = Self.routes(of: configuration.kind).joined(separator: " and ")
        return "\"\(model)\" is a model of the provider \"\(configuration.name)\", which answers \(routes), not \(path)"
    }

    /// The path and query at the provider. The base address of an OpenAI-compatible one has the `/v1`.
    func path(of target: String) -> String {
        configuration.kind == .openAI && target.hasPrefix("/v1/") ? String(target.dropFirst(3)) : target
    }

    /// The request headers for the provider, with its key.
    func headers(_ fields: HTTPFields) -> [(name: String, value: String)] {
        var headers = fields.filter { Self.toProvider.contains($0.name.canonicalName) }
            .map { (name: $0.name.rawName, value: $0.value) }
        headers.append(("Content-Type", "application/json"))
        if configuration.kind == .anthropic, fields[Self.versionHeader] == nil {
            headers.append(("anthropic-version", ProviderConfiguration.anthropicVersion))
        }
        return headers + configuration.headers
    }

    private static let versionHeader = HTTPField.Name("anthropic-version") ?? .accept

    /// The response head for the client.
    func head(_ head: UpstreamResponseHead) -> UpstreamResponseHead {
        var head = head
        head.headers.removeAll { name, _ in
            let name = name.lowercased()
            return !Self.toClient.contains(name) && !Self.prefixesToClient.contains { name.hasPrefix($0) }
        }
        return head
    }
}
