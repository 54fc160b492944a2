import HTTPTypes
import Hummingbird
import Upstream

/// Builds the router: every route, and for each path the methods that it does not have.
struct GatewayRouter {
    typealias Handler = @Sendable (Request, GatewayRequestContext) async throws -> Response

    private let router = Router(context: GatewayRequestContext.self, options: .autoGenerateHeadEndpoints)
    private let metrics: GatewayMetrics

    init(observer: RequestObserver, admission: Admission) {
        metrics = observer.metrics
        router.add(middleware: RequestIDMiddleware())
        router.add(middleware: ObservationMiddleware(observer: observer))
        router.add(middleware: ErrorMiddleware(admission: admission))
    }

    /// Whatever is added from here on needs a key, when keys are needed.
    func requireKeys(_ keys: KeyRing) {
        router.add(middleware: AuthenticationMiddleware(keys: keys))
    }

    /// Adds a path with its one method; the others answer 405 and name it.
    ///
    /// - Parameter access: What the route wants of whoever uses it; a scope is never there before ``requireKeys(_:)``.
    func add(
        _ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess, _ handler: @escaping Handler
    ) {
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
        let allowed = method == .get ? "GET, HEAD" : method.rawValue
        for other in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
            guard other != method, !(method == .get && other == .head) else { continue }
            router.on(RouterPath(path), method: other) { _, _ -> Response in
                throw GatewayError(
                    .methodNotAllowed, .methodNotAllowed, "\(path) answers \(allowed) only",
                    headers: [.allow: allowed])
            }
        }
    }

    /// Adds a path with several methods, each with what it wants; the others answer 405 and name them.
    func add(_ path: String, _ methods: [(method: HTTPRequest.Method, access: RouteAccess, handler: Handler)]) {
        let own = methods.map(\.method)
        let allowed = own.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
        for (method, access, handler) in methods {
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
        for other in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
            guard !own.contains(other), !(own.contains(.get) && other == .head) else { continue }
            router.on(RouterPath(path), method: other) { _, _ -> Response in
                throw GatewayError(
                    .methodNotAllowed, .methodNotAllowed, "\(path) answers \(allowed) only",
                    headers: [.allow: allowed])
            }
        }
    }

    func buildResponder() -> RouterResponder<GatewayRequestContext> { router.buildResponder() }
}
