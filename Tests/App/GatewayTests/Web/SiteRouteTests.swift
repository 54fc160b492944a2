import Foundation
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

@testable import Gateway
@testable import Web

@Suite(.serialized) struct SiteOverHTTP {
    private let html: Browser.Headers = [("Accept", "text/html,*/*;q=0.8")]

    @Test func `browsers get the page at the root, and Ollama's clients what they got before`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let page = try await gateway.request("GET", "/", headers: html)
            #expect(page.status == 200 && page.head["content-type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("<html") && page.text.contains(Site.embedded.hash) && !page.text.contains("{{"))
            #expect(page.head["vary"] == "Accept, Accept-Encoding" && page.head["cache-control"] == "no-cache")
            for headers in [[], [("Accept", "*/*")], [("Accept", "application/json")]] as [Browser.Headers] {
                let other = try await gateway.request("GET", "/", headers: headers)
                #expect(other.status == 200 && other.text == "Ollama is running")
            }
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            // The page needs no key; Ollama's answer does.
            #expect(try await gateway.request("GET", "/", headers: html).status == 200)
            #expect(try await gateway.request("GET", "/").status == 401)
            let bearer: Browser.Headers = [("Authorization", "Bearer \(key.secret)")]
            #expect(try await gateway.request("GET", "/", headers: bearer).text == "Ollama is running")
            let published = try await gateway.request("POST", "/", "{}", headers: html + bearer)
            #expect(published.status == 404 && published.text.contains("/ntfy"), "\(published.text)")
            #expect(try await gateway.request("HEAD", "/", headers: html).status == 200)
        }
    }

    @Test func `the page forbids what it does not use`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let head = try await gateway.request("GET", "/", headers: html).head
            let policy = try #require(head["content-security-policy"]).components(separatedBy: "; ")
            for rule in [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
                "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types worker",
            ] { #expect(policy.contains(rule), "\(rule)") }
            #expect(!policy.contains { $0.contains("unsafe") || $0.contains("http") || $0.contains("*") })
            #expect(head["x-content-type-options"] == "nosniff" && head["referrer-policy"] == "no-referrer")
            #expect(head["cross-origin-opener-policy"] == "same-origin")
            #expect(head["cross-origin-resource-policy"] == "same-origin")
            // A browser would complain of it at an address that it does not trust.
            _ = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            let other = try await gateway.request("GET", "/", headers: html + [("Host", "10.8.0.1:5678")]).head
            #expect(other["cross-origin-opener-policy"] == nil && other["content-security-policy"] != nil)
            #expect(head["permissions-policy"]?.contains("microphone=(self)") == true)
        }
    }

    @Test func `a browser's copy of the page is confirmed, and gzip is sent to those who take it`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let page = try await gateway.request("GET", "/", headers: html)
            let tag = try #require(page.head["etag"])
            for known in [tag, "\"x\", " + tag, String(tag.dropFirst(2)), "*"] {
                let reply = try await gateway.request("GET", "/", headers: html + [("If-None-Match", known)])
                #expect(reply.status == 304 && reply.data.isEmpty, "\(known)")
                #expect(reply.head["etag"] == tag)
            }
            #expect(try await gateway.request("GET", "/", headers: html + [("If-None-Match", "W/\"x\"")]).status == 200)
            let packed = try await RawClient.ask(
                port: gateway.port, "GET", "/", headers: ["Accept: text/html", "Accept-Encoding: br, gzip;q=0.5"])
            #expect(packed.head.lowercased().contains("content-encoding: gzip"))
            for coding in ["identity", "gzip;q=0", "br", "x-gzip"] {
                let plain = try await RawClient.ask(
                    port: gateway.port, "GET", "/", headers: ["Accept: text/html", "Accept-Encoding: \(coding)"])
                #expect(!plain.head.lowercased().contains("content-encoding"), "\(coding)")
                #expect(plain.body.contains("<html"))
            }
        }
    }

    @Test func `files are found under the site's hash only`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let site = Site.embedded
            for path in site.paths where !Site.atRoot.contains(path) {
                let reply = try await gateway.request("GET", "\(site.base)/\(path)")
                #expect(reply.status == 200 && reply.data == site[path].map { Data($0) }, "\(path)")
                #expect(reply.head["cache-control"] == "public, max-age=31536000, immutable")
                #expect(try await gateway.request("GET", "/app/0000000000000000/\(path)").status == 404)
            }
            for path in ["\(site.base)/index.html", "\(site.base)/missing.js", "/app/0123456789abcdef/missing.js"] {
                let reply = try await gateway.request("GET", path, headers: html)
                #expect(reply.status == 404 && reply.code == "not_found" && reply.head["cache-control"] == "no-store")
                #expect(reply.head["content-type"]?.hasPrefix("application/json") == true)
            }
            #expect(try await gateway.request("POST", "\(site.base)/x", "{}").status == 405)
        }
    }
}
