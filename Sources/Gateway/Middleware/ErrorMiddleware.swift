import HTTPTypes
import Hummingbird
import Logging
import Upstream

/// Gives everything that escapes a route the one JSON error shape.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let admission: Admission

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let shaped = GatewayError(describing: error, path: request.uri.path).retriable(admission)
            if shaped.status.code == 500 {
                context.logger.error(
                    "request failed",
                    metadata: ["error": "\(ErrorSummary.text(of: error))", "path": "\(request.uri.path)"])
            }
            return try shaped.response(from: request, context: context)
        }
    }
}
