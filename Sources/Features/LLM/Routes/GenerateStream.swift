import HTTPTypes
import Hummingbird
import Inference
import Logging
import NIOCore
import Server
import Transport

/// Streams a generated answer to the client: whole lines, unchanged bytes, at the client's pace.
///
/// A client that leaves aborts the upstream at once. If the upstream fails in mid-stream or ends without its last
/// `done` line, the client gets one error line. So no client takes a cut answer for a complete one; see
/// ``AnswerStream``.
struct GenerateStream: Sendable {
    let response: UpstreamResponse
    let permit: Admission.Permit
    /// Whether each line is sent as an event.
    let asEvents: Bool
    let client: ClientConnection
    let trace: RequestTrace
    /// The length of the request's body in bytes, to estimate the tokens of a stream without counts.
    let requestBytes: Int
    /// Called once at the end of the stream with its token counts (``AnswerTokens``).
    let recordTokens: @Sendable (_ prompt: Int, _ completion: Int) -> Void

    /// The streaming response. Its head is sent with the upstream's first bytes.
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
        } catch let error as UpstreamError where error.code != .cancelled || trace.isStopped {
            let shaped = trace.isStopped ? GatewayError.stopped : GatewayError(upstream: error)
            trace.upstreamBroke()
            logger.warning("upstream failed in mid-stream", metadata: ["error": "\(shaped)"])
            if let ending = answer.ending(ErrorBody(path: "/api/generate").json(shaped)) {
                try await writer.write(ending)
            }
        }
    }
}
