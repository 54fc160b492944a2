import HTTPTypes
import Inference
import Transport

/// How a proxied request goes to a provider besides Ollama: which routes, under which path and headers.
///
/// Only listed headers cross the gateway. Others tell the provider about the client or the client about the provider's
/// account, such as cookies, organisations and addresses.
struct ForwardedProvider: Sendable {
    private static let toProvider = Set(
        ["accept", "user-agent", "idempotency-key"] + ProviderDialect.all.flatMap(\.requestHeaders))
    private static let toClient: Set<String> = [
        "content-type", "content-length", "content-encoding", "transfer-encoding", "cache-control", "date",
        "retry-after", "retry-after-ms", "x-should-retry", "request-id",
    ]
    private static let prefixesToClient = ["x-ratelimit-"] + ProviderDialect.all.flatMap(\.answerHeaders)
    /// The largest error of a provider that is passed on, in bytes.
    static let errorLimit = 1 << 20

    let configuration: ProviderConfiguration

    /// Whether the provider answers a route.
    func answers(_ path: String) -> Bool { configuration.dialect.routes.contains(path) }

    /// Whether requests of a route are translated for the provider. Those in its own protocol pass unchanged.
    func isTranslated(_ path: String) -> Bool {
        !answers(path) && (ChatProtocol(path: path) != nil || path == "/api/show")
    }

    /// Why a route does not fit a model of the provider.
    func misfit(_ model: String, at path: String) -> String {
        let translated = ChatProtocol.allCases.map(\.path).filter { !answers($0) }
        let routes = (configuration.dialect.routes + translated).joined(separator: ", ")
        return "\"\(model)\" is a model of the provider \"\(configuration.name)\", which answers \(routes), not \(path)"
    }

    /// The request headers for the provider, with its key.
    func headers(_ fields: HTTPFields) -> [(name: String, value: String)] {
        var headers = fields.filter { Self.toProvider.contains($0.name.canonicalName) }
            .map { (name: $0.name.rawName, value: $0.value) }
        headers.append(("Content-Type", "application/json"))
        return headers + configuration.headers { name in fields.contains { $0.name.canonicalName == name } }
    }

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
