import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import HTTPTypes
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport
import Yams

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// Route × method × scope × kind of key: what the description and the proxy's table declare is what the server does.
@Suite(.serialized) struct AccessTable {
    /// A request of the table, and the scope that it needs; nil for a route that needs no key.
    struct Row {
        var method: String
        /// The path as the router writes it.
        var pattern: String
        var path: String
        var scope: KeyScope?
        /// Whether any key will do.
        var takesAnyKey = false
    }

    /// Who asks.
    enum Caller: Hashable {
        case nobody, wrong, revoked, expired, scope(KeyScope), every
        /// A key that another key made, with all the rights of that one but what it has lost, or after its end.
        case child(KeyScope), orphan, expiredChild
    }

    /// Every operation of the description.
    static func described(_ yaml: String) throws -> [Row] {
        let document = try #require(try Yams.load(yaml: yaml) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var rows: [Row] = []
        for (path, operations) in paths.sorted(by: { $0.key < $1.key }) {
            for (method, operation) in operations.sorted(by: { $0.key < $1.key }) where method != "parameters" {
                let operation = try #require(operation as? [String: Any], "\(method) \(path)")
                let scope = try #require(operation["x-selene-scope"] as? String, "\(method) \(path) has no scope")
                #expect((scope == "none") == ((operation["security"] as? [Any])?.isEmpty == true), "\(method) \(path)")
                if scope != "none" {
                    let text = operation["description"] as? String ?? ""
                    #expect(text.contains("Needs the scope `\(scope)`"), "\(method) \(path)")
                }
                rows.append(
                    Row(
                        method: method.uppercased(), pattern: path.replacing(#/\{(\w+)\}/#) { ":\($0.1)" },
                        path: path.replacing("{date}", with: "2026-01-31").replacing(#/\{\w+\}/#, with: "1"),
                        scope: scope == "none" || scope == "any" ? nil : KeyScope(rawValue: scope),
                        takesAnyKey: scope == "any"))
            }
        }
        return rows
    }

    /// Every route of the proxy, with every method that is passed on.
    static var proxied: [Row] {
        var paths = ProxyPolicy.routes
        paths["/v1/models/llama3.2"] = ProxyPolicy.prefixes["/v1/models/"]
        paths["/api/blobs/sha256:00"] = ProxyPolicy.prefixes["/api/blobs/"]
        return paths.sorted { $0.key < $1.key }.flatMap { path, route in
            route.methods.map { method in
                Row(
                    method: method.rawValue, pattern: path, path: path,
                    scope: route.kind == .administration ? .admin : .llm)
            }
        }
    }

    /// Makes a key of each kind.
    static func tokens(_ gateway: LiveGateway) async throws -> [(caller: Caller, token: String?)] {
        let keys = gateway.store.keys
        let revoked = try await keys.create(name: "revoked", grant: .everything)
        try await keys.revoke("revoked")
        var grant = KeyGrant.everything
        grant.expiresAt = 1_700_000_000
        var tokens: [(caller: Caller, token: String?)] = [
            (.nobody, nil), (.wrong, "sk-wrong"), (.revoked, revoked.secret),
            (.expired, try await keys.create(name: "expired", grant: grant).secret),
            (.every, try await keys.create(name: "every", grant: .everything).secret),
        ]
        for scope in KeyScope.all + [.pushSend(topic: "1")] {
            let key = try await keys.create(name: scope.rawValue, grant: KeyGrant(scopes: [scope]))
            tokens.append((.scope(scope), key.secret))
        }
        // Keys that a key made, which then lost all scopes but one, expired, or was revoked.
        for scope in [KeyScope.llm, .notesRead, .pushAdmin, .admin] {
            let name = "maker of \(scope.rawValue)"
            let maker = try await keys.create(name: name, grant: .everything).record.id
            let child = try await keys.create(
                name: "child \(scope.rawValue)", grant: .everything, parent: maker)
            _ = try await keys.change(name) { $0.scopes = [scope] }
            tokens.append((scope == .admin ? .every : .child(scope), child.secret))
        }
        for (name, caller) in [("gone", Caller.orphan), ("late", Caller.expiredChild)] {
            let maker = try await keys.create(name: name, grant: .everything).record.id
            let child = try await keys.create(name: "child of \(name)", grant: .everything, parent: maker)
            if caller == .orphan {
                try await keys.revoke(name)
            } else {
                _ = try await keys.change(name) { $0.expiresAt = 1_700_000_000 }
            }
            tokens.append((caller, child.secret))
        }
        try await gateway.waitForKeys()
        return tokens
    }

    /// What the table says of a row and a caller: a status, and the word of the error.
    static func refusal(of caller: Caller, at row: Row) -> (status: Int, code: String)? {
        guard row.scope != nil || row.takesAnyKey else { return nil }
        switch caller {
        case .nobody: return (401, "unauthorized")
        case .wrong, .revoked, .orphan: return isOfOtherClients(row) ? (401, "unauthorized") : (403, "forbidden")
        case .expired, .expiredChild: return (isOfOtherClients(row) ? 401 : 403, "key_expired")
        // The job in the path is another key's.
        case .scope(.notesWrite) where row.pattern == "/api/jobs/:id/resume": return (403, "missing_scope")
        // Stopping another's answer needs the right to read it.
        case .scope(.llm) where isStop(row), .child(.llm) where isStop(row): return (403, "missing_scope")
        // A key pairs devices from a browser.
        case .scope(let own) where isPairing(row) && own != .admin: return (403, "needs_browser")
        case .child where isPairing(row): return (403, "needs_browser")
        case .scope(let own), .child(let own):
            return row.takesAnyKey || row.scope.map(Set([own]).allow) == true ? nil : (403, "missing_scope")
        case .every: return nil
        }
    }

    private static func isStop(_ row: Row) -> Bool { row.method == "DELETE" && row.pattern == "/api/chat/runs/:id" }

    private static func isPairing(_ row: Row) -> Bool {
        row.pattern == "/web/pairings/requests/:code/approve"
    }

    /// Whether the clients of a route, those of Ollama, OpenAI, Anthropic and MCP, expect 401 for a wrong key.
    private static func isOfOtherClients(_ row: Row) -> Bool {
        proxied.contains { ($0.method, $0.path) == (row.method, row.path) } || row.path == "/mcp"
            || row.path.hasPrefix("/v1/")
    }

    private static func code(_ reply: LiveGateway.Reply) -> String {
        (reply.object["error"] as? [String: Any])?["code"] as? String ?? reply.code
    }

    private static func ask(
        _ gateway: LiveGateway, _ row: Row, _ token: String?, _ body: String = "{}"
    ) async throws -> LiveGateway.Reply {
        var headers: [(name: String, value: String)] = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        // At the root, browsers get the gateway's page and Ollama's clients its greeting.
        if row.path == "/", row.scope == nil { headers.append(("Accept", "text/html")) }
        // Readers of topics would get an answer without end.
        let path = row.pattern.contains("/:topic/") ? row.path + "?poll=1" : row.path
        return try await gateway.request(
            row.method, path, ["GET", "HEAD"].contains(row.method) ? nil : body, headers: headers)
    }

    @Test func `every operation declares the scope that the router wants`() async throws {
        try await LiveGateway.with { gateway in
            let rows = try Self.described(try await gateway.request("GET", "/openapi.yaml").text)
            var wanted: [String: RouteAccess] = [:]
            for route in gateway.application.router().routes {
                let path = route.path.replacing("**", with: ":path")
                wanted["\(route.method) \(path)"] =
                    if case .requireScope(let scope, _) = route.access { .requireScope(scope) } else { route.access }
            }
            #expect(rows.count == wanted.count)
            for row in rows {
                let access = row.scope.map { RouteAccess.requireScope($0) } ?? (row.takesAnyKey ? .requireKey : .open)
                #expect(wanted["\(row.method) \(row.pattern)"] == access, "\(row)")
            }
        }
    }

    @Test func `every route answers every kind of key as the table says`() async throws {
        try await LiveGateway.with { gateway in
            let rows = try Self.described(try await gateway.request("GET", "/openapi.yaml").text) + Self.proxied
            let tokens = try await Self.tokens(gateway).filter { !Self.isWrong($0.caller) }
            for (caller, token) in tokens {
                for row in rows { try await Self.check(row, caller, token, gateway) }
            }
            // Every pair was asked: at least 250 routes and 15 kinds of keys.
            #expect(rows.count * tokens.count >= 250 * 15, "\(rows.count) routes, \(tokens.count) kinds of keys")
        }
    }

    /// A gateway answers few wrong keys of one address without delay, so each one gets few.
    @Test(.slow) func `every route refuses wrong and revoked keys`() async throws {
        var rest: ArraySlice<Row> = []
        try await LiveGateway.with { gateway in
            rest = (try Self.described(try await gateway.request("GET", "/openapi.yaml").text) + Self.proxied)[...]
        }
        while !rest.isEmpty {
            let rows = rest.prefix(3)
            rest = rest.dropFirst(3)
            try await LiveGateway.with { gateway in
                for (caller, token) in try await Self.tokens(gateway) where Self.isWrong(caller) {
                    for row in rows { try await Self.check(row, caller, token, gateway) }
                }
                // Readiness needs no key, and asks the upstream.
                let isOpen = rows.contains { $0.pattern.hasPrefix("/ready") }
                #expect(isOpen || gateway.fake.statistics.requests.isEmpty, "\(rows)")
            }
        }
    }

    private static func isWrong(_ caller: Caller) -> Bool { [.wrong, .revoked, .orphan].contains(caller) }

    private static func check(_ row: Row, _ caller: Caller, _ token: String?, _ gateway: LiveGateway) async throws {
        let reply = try await ask(gateway, row, token)
        if let expected = refusal(of: caller, at: row) {
            #expect(reply.status == expected.status, "\(caller) \(row)")
            if row.method != "HEAD" { #expect(code(reply) == expected.code, "\(caller) \(row)") }
        } else {
            #expect(![401, 403, 405, 429, 500].contains(reply.status), "\(caller) \(row): \(reply.text)")
        }
    }

    @Test func `nothing that is refused reaches the upstream`() async throws {
        try await LiveGateway.with { gateway in
            let tokens = try await Self.tokens(gateway)
            for row in Self.proxied {
                for (caller, token) in tokens
                where !Self.isWrong(caller) && Self.refusal(of: caller, at: row) != nil {
                    _ = try await Self.ask(gateway, row, token)
                }
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }

    @Test func `a key for certain models is refused wherever a body or a path names another one`() async throws {
        try await LiveGateway.with { gateway in
            var grant = KeyGrant.everything
            grant.models = ["gemma3:270m"]
            let key = try await gateway.store.keys.create(name: "restricted", grant: grant).secret
            try await gateway.waitForKeys()
            let free: Set = [
                "/", "/api/version", "/api/tags", "/api/ps", "/api/status", "/api/experimental/model-recommendations",
                "/v1/models", "/api/me", "/api/signout",
            ]
            for row in Self.proxied {
                let reply = try await Self.ask(
                    gateway, row, key, #"{"model":"llama3.2","source":"a","destination":"b"}"#)
                if free.contains(row.path) || row.path.hasPrefix("/api/blobs/") {
                    #expect(reply.status != 403, "\(row)")
                } else {
                    #expect(reply.status == 403, "\(row)")
                    if row.method != "HEAD" { #expect(Self.code(reply) == "model_not_allowed", "\(row)") }
                }
            }
            for (path, body) in [
                ("/api/llm/generate", #"{"prompt":"x"}"#), ("/api/llm/embed", #"{"text":"x"}"#),
                ("/api/jobs/backfill", #"{"model":"nomic-embed-text"}"#),
            ] {
                let reply = try await gateway.post(path, body, token: key)
                #expect(reply.status == 403 && reply.code == "model_not_allowed", "\(path)")
            }
        }
    }

    @Test func `a method or a path that is not in the table is not passed on, whoever asks`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "all", grant: .everything).secret
            try await gateway.waitForKeys()
            let headers = [(name: "Authorization", value: "Bearer \(key)")]
            let listed = Set(Self.proxied.map { "\($0.method) \($0.path)" })
            for path in Set(Self.proxied.map(\.path)) {
                for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
                where !listed.contains("\(method) \(path)") && (method, path) != ("POST", "/") {
                    // POST / publishes as ntfy does; it is a route of the gateway's own.
                    let reply = try await gateway.request(method, path, headers: headers)
                    #expect(reply.status == 405, "\(method) \(path)")
                    let allowed = (reply.head["Allow"] ?? "").split(separator: ", ").map { "\($0) \(path)" }
                    #expect(!allowed.isEmpty && listed.isSuperset(of: allowed), "\(method) \(path)")
                    let anonymous = try await gateway.request(method, path)
                    #expect(anonymous.status == 401, "\(method) \(path)")
                }
            }
            for (method, path) in [
                ("POST", "/v1/load_lora_adapter"), ("DELETE", "/v1/load_lora_adapter"), ("GET", "/v1/files"),
                ("POST", "/v1/unload"), ("GET", "/v1/"),
                ("POST", "/v1/Chat/completions"), ("GET", "/v1/models/../files"), ("GET", "/v1/models/x%2e%2e/y"),
                ("POST", "/api/blobs/"), ("GET", "/v1/fine_tuning/jobs"),
            ] {
                let reply = try await gateway.request(method, path, headers: headers)
                #expect(reply.status == 404, "\(method) \(path)")
                #expect(Self.code(reply) == "not_found", "\(method) \(path)")
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }
}
