import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Calls `/mcp` as a client does.
struct MCPClient {
    let gateway: LiveGateway
    var token: String?

    static let capabilities = #""io.modelcontextprotocol/clientCapabilities":{}"#

    /// Sends bytes with the headers of a client.
    func send(_ body: String, _ headers: [(name: String, value: String)] = []) async throws -> LiveGateway.Reply {
        try await gateway.request("POST", "/mcp", body, headers: self.headers + headers)
    }

    private var headers: [(name: String, value: String)] {
        let accepted = [
            (name: "Content-Type", value: "application/json"),
            (name: "Accept", value: "application/json, text/event-stream"),
        ]
        return accepted + (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    /// A request of a revision with a handshake.
    func old(_ method: String, _ params: String = "{}", revision: String = "2025-11-25") async throws
        -> LiveGateway.Reply
    {
        try await send(
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#, [("MCP-Protocol-Version", revision)]
        )
    }

    /// The body of a request of the stateless revision.
    static func body(_ method: String, _ params: String, version: String = "2026-07-28") -> String {
        let more = params.isEmpty ? "" : "," + params
        return #"{"jsonrpc":"2.0","id":"a","method":"\#(method)","params":{"_meta":"#
            + #"{"io.modelcontextprotocol/protocolVersion":"\#(version)",\#(capabilities)}\#(more)}}"#
    }

    /// A request of the stateless revision.
    ///
    /// - Parameter params: Members of the parameters, without braces.
    func new(_ method: String, _ params: String = "", name: String? = nil) async throws -> LiveGateway.Reply {
        var headers = [(name: "MCP-Protocol-Version", value: "2026-07-28"), (name: "Mcp-Method", value: method)]
        if let name { headers.append(("Mcp-Name", name)) }
        return try await send(Self.body(method, params), headers)
    }

    /// The data of a tool's result.
    func call(_ tool: String, _ arguments: String) async throws -> [String: Any] {
        let reply = try await new("tools/call", #""name":"\#(tool)","arguments":\#(arguments)"#, name: tool)
        return reply.result["structuredContent"] as? [String: Any] ?? ["failed": reply.text]
    }

    /// Opens a stream of notices.
    func listen(_ filter: String) async throws -> UpstreamResponse {
        try await gateway.open(
            "POST", "/mcp", Self.body("subscriptions/listen", #""notifications":\#(filter)"#),
            headers: headers + [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")])
    }
}

extension LiveGateway.Reply {
    var result: [String: Any] { object["result"] as? [String: Any] ?? [:] }
    var rpcCode: Int? { (object["error"] as? [String: Any])?["code"] as? Int }
}

/// `/mcp` over a socket.
@Suite(.serialized) struct MCPRoute {
    /// Hosts send the list with each turn. In these schemas a token of o200k_base has 4.3 bytes: 8,500 bytes are 2,000 tokens.
    @Test(arguments: [true, false]) func `the list of tools stays small`(hasAll: Bool) async throws {
        let names = ["mcp_delete", "mcp_private", "mcp_search"]
        let settings = Dictionary(uniqueKeysWithValues: names.map { ($0, hasAll ? "on" : "off") })
        try await LiveGateway.with(settings: settings) { gateway in
            let list = try await MCPClient(gateway: gateway).old("tools/list", revision: "2025-11-25").result["tools"]
            let tools = try #require(list as? [[String: Any]])
            #expect(tools.count == (hasAll ? 20 : 15))
            let size = try JSONSerialization.data(withJSONObject: tools, options: .withoutEscapingSlashes).count
            #expect(size <= (hasAll ? 8_500 : 7_000))
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `clients of every revision are answered without a session`(_ place: NotesPlace) async throws {
        try await LiveGateway.withThreeNotes(in: place) { gateway in
            let client = MCPClient(gateway: gateway)
            for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
                let first = try await client.send(
                    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(revision)","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#
                )
                #expect(first.status == 200 && first.result["protocolVersion"] as? String == revision)
                #expect(
                    first.head["Mcp-Session-Id"] == nil
                        && first.head["Content-Type"]?.hasPrefix("application/json") == true)
                let ready = try await client.send(
                    #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, [("MCP-Protocol-Version", revision)])
                #expect(ready.status == 202 && ready.data.isEmpty)
                let tools = try await client.old("tools/list", revision: revision).result["tools"] as? [[String: Any]]
                #expect((tools?.count ?? 0) >= (place == .file ? 10 : 9))
                #expect((tools?.first?["outputSchema"] != nil) == (revision >= "2025-06-18"))
                let missing = try await client.old("none", revision: revision)
                #expect(missing.status == 200 && missing.rpcCode == -32601)
            }
            let found = try await client.new("server/discover")
            #expect(found.status == 200 && found.result["resultType"] as? String == "complete", "\(found.text)")
            #expect(try await client.new("tools/list").result["ttlMs"] as? Int == 60_000)
            for method in ["GET", "DELETE", "PUT"] {
                let reply = try await gateway.request(method, "/mcp")
                #expect(reply.status == 405 && reply.head["Allow"] == "POST")
            }
        }
    }

    @Test func `a stateless request that contradicts its headers is refused`() async throws {
        try await LiveGateway.with { gateway in
            let client = MCPClient(gateway: gateway)
            let body = MCPClient.body("tools/list", "")
            for headers in [
                [], [("MCP-Protocol-Version", "2026-07-28")],
                [("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list")],
                [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call")],
                [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list"), ("Mcp-Method", "tools/list")],
            ] {
                let reply = try await client.send(body, headers.map { (name: $0.0, value: $0.1) })
                #expect(reply.status == 400 && reply.rpcCode == -32020, "\(headers) \(reply.text)")
            }
            let named = try await client.new("tools/call", #""name":"threads""#, name: "read_note")
            #expect(named.status == 400 && named.rpcCode == -32020)
            let future = try await client.send(
                MCPClient.body("tools/list", "", version: "2099-01-01"),
                [("MCP-Protocol-Version", "2099-01-01"), ("Mcp-Method", "tools/list")])
            #expect(
                future.status == 400 && future.rpcCode == -32022 && future.text.contains(#""supported":["2026-07-28""#))
            let unknown = try await client.new("ping")
            #expect(unknown.status == 404 && unknown.rpcCode == -32601)
            let missing = try await client.new("resources/read", #""uri":"selene://note/9""#, name: "selene://note/9")
            #expect(missing.status == 400 && missing.rpcCode == -32602)
        }
    }

    @Test func `malformed, deep and oversized messages are refused`() async throws {
        try await LiveGateway.with { gateway in
            let client = MCPClient(gateway: gateway)
            for (body, code) in [
                ("", -32700), ("{", -32700), ("nonsense", -32700), (String(repeating: "[", count: 200_000), -32700),
                ("[]", -32600), ("null", -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
            ] {
                let reply = try await client.send(body)
                #expect(reply.status == 400 && reply.rpcCode == code, "\(body.prefix(20)) \(reply.text)")
            }
            let large = try await client.send(
                #"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":""# + String(repeating: "x", count: 1 << 20)
                    + #""}}"#)
            #expect(large.status == 413 && large.code == "too_large")
            let form = try await gateway.request("POST", "/mcp", "{}", headers: [("Content-Type", "image/png")])
            #expect(form.status == 415)
            #expect(try await client.old("ping").status == 200)
        }
    }

    @Test func `keys, scopes, origins and hosts hold`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            let host = try await MCPClient(gateway: gateway).send("{}", [("Origin", "https://evil.example")])
            #expect(host.status == 403)
            let rebound = try await MCPClient(gateway: gateway).send("{}", [("Host", "evil.example")])
            #expect(rebound.status == 403)
            let reading = try await gateway.store.keys.create(name: "r", grant: KeyGrant(scopes: [.notesRead]))
            let writing = try await gateway.store.keys.create(name: "w", grant: KeyGrant(scopes: [.notesWrite]))
            try await gateway.waitForKeys()
            let nobody = try await MCPClient(gateway: gateway).old("tools/list")
            #expect(nobody.status == 401 && nobody.head["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            let reader = MCPClient(gateway: gateway, token: reading.secret)
            let writer = MCPClient(gateway: gateway, token: writing.secret)
            func names(_ client: MCPClient) async throws -> [String] {
                let tools = try await client.new("tools/list").result["tools"] as? [[String: Any]] ?? []
                return tools.compactMap { $0["name"] as? String }
            }
            let readable = try await names(reader)
            #expect(readable.contains("search_notes") && !readable.contains("capture_note"))
            #expect(try await names(writer) == ["capture_note", "update_note", "log_action"])
            let refused = try await reader.new(
                "tools/call", #""name":"capture_note","arguments":{"content":"x"}"#, name: "capture_note")
            #expect(refused.status == 403 && refused.code == "missing_scope")
            #expect(refused.head["WWW-Authenticate"]?.contains(#"scope="notes:write""#) == true)
            for method in ["resources/list", "prompts/list"] {
                let reply = try await writer.new(method)
                #expect(reply.status == 403 && reply.code == "missing_scope", "\(reply.text)")
            }
            let foreign = try await reader.send("{}", [("Origin", "https://evil.example")])
            #expect(foreign.status == 403 && foreign.code == "origin_not_allowed")
            let own = try await reader.send(
                #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, [("Origin", "http://127.0.0.1:\(gateway.port)")])
            #expect(own.status == 200)
        }
    }

    @Test func `a search says how it found, in previews, and keeps private notes back`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "long",
                    content: String(repeating: "sand and water. ", count: 90) + "The sextant. "
                        + String(repeating: "more sand. ", count: 60)),
                NoteDraft(title: "hidden", content: "A sextant in the drawer", tags: ["private"]),
            ])
            let client = MCPClient(gateway: gateway)
            let words = try await client.call("search_notes", #"{"query":"sextant"}"#)
            #expect(words["source"] as? String == "keyword_fallback" && words["fallback_reason"] is String, "\(words)")
            // Not even their number is told.
            #expect(words["withheld"] == nil)
            let results = words["results"] as? [[String: Any]] ?? []
            #expect(results.compactMap { $0["uri"] as? String } == ["selene://note/1"])
            let preview = results.first?["text"] as? String ?? ""
            #expect(preview.count <= 300 && preview.contains("sextant"), "\(preview)")
            #expect(
                results.first?["score"] is Double
                    && (results.first?["why"] as? [String: Any])?["terms"] as? [String] == ["sextant"])
            try await gateway.backfill()
            let both = try await client.call("search_notes", #"{"query":"sextant"}"#)
            #expect(both["source"] as? String == "hybrid" && both["fallback_reason"] == nil, "\(both)")
            _ = try await client.call("read_note", #"{"nose":1}"#)
            let metrics = try await gateway.request("GET", "/metrics").text
            #expect(metrics.contains(#"selene_mcp_tool_calls_total{tool="search_notes",outcome="done"} 2"#))
            #expect(metrics.contains(#"selene_mcp_tool_calls_total{tool="read_note",outcome="failed"} 1"#))
            #expect(metrics.contains(#"selene_mcp_requests_total{revision="2026-07-28",method="tools/call"} 3"#))
            let none = try await client.call("find_text", #"{"text":"astrolabe"}"#)
            #expect((none["results"] as? [Any])?.isEmpty == true && none["message"] as? String == "No note was found.")
        }
    }

    @Test func `tools are few tokens, and always the same bytes`() async throws {
        // 4.3 bytes are a token (o200k_base): the list has fewer than 1,870 tokens, with every setting on fewer than 2,140.
        try await LiveGateway.with { gateway in
            let list = try await MCPClient(gateway: gateway).new("tools/list")
            #expect(list.status == 200 && list.data.count <= 8_000)
        }
        try await LiveGateway.with(settings: ["mcp_delete": "on", "mcp_private": "on", "mcp_search": "on"]) { gateway in
            let client = MCPClient(gateway: gateway)
            let first = try await client.new("tools/list")
            let second = try await client.new("tools/list")
            #expect(first.data == second.data && first.data.count <= 9_200)
            let tools = first.result["tools"] as? [[String: Any]] ?? []
            #expect(
                tools.count >= 16
                    && tools.allSatisfy { ($0["annotations"] as? [String: Any])?["openWorldHint"] as? Bool == false })
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `notices of changed notes arrive, and a client that vanishes leaves nothing behind`(_ place: NotesPlace)
        async throws
    {
        try await LiveGateway.withThreeNotes(in: place) { gateway in
            let key = try await gateway.store.keys.create(name: "k", grant: .everything)
            try await gateway.waitForKeys()
            let client = MCPClient(gateway: gateway, token: key.secret)
            // More than one key may have at once, one after the other.
            for round in 1...12 {
                var opened: UpstreamResponse?
                try await waitUntil {
                    opened = try await client.listen(
                        #"{"resourceSubscriptions":["selene://note/1"],"resourcesListChanged":true}"#)
                    return opened?.status == 200
                }
                let stream = try #require(opened)
                #expect(stream.head["Content-Type"]?.hasPrefix("text/event-stream") == true)
                #expect(stream.head["X-Accel-Buffering"] == "no")
                var text = ""
                for try await piece in stream.body {
                    let known = text
                    text += String(decoding: piece.readableBytesView, as: UTF8.self)
                    if known.isEmpty {
                        #expect(text.contains("notifications/subscriptions/acknowledged"))
                        var change = NoteChange()
                        change.content = "round \(round)"
                        _ = try await gateway.store.notes.update(1, change, revision: nil)
                    }
                    if text.contains("notifications/resources/updated") { break }
                }
                #expect(text.contains("notifications/resources/list_changed"))
            }
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `several streams of a client are told apart, and a shutdown ends them`(_ place: NotesPlace) async throws {
        try await LiveGateway.withThreeNotes(in: place) { gateway in
            let client = MCPClient(gateway: gateway)
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                let waiting = Counter()
                for note in 1...3 {
                    group.addTask {
                        let stream = try await client.listen(#"{"resourceSubscriptions":["selene://note/\#(note)"]}"#)
                        var text = ""
                        for try await piece in stream.body {
                            text += String(decoding: piece.readableBytesView, as: UTF8.self)
                            waiting.add(1)
                        }
                        return text
                    }
                }
                try await waitUntil { waiting.value >= 3 }
                for id in [1, 3] as [Int64] {
                    var change = NoteChange()
                    change.content = "new text of \(id)"
                    _ = try await gateway.store.notes.update(id, change, revision: nil)
                }
                try await waitUntil { waiting.value >= 5 }
                async let down: Void = gateway.shutDown()
                var texts: [String] = []
                for try await text in group { texts.append(text) }
                await down
                return texts
            }
            #expect(texts.filter { $0.contains(#""uri":"selene://note/1""#) }.count == 1)
            #expect(texts.filter { $0.contains(#""uri":"selene://note/3""#) }.count == 1)
            #expect(texts.filter { $0.contains("resources/updated") }.count == 2)
            #expect(texts.allSatisfy { $0.contains(#""id":"a","result""#) && $0.contains(#""resultType":"complete""#) })
        }
    }

    @Test func `many calls at once are all answered`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            let client = MCPClient(gateway: gateway)
            let codes = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        try await client.new(
                            "tools/call", #""name":"read_note","arguments":{"note":\#(1 + number % 3)}"#,
                            name: "read_note"
                        ).status
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(codes == [200: 300])
        }
    }

    @Test func `a key without tokens searches by words, and MCP can be off`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            try await gateway.backfill()
            var grant = KeyGrant(scopes: [.notesRead])
            grant.tokensPerDay = 1
            let key = try await gateway.store.keys.create(name: "poor", grant: grant)
            try await gateway.waitForKeys()
            let client = MCPClient(gateway: gateway, token: key.secret)
            #expect(
                try await client.call("search_notes", #"{"query":"moon and tide"}"#)["source"] as? String == "hybrid")
            let second = try await client.call("search_notes", #"{"query":"flour and salt"}"#)
            #expect(second["source"] as? String == "keyword_fallback", "\(second)")
        }
        try await LiveGateway.with(settings: ["mcp": "off"]) { gateway in
            let reply = try await gateway.request("POST", "/mcp", "{}")
            #expect(reply.status == 404)
        }
    }
}
