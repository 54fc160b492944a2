import Hummingbird
import Logging

/// What the gateway knows about one request beside its head and body.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's end.
    let client: ClientConnection
    /// The request's id; set by ``RequestIDMiddleware``.
    var requestID = ""
    /// Who asks; set by ``AuthenticationMiddleware``.
    var identity: Identity
    /// What decides about the identity; set with it.
    var keys: KeyRing?
    /// The memory for the request's body; set by ``BodyMiddleware``.
    var body: BodyLease?
    /// What the request tells of itself.
    let trace = RequestTrace()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = ClientConnection(channel: source.channel)
        identity = .unknown
    }
}
