import HTTPTypes
import Inference
import Server
package import Transport

extension GatewayError {
    /// Maps an upstream error: 502 when the upstream refused or broke off, 504 for a timeout, and the upstream's own
    /// status if it sent one.
    package init(upstream error: UpstreamError) {
        switch error.code {
        case .status:
            self.init(upstreamStatus: error.status ?? 502, message: error.message, peer: error.peer)
            if let seconds = error.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        case .connectTimeout, .firstByteTimeout, .idleTimeout:
            self.init(.gatewayTimeout, Code(rawValue: "upstream_\(error.code.rawValue)"), error.message)
        case .cancelled:
            self.init(.clientClosedRequest, .clientClosed, "the request was cancelled")
        case .cloudOff:
            self.init(.forbidden, Code(rawValue: "cloud_off"), error.message)
        case .shuttingDown:
            self.init(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
        case .overloaded:
            self.init(
                .tooManyRequests, .overloaded, error.message,
                headers: [.retryAfter: String(error.retryAfterSeconds ?? 1)])
        default:
            self.init(.badGateway, Code(rawValue: "upstream_\(error.code.rawValue)"), error.message)
        }
    }

    private init(upstreamStatus status: Int, message: String, peer: String?) {
        switch status {
        case 400: self.init(.badRequest, Code(rawValue: "upstream_rejected"), message)
        case 404: self.init(.notFound, Code(rawValue: "model_not_found"), message)
        case 413: self.init(.contentTooLarge, .tooLarge, message)
        case 429: self.init(.tooManyRequests, .overloaded, message)
        case 503, 529: self.init(.serviceUnavailable, Code(rawValue: "upstream_busy"), message)
        default:
            let text = peer.map { "\($0) answered \(status): \(message)" } ?? message
            self.init(.badGateway, Code(rawValue: "upstream_error"), text)
        }
    }
}
