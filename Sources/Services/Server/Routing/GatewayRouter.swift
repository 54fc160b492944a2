package import Access
package import HTTPTypes
package import Hummingbird

/// Builds the router: every route, and for each path the methods that it does not have.
package struct GatewayRouter {
    package typealias Handler = @Sendable (Request, GatewayRequestContext) async throws -> Response

    private let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
    private let methods = MethodTable()
    private let metrics: GatewayMetrics
    private let bodies: BodyLimits

    package init(observer: RequestObserver, errors: ErrorShapes, keys: KeyRing, bodies: BodyLimits) {
        self.bodies = bodies
        metrics = observer.metrics
        router.add(middleware: RequestIDMiddleware())
        router.add(middleware: ObservationMiddleware(observer: observer))
        router.add(
            middleware: CORSMiddleware(settings: observer.settings, errors: errors) {
                if case .missing = try await keys.find(bearer: nil) { true } else { false }
            })
        router.add(middleware: ErrorMiddleware(errors: errors))
    }

    /// Whatever is added from here on needs a key, when keys are needed.
    package func requireKeys(_ keys: KeyRing, _ connections: OpenConnections) {
        refuseOtherMethods()
        router.add(middleware: AuthenticationMiddleware(keys: keys, connections: connections))
        router.add(middleware: BodyMiddleware(budget: bodies.memory))
    }

    /// Adds a path with one of its methods. Those that it is never given answer 405 and name the ones that it has.
    ///
    /// - Parameter access: What the route wants of whoever uses it; a scope is never there before ``requireKeys(_:_:)``.
    package func add(
        _ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess, _ handler: @escaping Handler
    ) {
        methods.paths[path, default: []].append(method)
        methods.all.append((method, path, access))
        metrics.register(RouterPath(path).description)
        router.on(RouterPath(path), method: method) { request, context in
            if access != .open {
                guard let keys = context.keys else {
                    throw GatewayError(.unauthorized, .unauthorized, "a bearer token is needed")
                }
                try keys.admit(context.identity, to: access)
            }
            return try await handler(request, context)
        }
    }

    /// What was added, in order.
    package var routes: [(method: HTTPRequest.Method, path: String, access: RouteAccess)] { methods.all }

    package func buildResponder() -> RouterResponder<GatewayRequestContext> {
        refuseOtherMethods()
        return router.buildResponder()
    }

    /// Adds the methods that the paths so far do not have, behind the middleware that they stand behind.
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

    /// The methods of each path that other methods have not been refused for yet.
    private final class MethodTable {
        var paths: [String: [HTTPRequest.Method]] = [:]
        /// Every method and path, also those that others have been refused for.
        var all: [(method: HTTPRequest.Method, path: String, access: RouteAccess)] = []
    }
}

extension HTTPRequest.Method {
    /// The methods that a path answers, if only by refusing them.
    fileprivate static let routable: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [HTTPRequest.Method("QUERY")].compactMap { $0 }
}
