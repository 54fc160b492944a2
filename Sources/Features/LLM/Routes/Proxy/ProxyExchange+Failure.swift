import HTTPTypes
import Inference
import NIOCore
import NIOHTTPTypes
import Server
import Transport

extension ProxyExchange {
    /// The client left, or cannot be answered any more.
    func abort() {
        guard !responseEnded else { return }
        trace.isCancelled = true
        if !hasBegunResponse { status = HTTPResponse.Status.clientClosedRequest.code }
        waiting?.cancel()
        upstream?.cancel()
        release()
    }

    /// Answers with an error, or ends a response that has begun in the way that its framing has for it.
    func fail(_ error: any Error) {
        guard !responseEnded else { return }
        upstream?.cancel()
        let path = head.path ?? "/"
        let error = proxy.errors.describe(error, path: String(path.prefix { $0 != "?" }))
        logFailure(error)
        if hasBegunResponse {
            trace.isBroken = true
            guard let ending = failure.ending(error, in: framing, afterLine: lines.endsWithLine) else {
                release()
                // A close drops what was not flushed.
                context.flush()
                context.close(promise: nil)
                return
            }
            write(.body(ending))
            return end()
        }
        let body = failure.body(error)
        var fields: HTTPFields = [
            .contentType: "application/json; charset=utf-8", .contentLength: String(body.readableBytes),
            .requestID: requestID,
        ]
        for field in error.headers { fields[field.name] = field.value }
        begin(HTTPResponse(status: error.status, headerFields: fields))
        if head.method != .head { write(.body(body)) }
        end()
    }
}
