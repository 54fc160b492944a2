import Hummingbird
import Logging

/// What the gateway knows about one request beside its head and body.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's end.
    let client: ClientConnection
    /// Who asks; set by ``AuthenticationMiddleware``.
    var identity: Identity

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = ClientConnection(channel: source.channel)
        identity = .anonymous
    }
}

/// Who asks.
enum Identity: Sendable, Hashable {
    /// Nobody in particular: a route without a key, or a gateway without any.
    case anonymous
    /// The holder of `SELENE_API_TOKEN`.
    case token
    /// The holder of a key made by `selene keys create`.
    case key(id: Int64, name: String)

    /// The name under which places at the upstream are shared out; nothing that a client sends is in it.
    var admissionName: String {
        switch self {
        case .anonymous: "anonymous"
        case .token: "token"
        case .key(let id, _): "key \(id)"
        }
    }
}
