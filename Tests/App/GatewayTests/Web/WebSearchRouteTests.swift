import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// `web_search` and `web_fetch` in the form of Ollama's service, at its paths and at those of Ollama's own server.
@Suite struct WebSearchRoutes {
    private static let folders = ["/api", "/api/experimental"]

    private static func page(_ body: String) -> ScriptedServer.Answer {
        .raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func results(_ count: Int) -> ScriptedServer.Answer {
        let results = (0..<count).map {
            #"{"url":"https://a.example/\#($0)","title":"Page \#($0)","content":"About \#($0)"}"#
        }
        return .reply(200, #"{"query":"tide","results":[\#(results.joined(separator: ","))]}"#)
    }

    @Test func `off by default, and the error says how to turn it on`() async throws {
        try await LiveGateway.with { gateway in
            for folder in Self.folders {
                let search = try await gateway.post("\(folder)/web_search", #"{"query":"tide"}"#)
                #expect(search.status == 404 && search.code == "web_search_off")
                #expect(search.error.contains("SELENE_WEB_SEARCH"))
                let fetch = try await gateway.post("\(folder)/web_fetch", #"{"url":"https://a.example/"}"#)
                #expect(fetch.status == 404 && fetch.code == "web_fetch_off")
                #expect(fetch.error.contains("SELENE_WEB_FETCH=public"))
                #expect(try await gateway.request("GET", "\(folder)/web_search").status == 405)
            }
            // The rest of Ollama's experimental routes is as it was.
            #expect(try await gateway.request("GET", "/api/experimental/model-recommendations").status != 405)
            let near = try await gateway.post("/web_search", "{}")
            #expect(near.status == 404 && near.error.contains("/api/web_search"), "\(near.text)")
            #expect(gateway.fake.statistics.requests["/api/experimental/web_search"] == nil)
        }
    }

    @Test func `a search is answered by SearXNG in Ollama's form`() async throws {
        let server = try ScriptedServer { _ in Self.results(30) }
        defer { server.stop() }
        try await LiveGateway.with(settings: ["web_search": server.address + "/"]) { gateway in
            for folder in Self.folders {
                for (body, count) in [
                    (#"{"query":"tide"}"#, 5), (#"{"query":"tide","max_results":10,"more":1}"#, 10),
                    (#"{"query":"tide","max_results":1}"#, 1), (#"{"query":"tide","max_results":null}"#, 5),
                ] {
                    let reply = try await gateway.post("\(folder)/web_search", body)
                    #expect(reply.status == 200, "\(reply.text)")
                    let results = try #require(reply.object["results"] as? [[String: String]])
                    #expect(results.count == count && reply.object.count == 1)
                    #expect(results[0] == ["title": "Page 0", "url": "https://a.example/0", "content": "About 0"])
                }
            }
            #expect(server.requests.count == 8)
            for (body, word) in [
                (#"{"query":" "}"#, "query"), ("{}", "query"), (#"{"query":7}"#, "query"), ("[]", "object"),
                ("", "empty"),
                (#"{"query":"x","max_results":0}"#, "max_results"), (#"{"query":"x","max_results":11}"#, "max_results"),
                (#"{"query":"\#(String(repeating: "x", count: 5000))"}"#, "query"),
            ] {
                let reply = try await gateway.post("/api/web_search", body)
                #expect(reply.status == 400 && reply.error.contains(word), "\(body.prefix(50)): \(reply.text)")
            }
            #expect(server.requests.count == 8)
            // A switch of its own.
            #expect(try await gateway.post("/api/web_fetch", #"{"url":"a.example"}"#).code == "web_fetch_off")
        }
    }

    @Test(
        arguments: [
            (.reply(403, ""), 502, "web_search_no_json", "search.formats"),
            (.reply(200, "<html>"), 502, "web_search_no_json", "search.formats"),
            (.reply(429, ""), 503, "web_search_limited", "limiter.toml"),
            (.reply(500, ""), 502, "web_search_failed", "status 500"),
            (.drop, 502, "web_search_failed", "SELENE_WEB_SEARCH"),
            (.reply(200, "[]"), 502, "web_search_failed", "SELENE_WEB_SEARCH"),
            (
                .reply(200, #"{"results":[],"unresponsive_engines":[["google","timeout"]]}"#), 502,
                "web_search_no_engine",
                "google (timeout)"
            ),
        ] as [(ScriptedServer.Answer, Int, String, String)])
    func `a failure of SearXNG has its status and its remedy`(
        answer: ScriptedServer.Answer, status: Int, code: String, word: String
    ) async throws {
        let server = try ScriptedServer { _ in answer }
        defer { server.stop() }
        try await LiveGateway.with(settings: ["web_search": server.address]) { gateway in
            let reply = try await gateway.post("/api/web_search", #"{"query":"tide"}"#)
            #expect(reply.status == status && reply.code == code && reply.error.contains(word), "\(reply.text)")
            #expect((reply.head["Retry-After"] != nil) == (status == 503))
            // Where the operator's server is, is nothing for a client.
            #expect(!reply.text.contains("127.0.0.1:\(server.port)"))
        }
    }

    @Test func `a search ends when its client leaves`() async throws {
        let silent = try ScriptedServer { _ in .stall("") }
        defer { silent.stop() }
        try await LiveGateway.with(settings: ["web_search": silent.address]) { gateway in
            let search = Task { try await gateway.post("/api/web_search", #"{"query":"tide"}"#) }
            #expect(await silent.waitUntil { $0.requests.count == 1 })
            search.cancel()
            _ = await search.result
            #expect(await silent.waitUntil { $0.left == 1 })
        }
    }

    @Test func `a key needs the scope llm, its rate counts, and its list of models does not matter`() async throws {
        let server = try ScriptedServer { _ in Self.results(1) }
        defer { server.stop() }
        try await LiveGateway.with(settings: ["web_search": server.address]) { gateway in
            var grant = KeyGrant(scopes: [.llm])
            grant.models = ["llama3.2"]
            grant.requestsPerMinute = 2
            let guest = try await gateway.store.keys.create(name: "guest", grant: grant)
            let reader = try await gateway.store.keys.create(name: "reader", grant: KeyGrant(scopes: [.notesRead]))
            try await gateway.waitForKeys()
            func search(_ key: String?) async throws -> LiveGateway.Reply {
                try await gateway.post("/api/web_search", #"{"query":"tide"}"#, token: key)
            }
            #expect(try await search(reader.secret).status == 403)
            #expect(try await search("slk_wrong").status == 403)
            for status in [200, 200, 429] { #expect(try await search(guest.secret).status == status) }
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a page is answered in Ollama's form, and private addresses are refused unless all are allowed`()
        async throws
    {
        let text = String(repeating: "The harbour has a gauge that shows the height of the water. ", count: 5)
        let server = try ScriptedServer { _ in
            Self.page(
                "<html><title>Tide</title><body><h1>Tide</h1><p>\(text)<a href=\"next\">Next</a></p></body></html>")
        }
        defer { server.stop() }
        let body = #"{"url":"\#(server.address)/a/b"}"#
        try await LiveGateway.with(settings: ["web_fetch": "public"]) { gateway in
            let reply = try await gateway.post("/api/web_fetch", body)
            #expect(reply.status == 422 && reply.code == "private_address", "\(reply.text)")
            #expect(reply.error.contains("SELENE_WEB_FETCH=all"))
            #expect(server.requests.isEmpty)
        }
        try await LiveGateway.with(settings: ["web_fetch": "all"]) { gateway in
            for folder in Self.folders {
                let reply = try await gateway.done("POST", "\(folder)/web_fetch", body)
                #expect(Set(reply.object.keys) == ["title", "content", "links"])
                #expect(reply.object["title"] as? String == "Tide")
                #expect((reply.object["content"] as? String)?.hasPrefix("# Tide\n\nThe harbour") == true)
                #expect(reply.object["links"] as? [String] == ["\(server.address)/a/next"])
            }
            for (url, code) in [
                ("ftp://a.example/", "url_failed"), ("http://a:b@127.0.0.1/", "url_failed"),
                ("javascript:x", "url_failed"),
                ("http://", "url_failed"), ("http://127.0.0.1:\(server.port)x/", "url_failed"),
            ] {
                let reply = try await gateway.post("/api/web_fetch", #"{"url":"\#(url)"}"#)
                #expect(reply.status == 422 && reply.code == code, "\(url): \(reply.text)")
            }
            for body in ["{}", #"{"url":""}"#, #"{"url":"\#(String(repeating: "x", count: 5000))"}"#] {
                #expect(try await gateway.post("/api/web_fetch", body).status == 400)
            }
            // Off while no server is set.
            #expect(try await gateway.post("/api/web_search", #"{"query":"x"}"#).code == "web_search_off")
        }
    }
}
