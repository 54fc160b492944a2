import HTTPTypes
import Hummingbird

/// Answers preflights for every route without a key, and lets allowed pages read responses, including errors.
struct CORSMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let settings: LiveSettings
    let errors: ErrorShapes
    /// Whether requests without a key are rejected.
    let needsKeys: @Sendable () async throws -> Bool

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let rules = settings.current.origins
        guard CORSHeaders.isPreflight(request.head), let origin = request.headers[.origin] else {
            var response = try await next(request, context)
            CORSHeaders.add(to: &response.headers, for: request.head, rules)
            return response
        }
        do {
            let needsKeys = try await needsKeys()
            if !needsKeys { try LocalRequest.checkHost(request.head) }
            guard rules.allows(origin, needsKeys: needsKeys) else {
                throw OriginRules.refusal(of: origin, needsKeys: needsKeys)
            }
            return Response(status: .noContent, headers: CORSHeaders.preflight(request.head, origin: origin))
        } catch {
            return try errors.describe(error, path: request.uri.path).response(from: request, context: context)
        }
    }
}
