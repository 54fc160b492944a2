import GatewayTestSupport
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway

/// Keys that are tried on a gateway.
@Suite(.serialized) struct WrongKeysOverHTTP {
    @Test func `a valid key is answered beside any number of wrong ones`() async throws {
        let token = "a-token-of-some-length"
        try await LiveGateway.with(settings: ["api_token": token]) { gateway in
            for path in ["/api/notes", "/api/version"] {
                for _ in 0..<6 {
                    let wrong = try await gateway.request("GET", path, headers: [("Authorization", "Bearer wrong")])
                    #expect(wrong.status == (path == "/api/version" ? 401 : 403))
                }
            }
            let keys = gateway.application.shared.keys.wrongKeys
            for _ in 0..<40 { _ = try await keys.refuse(.loopback) { _ in } }
            let right = [(name: "Authorization", value: "Bearer \(token)")]
            for path in ["/api/notes", "/api/version"] {
                let wrong = try await gateway.request("GET", path, headers: [("Authorization", "Bearer wrong")])
                #expect(wrong.status == 429 && wrong.text.contains("too_many_wrong_keys"))
                #expect(wrong.head["retry-after"] != nil)
                #expect(try await gateway.request("GET", path, headers: right).status == 200)
            }
            let metrics = try await PrometheusReader(gateway.request("GET", "/metrics", headers: right).text)
            #expect(metrics["selene_wrong_keys_total"] == 54)
        }
    }
}
