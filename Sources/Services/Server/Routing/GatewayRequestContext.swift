package import Access
package import Hummingbird
import Logging

/// The gateway's data about a request besides its head and body.
package struct GatewayRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let client: ClientConnection
    /// The request's id; set by ``RequestIDMiddleware``.
    package var requestID = ""
    /// The caller; set by ``AuthenticationMiddleware``.
    package var identity: Identity
    /// The keys of the gateway; set with ``identity``.
    package var keys: KeyRing?
    /// The memory for the request's body; set by ``BodyMiddleware``.
    package var body: BodyLease?
    /// The turn of a request whose answer is being made; set by ``AnswerMiddleware``. Work with a limit of its own takes
    /// another one in its place.
    package var turn: AnswerTurn?
    /// The facts for logs and metrics.
    package let trace: RequestTrace

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        let trace = RequestTrace()
        self.trace = trace
        client = ClientConnection(channel: source.channel, trace: trace)
        identity = .unknown
    }
}
