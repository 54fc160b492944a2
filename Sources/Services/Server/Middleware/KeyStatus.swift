import Access
import HTTPTypes

/// The status of a wrong or expired key, which depends on the clients of a route.
///
/// Clients of OpenAI's, Anthropic's and Ollama's APIs and of MCP expect 401 for a key that is not valid, and 403 for one that
/// lacks a right. Clients of the systems whose routes the gateway took over expect 403 for both, as their documents say.
enum KeyStatus {
    /// Ollama's own paths below `/api`.
    private static let ollama: Set<Substring> = [
        "version", "tags", "ps", "show", "generate", "chat", "embed", "embeddings", "pull", "push", "create", "copy",
        "delete", "me", "signout", "status", "experimental/model-recommendations",
    ]

    /// Whether the clients of a path expect 401.
    static func isUnauthorized(_ path: some StringProtocol) -> Bool {
        let path = path.prefix { $0 != "?" }
        if path == "/" || path == "/mcp" || path.hasPrefix("/v1/") || path.hasPrefix("/api/blobs/") { return true }
        guard path.hasPrefix("/api/") else { return false }
        return ollama.contains(Substring(path.dropFirst(5)))
    }

    /// A program that sends passwords asks for another one after a 401 only.
    private static func hasPassword(_ head: HTTPRequest) -> Bool {
        if case .password = Credential(of: head) { true } else { false }
    }

    private static func isExpected(_ head: HTTPRequest) -> Bool {
        guard let path = head.path, isUnauthorized(path) else { return false }
        // At the root, POST publishes a notification as with ntfy.
        return path.prefix { $0 != "?" } != "/" || head.method == .get || head.method == .head
    }

    /// The error to throw.
    static func error(_ refusal: AccessRefusal, for head: HTTPRequest) -> any Error {
        guard hasPassword(head) || isExpected(head) else { return refusal }
        switch refusal {
        case .wrongKey, .keyExpired:
            let known = GatewayError(refusal)
            return GatewayError(
                .unauthorized, refusal == .keyExpired ? known.code : .unauthorized, known.message,
                headers: KeyChallenge.fields(for: head, error: "invalid_token"))
        default: return refusal
        }
    }
}
