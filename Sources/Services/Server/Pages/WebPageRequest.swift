package import Access
package import HTTPTypes

/// Requests for the gateway's own pages.
package enum WebPageRequest {
    /// Whether a browser requests the start page. Ollama's clients also send `GET /`, but without `text/html`.
    package static func isForPage(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head, let path = head.path, path == "/" || path.hasPrefix("/?")
        else { return false }
        return head.headerFields[values: .accept].contains { $0.lowercased().contains("text/html") }
    }

    /// Checks a request for a page or a sign-in, which needs no key. A gateway without keys answers this machine only:
    /// no foreign `Host`, no reverse proxy, no pages of other sites.
    ///
    /// - Parameter isPage: Whether links of other sites may lead here.
    /// - Throws: ``GatewayError`` with 403; ``StorageError`` when the keys cannot be read.
    package static func check(_ head: HTTPRequest, isPage: Bool = false, _ keys: KeyRing) async throws {
        guard try await !keys.needsCredential() else { return }
        try LocalRequest.check(head, mayBeLink: isPage)
    }
}
