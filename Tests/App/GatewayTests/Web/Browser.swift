import Foundation
import GatewayTestSupport
import Testing
import Transport

/// A browser that is signed in to a gateway, or not yet.
final class Browser {
    let gateway: LiveGateway
    /// `name=value` of the cookie; nil without one.
    var cookie: String?

    init(_ gateway: LiveGateway) { self.gateway = gateway }

    typealias Headers = [(name: String, value: String)]

    /// What a browser adds for a page of the gateway's own.
    static let ownPage: Headers = [("X-Selene", "1"), ("Sec-Fetch-Site", "same-origin")]

    /// Sends a request with the cookie, and keeps the cookie of the reply.
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, _ headers: Headers = Browser.ownPage
    ) async throws -> LiveGateway.Reply {
        let own: Headers = cookie.map { [("Cookie", $0)] } ?? []
        let reply = try await gateway.request(method, path, body, headers: headers + own)
        if let set = reply.head["set-cookie"] {
            let pair = String(set.prefix { $0 != ";" })
            cookie = pair.hasSuffix("=") ? nil : pair
        }
        return reply
    }

    @discardableResult
    func signIn(_ key: String) async throws -> LiveGateway.Reply {
        try await ask("POST", "/web/session", #"{"key":"\#(key)"}"#)
    }
}
