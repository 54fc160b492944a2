import CCurl

extension UpstreamError {
    /// Describes why libcurl ended a transfer.
    ///
    /// - Parameters:
    ///   - peer: The name of the upstream, for the message.
    ///   - hasHead: Whether the head of the response has arrived.
    init(_ code: CURLcode, from peer: String, hasHead: Bool) {
        let reason = unsafe String(cString: curl_easy_strerror(code))
        self =
            switch code {
            case CURLE_COULDNT_CONNECT: UpstreamError(.refused, "\(peer) cannot be reached: \(reason)")
            case CURLE_COULDNT_RESOLVE_HOST: UpstreamError(.dns, "\(peer)'s host name has no address: \(reason)")
            case CURLE_OPERATION_TIMEDOUT: UpstreamError(.connectTimeout, "connecting to \(peer) timed out")
            case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
                CURLE_HTTP2_STREAM:
                UpstreamError(
                    .cut,
                    hasHead
                        ? "\(peer) closed the connection before the end of its response (\(reason))"
                        : "\(peer) closed the connection without a response (\(reason))")
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CACERT_BADFILE:
                UpstreamError(.tls, "TLS with \(peer) failed: \(reason)")
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
                UpstreamError(.protocolViolation, "\(peer)'s response is not valid HTTP: \(reason)")
            default: UpstreamError(.failed, "the request to \(peer) failed: \(reason)")
            }
    }
}
