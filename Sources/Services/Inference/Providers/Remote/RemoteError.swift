import GatewayAPI
import NIOCore
import Transport

/// What a provider says about a failure, in its body or in its stream.
struct RemoteError {
    /// The longest message that is passed on, in characters.
    private static let messageLimit = 500

    /// The sentence for people; empty when there is none.
    var message: String
    /// The provider's word for the error, such as `rate_limit_error`; nil when there is none.
    var word: String?
    /// A status that the body names.
    var status: Int?

    /// Reads an object such as `{"error": {"message": "…", "type": "…"}}`, in the variants of several servers.
    init(_ value: JSONValue) {
        let inner = value["error"] ?? value
        let text = inner.text ?? inner["message"]?.text ?? value["message"]?.text ?? value["detail"]?.text ?? ""
        message = Self.plain(text)
        word = inner["type"]?.text ?? inner["code"]?.text
        if let code = inner["code"]?.text, code.contains("quota") { word = code }
        status = (inner["code"]?.count ?? inner["status"]?.count).flatMap { (400...599).contains($0) ? $0 : nil }
    }

    /// Reads a whole body, which need not be JSON.
    init(_ body: ByteBuffer) {
        self.init((try? JSONDocument(parsing: Array(body.readableBytesView)))?.value ?? .null)
    }

    /// The error of a stream, whose HTTP status was a success.
    func inStream(of provider: String, status fallback: Int = 500) -> UpstreamError {
        let text = message.isEmpty ? "failed in mid-stream" : "failed in mid-stream: \(message)"
        return UpstreamError(.status, "provider \"\(provider)\" \(text)", status: status ?? fallback)
    }

    func error(_ head: UpstreamResponseHead, from provider: String) -> UpstreamError {
        // Some servers repeat the key here, or parts of it.
        if head.status == 401 {
            return UpstreamError(.status, "provider \"\(provider)\" refused its key", status: 401)
        }
        let text = "provider \"\(provider)\" answered \(head.status)" + (message.isEmpty ? "" : ": \(message)")
        let seconds = RetryRule.wish(of: head).map { Int(min(3600, max(1, $0.inSeconds.rounded(.up)))) }
        return UpstreamError(.status, text, status: head.status, retryAfterSeconds: seconds)
    }

    /// A text on one line, cut to the limit.
    private static func plain(_ text: String) -> String {
        let line = String(text.prefix(messageLimit).map { $0.isNewline || $0 < " " ? " " : $0 })
        return text.count > messageLimit ? line + "…" : line
    }
}
