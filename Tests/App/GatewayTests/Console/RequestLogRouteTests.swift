import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `GET /api/requests` and `GET /api/admin/traffic` of a running gateway.
@Suite(.serialized) struct RequestLogRoutes {
    /// The page of a query, once it has enough requests.
    private func page(
        _ gateway: LiveGateway, _ query: String = "", token: String? = nil, atLeast count: Int
    ) async throws -> RequestLogPage {
        var page: RequestLogPage?
        try await waitUntil {
            let headers = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
            let reply = try await gateway.request("GET", "/api/requests?\(query)", headers: headers)
            #expect(reply.status == 200, "\(reply.text)")
            let found = try JSONDecoder().decode(RequestLogPage.self, from: reply.data)
            page = found
            return found.requests.count >= count
        }
        return try #require(page)
    }

    @Test func `requests are stored with what is known of them, without what they said`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.post(
                "/api/chat?secret=query", #"{"model":"llama3.2","messages":[{"role":"user","content":"my secret"}]}"#)
            _ = try await gateway.post("/api/llm/generate", #"{"prompt":"my secret"}"#)
            _ = try await gateway.request("GET", "/api/notes/12?x=secret")
            _ = try await gateway.request("GET", "/web/pairings/requests/BCDFGHJK")
            _ = try await gateway.request("GET", "/nowhere", headers: [("X-Request-Id", "mine")])
            let page = try await page(gateway, atLeast: 5)
            #expect(page.days == 7 && page.dropped == 0 && page.nextCursor == nil)
            let byRoute = Dictionary(page.requests.map { ($0.route, $0) }) { first, _ in first }
            let chat = try #require(byRoute["/api/chat"])
            #expect(chat.path == "/api/chat" && chat.status == 200 && chat.phase == "done")
            // With one upstream the gateway does not read the bodies that it passes on.
            #expect(chat.model == nil && chat.key == "anonymous")
            #expect(chat.firstTokenMilliseconds != nil && chat.queueMilliseconds != nil && chat.totalMilliseconds > 0)
            #expect((chat.generatedTokens ?? 0) > 0 && chat.requestBytes > 50 && chat.responseBytes > 100)
            let generate = try #require(byRoute["/api/llm/generate"])
            #expect(generate.model == "llama3.2" && (generate.promptTokens ?? 0) > 0)
            let note = try #require(byRoute["/api/notes/{id}"])
            #expect(note.path == "/api/notes/12" && note.status == 404 && note.error == "not_found")
            #expect(byRoute["/web/pairings/requests/{code}"]?.path == "/web/pairings/requests/{code}")
            #expect(byRoute["other"]?.requestID == "mine")
            let path = gateway.database.path + ".requests"
            let bytes = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
            for text in ["secret", "BCDFGHJK"] {
                #expect(bytes.allSatisfy { $0.range(of: Data(text.utf8)) == nil }, "\(text)")
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(.slow) func `filters and cursors`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "phone")
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            for number in 0..<7 {
                let header = [(name: "Authorization", value: "Bearer \(key.secret)")]
                _ = try await gateway.request("GET", "/api/notes/\(number)", headers: header)
            }
            _ = try await gateway.request("GET", "/api/notes/1")
            let token = admin.secret
            #expect(try await page(gateway, "key=\(key.record.id)", token: token, atLeast: 7).requests.count == 7)
            let first = try await page(gateway, "key=\(key.record.id)&limit=5", token: token, atLeast: 5)
            let cursor = try #require(first.nextCursor)
            let second = try await page(
                gateway, "key=\(key.record.id)&limit=5&cursor=\(cursor)", token: token, atLeast: 2)
            #expect((first.requests + second.requests).map(\.path) == (0..<7).reversed().map { "/api/notes/\($0)" })
            #expect(second.nextCursor == nil && first.requests.allSatisfy { $0.key == "phone" })
            #expect(try await page(gateway, "text=NOTES/3", token: token, atLeast: 1).requests.count == 1)
            let refused = try await page(gateway, "status=401", token: token, atLeast: 1)
            #expect(refused.requests.map(\.error) == ["unauthorized"] && refused.requests[0].keyID == nil)
            #expect(try await page(gateway, "status=5xx&since=2026-01-01", token: token, atLeast: 0).requests.isEmpty)
            let header = [(name: "Authorization", value: "Bearer \(token)")]
            for wrong in [
                "status=6xx", "status=abc", "key=x", "limit=0", "limit=501", "cursor=9", "since=soon", "text=",
            ] {
                #expect(
                    try await gateway.request("GET", "/api/requests?\(wrong)", headers: header).status == 400,
                    "\(wrong)")
            }
            let other = [(name: "Authorization", value: "Bearer \(key.secret)")]
            for path in ["/api/requests", "/api/requests/live", "/api/admin/traffic"] {
                #expect(try await gateway.request("GET", path, headers: other).status == 403)
                #expect(try await gateway.request("GET", path).status == 401)
            }
            // The pages that show the log are not in it.
            let all = try await page(gateway, "limit=500", token: token, atLeast: 8)
            #expect(all.requests.allSatisfy { !$0.route.hasPrefix("/api/requests") })
        }
    }

    @Test func `a request that is no longer in flight is in the list, without a wait`() async throws {
        try await LiveGateway.with { gateway in
            for number in 1...20 {
                _ = try await gateway.request("GET", "/api/notes/\(number)")
                try await waitUntil {
                    let live = try await gateway.request("GET", "/api/requests/live")
                    return try JSONDecoder().decode(LiveRequestList.self, from: live.data).total == 0
                }
                let reply = try await gateway.request("GET", "/api/requests?limit=1")
                let found = try JSONDecoder().decode(RequestLogPage.self, from: reply.data)
                #expect(found.requests.map(\.path) == ["/api/notes/\(number)"])
            }
        }
    }

    @Test func `without a log nothing is stored`() async throws {
        try await LiveGateway.with(settings: ["request_log": "off"]) { gateway in
            _ = try await gateway.request("GET", "/health")
            let reply = try await gateway.request("GET", "/api/requests")
            #expect(reply.status == 409 && reply.code == "request_log_off")
            #expect(!FileManager.default.fileExists(atPath: gateway.database.path + ".requests"))
            #expect(try await gateway.request("GET", "/api/admin/traffic").status == 200)
        }
    }

    @Test(.slow) func `a file that is no log costs only the log`() async throws {
        let text = String(repeating: "no log of requests. ", count: 100)
        try await LiveGateway.with(files: ["n.sqlite.requests": text]) { gateway in
            #expect(try await gateway.request("GET", "/health").status == 200)
            let reply = try await gateway.request("GET", "/api/requests")
            #expect(reply.status >= 500, "\(reply.text)")
            let file = gateway.folder.appending(path: "n.sqlite.requests")
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            let metrics = try await gateway.metrics { $0["selene_request_log_dropped_total"] > 0 }
            #expect(metrics["selene_request_log_dropped_total"] > 0)
        }
    }

    @Test(.slow) func `a locked file loses requests, counts them and goes on`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.request("GET", "/api/notes/1")
            _ = try await page(gateway, atLeast: 1)
            var lenient = Configuration()
            lenient.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: gateway.database.path + ".requests", configuration: lenient)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            _ = try await gateway.request("GET", "/api/notes/2")
            let metrics = try await gateway.metrics { $0["selene_request_log_dropped_total"] > 0 }
            #expect(metrics["selene_request_log_dropped_total"] > 0)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try other.close()
            try await waitUntil {
                _ = try await gateway.request("GET", "/api/notes/3")
                return try await page(gateway, "text=notes/3", atLeast: 0).requests.count > 0
            }
        }
    }

    @Test func `the last requests are written at a shutdown, and a start shows them and their traffic`() async throws {
        let folder = try TemporaryFolder()
        let gateway = try await LiveGateway.start(folder: folder.url, .init(), settings: [:])
        for number in 0..<5 { _ = try await gateway.request("GET", "/api/notes/\(number)") }
        _ = try await gateway.post("/api/generate", #"{"model":"llama3.2","prompt":"x","stream":false}"#)
        await gateway.stop()
        let next = try await LiveGateway.start(folder: folder.url, .init(), settings: [:])
        do {
            #expect(try await page(next, atLeast: 6).requests.count == 6)
            for (span, count, seconds) in [("hour", 60, 60), ("day", 96, 900)] {
                let reply = try await next.request("GET", "/api/admin/traffic?span=\(span)")
                let traffic = try JSONDecoder().decode(TrafficResponse.self, from: reply.data)
                #expect(traffic.points.count == count && traffic.secondsPerPoint == seconds)
                #expect(traffic.points.reduce(0) { $0 + $1.requests } >= 6)
                #expect(traffic.points.contains { ($0.firstTokenMilliseconds ?? 0) > 0 && $0.generatedTokens > 0 })
                #expect(traffic.points.contains { ($0.residentBytes ?? 0) > 1_000_000 })
                #expect(traffic.points.map(\.at) == traffic.points.map(\.at).sorted())
            }
            #expect(try await next.request("GET", "/api/admin/traffic?span=week").status == 400)
        } catch {
            await next.stop()
            throw error
        }
        await next.stop()
    }
}
