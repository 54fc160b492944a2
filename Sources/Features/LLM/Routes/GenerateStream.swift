import HTTPTypes
import Hummingbird
import Inference
import Logging
import NIOCore
import Server
import Transport

/// Carries a generated answer to the client: whole lines, bytes untouched, at the client's pace.
///
/// The client's leaving aborts the upstream at once. An upstream that fails in mid-stream, or ends without its last
/// `done` line, becomes one error line, so that no client mistakes a cut answer for a whole one; see ``AnswerStream``.
struct GenerateStream: Sendable {
    let response: UpstreamResponse
    let permit: Admission.Permit
    /// Whether each line is an event for the client.
    let asEvents: Bool
    let client: ClientConnection
    let trace: RequestTrace
    /// The length of the request's body, for the estimate of a stream that has no counts.
    let requestBytes: Int
    /// Called once, when the stream ends, with the tokens that it cost (``AnswerTokens``).
    let recordTokens: @Sendable (_ prompt: Int, _ completion: Int) -> Void

    /// The response that streams; its head goes out with the upstream's first bytes behind it.
    func response(logger: Logger) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: asEvents ? "text/event-stream" : "application/x-ndjson", .cacheControl: "no-cache",
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                defer { permit.release() }
                client.onDeparture { response.body.cancel() }
                defer { client.stopWatching() }
                try await copy(to: &writer, logger: logger)
                try await writer.finish(nil)
            })
    }

    @concurrent private func copy(to writer: inout any ResponseBodyWriter, logger: Logger) async throws {
        var answer = AnswerStream(
            .lines(asEvents: asEvents),
            tokens: AnswerTokens(path: "/api/generate", requestBytes: requestBytes, form: .lines))
        defer { if let count = answer.takeCount() { recordTokens(count.prompt, count.completion) } }
        do {
            for try await chunk in response.body {
                if let bytes = try answer.push(chunk) { try await writer.write(bytes) }
            }
            if let rest = answer.finish() { try await writer.write(rest) }
            guard answer.isWhole else {
                throw UpstreamError(.cut, "Ollama ended the stream before its last line")
            }
        } catch let error as UpstreamError where error.code != .cancelled {
            let shaped = GatewayError(upstream: error)
            trace.upstreamBroke()
            logger.warning("upstream failed in mid-stream", metadata: ["error": "\(shaped)"])
            if let ending = answer.ending(ErrorBody(path: "/api/generate").json(shaped)) {
                try await writer.write(ending)
            }
        }
    }
}
