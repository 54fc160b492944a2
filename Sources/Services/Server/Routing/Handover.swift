package import Access
import HTTPTypes
package import Hummingbird
import Synchronization

/// Hands requests that were authenticated and admitted before they reach a router over to a router of their own.
///
/// A random mark in the head names the request, so no client can send one. A mark counts once, and there is one for each open
/// connection or stream at most.
package final class Handover: Sendable {
    private let identities = Mutex<[String: Identity]>([:])

    package init() {}

    /// Marks the head of an admitted request.
    ///
    /// - Returns: The mark, for ``forget(_:)``.
    package func mark(_ head: inout HTTPRequest, of identity: Identity) -> String {
        let mark =
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        head.headerFields[.handover] = mark
        identities.withLock { $0[mark] = identity }
        return mark
    }

    /// Forgets a request that did not arrive.
    package func forget(_ mark: String) { identities.withLock { $0[mark] = nil } }

    fileprivate func covers(_ request: Request) -> Bool {
        guard let mark = request.headers[.handover] else { return false }
        return identities.withLock { $0[mark] != nil }
    }

    fileprivate func take(_ request: Request) -> Identity? {
        guard let mark = request.headers[.handover] else { return nil }
        return identities.withLock { $0.removeValue(forKey: mark) }
    }
}

/// Gives a request that was handed over the identity that it had.
struct HandoverMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let handover: Handover
    let keys: KeyRing

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let identity = handover.take(request) else {
            throw GatewayError(.notFound, .notFound, PathSuggestion.missing(request.uri.path))
        }
        var context = context
        (context.identity, context.keys) = (identity, keys)
        context.trace.identify(identity)
        return try await next(request, context)
    }
}

/// Answers requests that were handed over with a responder of their own, all others with the usual one.
package struct HandoverResponder<Usual: HTTPResponder, Other: HTTPResponder>: HTTPResponder
where Usual.Context: Sendable, Usual.Context == Other.Context {
    package typealias Context = Usual.Context

    private let handover: Handover
    private let usual: Usual
    private let handedOver: Other

    package init(_ handover: Handover, usual: Usual, handedOver: Other) {
        self.handover = handover
        self.usual = usual
        self.handedOver = handedOver
    }

    /// The answer of the request's responder.
    ///
    /// - Throws: What the responder throws.
    package func respond(to request: Request, context: Context) async throws -> Response {
        guard handover.covers(request) else { return try await usual.respond(to: request, context: context) }
        return try await handedOver.respond(to: request, context: context)
    }
}
