package import Access
package import Hummingbird
import Logging

/// What the gateway knows about one request beside its head and body.
package struct GatewayRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The client's end.
    package let client: ClientConnection
    /// The request's id; set by ``RequestIDMiddleware``.
    package var requestID = ""
    /// Who asks; set by ``AuthenticationMiddleware``.
    package var identity: Identity
    /// What decides about the identity; set with it.
    package var keys: KeyRing?
    /// The memory for the request's body; set by ``BodyMiddleware``.
    package var body: BodyLease?
    /// What the request tells of itself.
    package let trace = RequestTrace()

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = ClientConnection(channel: source.channel)
        identity = .unknown
    }
}
