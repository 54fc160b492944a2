import HTTPTypes
import Hummingbird
import Logging

/// Gives everything that escapes a route the one JSON error shape, and logs one line for each request.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let started = ContinuousClock.now
        let response: Response
        do {
            response = try await next(request, context)
        } catch {
            let shaped = GatewayError(describing: error, path: request.uri.path)
            if shaped.status.code == 500 {
                context.logger.error("request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            }
            response = try shaped.response(from: request, context: context)
        }
        let metadata: Logger.Metadata = [
            "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(response.status.code)",
        ]
        let logger = context.logger
        guard response.body.contentLength == nil else {
            logger.info("request", metadata: metadata.merging(Self.elapsed(since: started)) { $1 })
            return response
        }
        var streamed = response
        streamed.body = ResponseBody { writer in
            // The line is written when the stream ends: the client has it all, or left.
            defer { logger.info("request", metadata: metadata.merging(Self.elapsed(since: started)) { $1 }) }
            try await response.body.write(writer)
        }
        return streamed
    }

    private static func elapsed(since start: ContinuousClock.Instant) -> Logger.Metadata {
        let duration = start.duration(to: .now)
        let milliseconds =
            Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
        return ["ms": "\((milliseconds * 100).rounded() / 100)"]
    }
}
