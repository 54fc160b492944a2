import HTTPTypes
import Server

extension GatewayError {
    /// Maps a failure of a search or of a fetched page to HTTP; nil for any other error.
    package init?(webSearch error: any Error) {
        guard let failure = error as? WebFailure else { return nil }
        let (status, code): (HTTPResponse.Status, String) =
            switch failure {
            case .searchIsOff: (.notFound, "web_search_off")
            case .fetchIsOff: (.notFound, "web_fetch_off")
            case .unreachable, .invalid, .status: (.badGateway, "web_search_failed")
            case .noJSON: (.badGateway, "web_search_no_json")
            case .silent: (.badGateway, "web_search_no_engine")
            case .late: (.gatewayTimeout, "web_search_timeout")
            case .limited: (.serviceUnavailable, "web_search_limited")
            case .url: (.unprocessableContent, "url_failed")
            case .privateAddress: (.unprocessableContent, "private_address")
            case .unreadable: (.unprocessableContent, "unreadable")
            case .noResources: (.serviceUnavailable, "no_resources")
            }
        self.init(status, Code(rawValue: code), failure.description)
        if status == .serviceUnavailable { headers[.retryAfter] = failure == .limited ? "60" : "1" }
    }
}
