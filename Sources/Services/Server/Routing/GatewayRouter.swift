package import Access
package import Audit
package import GatewayAPI
package import HTTPTypes
package import Hummingbird

/// Builds the router: every route, and a 405 for the other methods of each path.
package struct GatewayRouter {
    package typealias Handler = @Sendable (Request, GatewayRequestContext) async throws -> Response

    private let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
    private let methods = MethodTable()
    private let metrics: GatewayMetrics
    private let bodies: BodyLimits
    private let errors: ErrorShapes
    private let audit: AuditTrail

    /// - Parameter isModelAPI: Whether the routes are those of model APIs, whose clients expect their forms of errors.
    package init(
        observer: RequestObserver, errors: ErrorShapes, keys: KeyRing, bodies: BodyLimits, audit: AuditTrail,
        isModelAPI: Bool = false
    ) {
        (self.bodies, self.errors, self.audit) = (bodies, errors, audit)
        metrics = observer.metrics
        router.add(middleware: RequestIDMiddleware())
        router.add(middleware: ObservationMiddleware(observer: observer))
        router.add(
            middleware: CORSMiddleware(settings: observer.settings, errors: errors) {
                if case .missing = try await keys.find(bearer: nil) { true } else { false }
            })
        // Around the errors: a refusal ends the connection of a client that still holds back its body.
        router.add(middleware: ExpectMiddleware())
        router.add(middleware: ErrorMiddleware(errors: errors, isModelAPI: isModelAPI))
    }

    /// Makes all routes added after this call need a key, if the gateway has keys.
    package func requireKeys(_ authentication: AuthenticationMiddleware) {
        refuseOtherMethods()
        router.add(middleware: authentication)
        addLimits()
    }

    /// Makes all routes added after this call take requests that were handed over, which need no other admission.
    package func require(_ handover: Handover, of keys: KeyRing) {
        router.add(middleware: HandoverMiddleware(handover: handover, keys: keys))
        addLimits()
    }

    private func addLimits() {
        router.add(middleware: BodyMiddleware(budget: bodies.memory))
        router.add(middleware: AnswerMiddleware(limits: bodies))
    }

    /// Adds a path with one of its methods. Methods that are never added answer 405 and list those of the path.
    ///
    /// - Parameters:
    ///   - access: The access that the route needs. A scope requires a preceding ``requireKeys(_:)``.
    ///   - takesFields: Whether the handler reads a body; without it, a body with fields is refused.
    ///   - refusesOthers: Whether other methods of the path answer 405; false for a path that matches paths that are no routes.
    ///   - action: What the audit calls the change; nil for a route that changes nothing an administrator answers for. On a
    ///     route of other scopes only callers with the scope `admin` get an entry.
    package func add(
        _ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess, takesFields: Bool = true,
        refusesOthers: Bool = true, audit action: AuditAction? = nil, _ handler: @escaping Handler
    ) {
        if refusesOthers { methods.paths[path, default: []].append(method) }
        methods.all.append(RegisteredRoute(method: method, path: path, access: access, action: action))
        metrics.register(RouterPath(path).description)
        router.on(RouterPath(path), method: method) { [audit, errors] request, context in
            if access != .open {
                guard let keys = context.keys else {
                    throw GatewayError(.unauthorized, .unauthorized, "a bearer token is needed")
                }
                try keys.admit(context.identity, to: access)
            }
            func answer() async throws -> Response {
                try ContentCoding.check(request.headers)
                if !takesFields { try await JSONRequest.refuseFields(of: request, in: context) }
                return try await handler(request, context)
            }
            guard let action, access.isAdministrative || context.identity.isAdministrator else {
                return try await answer()
            }
            return try await context.audited(action, in: audit, errors: errors, answer)
        }
    }

    /// All routes in the order of registration.
    package var routes: [RegisteredRoute] { methods.all }

    package func buildResponder() -> RouterResponder<GatewayRequestContext> {
        refuseOtherMethods()
        return router.buildResponder()
    }

    /// Registers 405 handlers for the missing methods of the paths so far, behind the same middleware.
    private func refuseOtherMethods() {
        for (path, methods) in methods.paths {
            let answered = methods.contains(.get) ? methods + [.head] : methods
            let allowed = HTTPRequest.Method.routable.filter(answered.contains).map(\.rawValue).joined(separator: ", ")
            for other in HTTPRequest.Method.routable where !answered.contains(other) {
                router.on(RouterPath(path), method: other) { _, _ -> Response in
                    throw GatewayError(
                        .methodNotAllowed, .methodNotAllowed, "\(path) answers \(allowed) only",
                        headers: [.allow: allowed])
                }
            }
        }
        methods.paths.removeAll()
    }

    /// The methods of each path that has no 405 handlers yet.
    private final class MethodTable {
        var paths: [String: [HTTPRequest.Method]] = [:]
        /// All methods and paths, including those with 405 handlers.
        var all: [RegisteredRoute] = []
    }
}

/// A route of the gateway's own.
package struct RegisteredRoute: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    package let access: RouteAccess
    /// What the audit calls its change; nil for none.
    package let action: AuditAction?
}

extension HTTPRequest.Method {
    /// The methods that a path answers, at least with 405.
    fileprivate static let routable: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [HTTPRequest.Method("QUERY")].compactMap { $0 }
}
