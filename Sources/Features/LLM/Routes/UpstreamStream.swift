import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import Logging
import NIOCore
import Server
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Carries an upstream's NDJSON to the client: whole lines, bytes untouched, at the client's pace.
///
/// The client's leaving aborts the upstream at once. An upstream that fails in mid-stream, or ends without its last
/// `done` line, becomes one error line, so that no client mistakes a cut answer for a whole one.
struct UpstreamStream: Sendable {
    /// How lines are framed for the client.
    enum Framing: Sendable {
        /// `{…}\n`, as Ollama sends them.
        case ndjson
        /// `data: {…}\n\n`.
        case serverSentEvents

        var contentType: String {
            switch self {
            case .ndjson: "application/x-ndjson"
            case .serverSentEvents: "text/event-stream"
            }
        }
    }

    let response: UpstreamResponse
    let permit: Admission.Permit
    let framing: Framing
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
                .contentType: framing.contentType, .cacheControl: "no-cache", .accelBuffering: "no",
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
        var last: ByteBuffer?
        var tokens = AnswerTokens(path: "/api/generate", requestBytes: requestBytes, form: .lines)
        defer {
            let count = tokens.count(isWhole: last.map(Self.isComplete) ?? false)
            recordTokens(count.prompt, count.completion)
        }
        do {
            for try await lines in NDJSONLines(response.body) {
                last = lines
                tokens.push(lines)
                try await writer.write(frame(lines))
            }
            guard let last, Self.isComplete(last) else {
                throw UpstreamError(.cut, "Ollama ended the stream before its last line")
            }
        } catch let error as UpstreamError where error.code != .cancelled {
            let shaped = GatewayError(upstream: error)
            trace.upstreamBroke()
            logger.warning("upstream failed in mid-stream", metadata: ["error": "\(shaped)"])
            var line = ByteBuffer(bytes: try JSONReply.data(shaped.body))
            line.writeInteger(UInt8(ascii: "\n"))
            try await writer.write(frame(line))
        }
    }

    /// Whether the last of these lines ends an answer: it says `"done": true`, or reports an error itself.
    static func isComplete(_ lines: ByteBuffer) -> Bool {
        let ending = ending(lines)
        return ending?.done == true || ending?.error != nil
    }

    private static func ending(_ lines: ByteBuffer) -> Ending? {
        let bytes = lines.readableBytesView
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
        let start = end.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? end.startIndex
        return try? JSONDecoder().decode(Ending.self, from: Data(end[start...]))
    }

    private struct Ending: Decodable {
        var done: Bool?
        var error: String?
    }

    private func frame(_ lines: ByteBuffer) -> ByteBuffer {
        switch framing {
        case .ndjson: return lines
        case .serverSentEvents:
            var framed = ByteBuffer()
            framed.reserveCapacity(lines.readableBytes + 64)
            for line in lines.readableBytesView.split(separator: UInt8(ascii: "\n")) {
                framed.writeStaticString("data: ")
                framed.writeBytes(line)
                framed.writeStaticString("\n\n")
            }
            return framed
        }
    }
}
