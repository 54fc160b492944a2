import HTTPTypes
import Hummingbird
import Logging

/// Gives every error that escapes a route the one JSON error shape.
struct ErrorMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let errors: ErrorShapes
    /// Whether the clients are those of model APIs; see ``ErrorBody``.
    let isModelAPI: Bool

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let shaped = errors.describe(error, path: request.uri.path)
            context.trace.failed(shaped.code.rawValue)
            if shaped.status.code == 500 {
                context.logger.error(
                    "request failed",
                    metadata: ["error": "\(errors.summary(of: error))", "path": "\(request.uri.path)"])
            }
            var response = try shaped.response(from: request, context: context)
            if isModelAPI {
                let body = ErrorBody(path: request.uri.path).json(shaped)
                response.headers[.contentLength] = String(body.readableBytes)
                response.body = ResponseBody(byteBuffer: body)
            }
            return response
        }
    }
}
