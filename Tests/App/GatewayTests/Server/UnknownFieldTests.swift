import Foundation
import GatewayTestSupport
import KeyRoom
import Server
import Storage
import TestSupport
import Testing

@testable import Gateway

/// Fields that a route does not know are refused, so that nothing that a client sends is dropped in silence.
@Suite(.serialized) struct UnknownFieldsLive {
    /// Every route that creates or changes something by a JSON object, with a body that its type can read.
    static let routes: [(method: String, path: String, body: String)] = [
        ("POST", "/api/notes", #"{"title":"t","content":"c"}"#), ("PUT", "/api/notes/1", #"{"title":"t"}"#),
        ("PATCH", "/api/notes/1", #"{"title":"t"}"#), ("POST", "/webhook/api/drafts", #"{"title":"t","content":"c"}"#),
        ("POST", "/api/tasks", #"{"title":"t","thread":1}"#), ("PATCH", "/api/tasks/1", #"{"done":true}"#),
        ("POST", "/api/tasks/drafts", #"{"text":"I will call Ada"}"#),
        ("PATCH", "/api/tasks/drafts/1", #"{"title":"t"}"#),
        ("POST", "/api/devices/register", #"{"token":"t"}"#), ("POST", "/api/devices/unregister", #"{"token":"t"}"#),
        ("PUT", "/api/sessions/a", #"{"title":"t"}"#), ("PATCH", "/api/sessions/a/pin", #"{"isPinned":true}"#),
        ("POST", "/api/sessions/a/messages", #"{"role":"user","content":"c"}"#),
        ("POST", "/api/memories", #"{"content":"c","type":"fact"}"#), ("PUT", "/api/memories/1", #"{"content":"c"}"#),
        ("PATCH", "/api/memories/1", #"{"content":"c"}"#), ("POST", "/api/memories/touch", #"{"ids":[1]}"#),
        ("POST", "/api/goals", #"{"title":"t"}"#),
        ("PATCH", "/api/goals/11111111-2222-4333-8444-555555555555", #"{"title":"t"}"#),
        ("POST", "/api/goals/decisions", #"{"action":"a","goal":"b","answer":"yes"}"#),
        ("POST", "/api/goals/undo", #"{"change":1}"#), ("POST", "/api/goals/reviews", #"{"kind":"week"}"#),
        ("POST", "/api/actions", #"{"title":"t"}"#),
        ("PATCH", "/api/actions/11111111-2222-4333-8444-555555555555", #"{"title":"t"}"#),
        ("POST", "/api/actions/parse", #"{"text":"ran 5 km"}"#), ("POST", "/api/values", #"{"title":"t"}"#),
        ("PATCH", "/api/values/11111111-2222-4333-8444-555555555555", #"{"title":"t"}"#),
        ("POST", "/api/terms", #"{"title":"t"}"#),
        ("PATCH", "/api/terms/11111111-2222-4333-8444-555555555555", #"{"title":"t"}"#),
        ("POST", "/api/measures", #"{"unit":"km"}"#),
        ("PATCH", "/api/measures/11111111-2222-4333-8444-555555555555", #"{"unit":"km"}"#),
        ("POST", "/api/jobs/backfill", "{}"),
        ("POST", "/api/jobs/threads", "{}"), ("POST", "/api/jobs/actions", #"{"days":3}"#),
        ("POST", "/api/jobs/tune", #"{"sample":100}"#), ("POST", "/api/jobs/evaluation", #"{"collection":"c"}"#),
        ("POST", "/api/chat/runs", #"{"id":"11111111-2222-4333-8444-555555555555","question":"q"}"#),
        ("POST", "/api/v1/messages", #"{"topic":"t","message":{"title":"t"}}"#),
        ("POST", "/api/v1/notifications/definitions", #"{"name":"n","message":{"title":"t"}}"#),
        ("POST", "/api/v1/devices", #"{"name":"n","stream":true}"#),
        ("POST", "/api/v1/execute", #"{"shortcut":"s"}"#),
        ("POST", "/api/v1/actions", #"{"name":"n","shortcutName":"s"}"#),
        ("POST", "/api/v1/schedules", #"{"name":"n","cron":"0 7 * * *","message":{"title":"t"}}"#),
        ("POST", "/api/v1/schedules/preview", #"{"name":"n","cron":"0 7 * * *"}"#),
        ("PUT", "/api/v1/config/apns", #"{"keyId":"k","teamId":"t","bundleId":"b"}"#),
        ("PUT", "/api/v1/triggers", #"{"triggers":{}}"#),
        ("PUT", "/api/prompts/answers", #"{"title":"t","kind":"chat","text":"x"}"#),
        ("POST", "/api/bench", #"{"name":"n","report":{}}"#),
        ("PATCH", "/api/books/1", #"{"title":"t"}"#), ("PUT", "/api/books/1/position", #"{"page":1}"#),
        ("PUT", "/api/v1/notifications/definitions/1", #"{"name":"n","message":{"title":"t"}}"#),
        ("PUT", "/api/v1/actions/1", #"{"name":"n","shortcutName":"s"}"#),
        ("PUT", "/api/v1/schedules/1", #"{"name":"n","cron":"0 7 * * *","message":{"title":"t"}}"#),
        ("POST", "/api/notes/1/restore", "{}"),
        ("POST", "/api/notes/import", #"{"files":[{"path":"a.md","content":"c"}]}"#),
        ("POST", "/api/sources", #"{"name":"s"}"#), ("PATCH", "/api/sources/s", #"{"paused":true}"#),
        ("POST", "/api/sources/s/notes", #"{"notes":[{"id":"1","content":"c"}]}"#),
        ("POST", "/api/tasks/drafts/1/confirm", "{}"), ("POST", "/api/threads/proposals/1/accept", "{}"),
        ("POST", "/api/jobs/briefing", "{}"), ("POST", "/api/jobs/memories", "{}"),
        ("PATCH", "/api/admin/config", #"{"key":"week_start","value":"sunday"}"#),
        ("POST", "/api/admin/evaluations/1/gates", #"{"gates":["ndcg@10>=0.1"]}"#),
        ("POST", "/api/admin/spaces/1/switch", "{}"), ("POST", "/api/briefing/associations/compute", "{}"),
        ("POST", "/web/session", #"{"code":"AAAA-BBBB"}"#), ("POST", "/web/pairings", #"{"name":"n"}"#),
        ("POST", "/web/pairings/requests", #"{"name":"n"}"#), ("POST", "/web/pairings/requests/AB/approve", "{}"),
        ("POST", "/webhook/api/export-obsidian", "{}"), ("POST", "/api/prompts/answers/render", #"{"values":{}}"#),
        ("POST", "/api/tools/search_notes", #"{"arguments":{}}"#),
        // Without fields.
        ("POST", "/api/tasks/drafts/1/done", "{}"), ("POST", "/api/memories/1/undo", "{}"),
        ("POST", "/api/memories/1/confirm", "{}"),
        ("POST", "/api/v1/deliveries/1/retry", "{}"), ("POST", "/api/goals/rebuild", "{}"),
        ("POST", "/api/goals/proposals/11111111-2222-4333-8444-555555555555/confirm", "{}"),
        ("PUT", "/api/goals/11111111-2222-4333-8444-555555555555/skips/2026-01-01", "{}"),
        ("POST", "/api/jobs/1/resume", "{}"), ("POST", "/api/threads/proposals/1/decline", "{}"),
        ("POST", "/api/admin/spaces/rollback", "{}"), ("POST", "/api/chat/runs/a/continue", "{}"),
        ("POST", "/api/sources/s/look", "{}"),
        ("POST", "/api/books/1/retry", "{}"), ("POST", "/api/admin/failed-notes/1/1/retry", "{}"),
    ]

    /// Routes that look for their row first, with a body that their types can read: `ID` is a row of the kind behind it.
    private static let ofRows = [
        ("PUT", "/api/v1/devices/DEVICE", #"{"name":"n"}"#),
        ("PATCH", "/api/v1/messages/MESSAGE", #"{"message":{"title":"t"}}"#),
        ("POST", "/api/v1/notifications/definitions/DEFINITION/preview", "{}"),
        ("POST", "/api/v1/deliveries/DELIVERY/receipts", #"{"event":"opened"}"#),
        ("POST", "/api/v1/notifications", #"{"title":"t"}"#), ("POST", "/api/sessions/a/compress", "{}"),
    ]

    /// Routes for which a gateway must have keys.
    private static let ofKeys = [
        ("POST", "/api/v1/api-keys", #"{"name":"n"}"#), ("POST", "/api/admin/keys", #"{"name":"n"}"#),
        ("PATCH", "/api/admin/keys/KEY", #"{"requests_per_minute":5}"#),
    ]

    /// Routes whose bodies have another rule.
    private static let others = [
        "POST /mcp": "a protocol of its own", "POST /ntfy": "fields of ntfy's clients", "POST /ntfy/{topic}": "text",
        "PUT /ntfy/{topic}": "text", "POST /api/books": "a file", "POST /api/goals/import": "lists refused rows",
        "POST /api/llm/transcribe": "sound", "POST /api/v1/config/apns/test": "refused without a channel",
        "POST /api/llm/generate": "only answers", "POST /api/llm/embed": "only answers",
        "POST /v1/rerank": "only answers", "POST /api/rerank": "only answers",
        "POST /v1/messages/count_tokens": "only answers",
        "POST /api/web_search": "only answers", "POST /api/experimental/web_search": "only answers",
        "POST /api/web_fetch": "only answers", "POST /api/experimental/web_fetch": "only answers",
        "POST /api/notes/search": "only answers", "POST /api/notes/retrieve": "only answers",
        "POST /api/search": "only answers", "POST /api/related-notes": "only answers",
        "POST /api/memories/retrieve": "only answers", "POST /api/books/retrieve": "only answers",
        "POST /api/books/{id}/retrieve": "only answers", "POST /api/notes/thread-assignments": "only answers",
    ]

    @Test func `every described route that takes a body is in one of these lists`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.request("GET", "/openapi.yaml")
            var (path, isInPaths, missing, count) = ("", false, [String](), 0)
            for line in reply.text.split(separator: "\n").map(String.init) {
                if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
                if let match = line.wholeMatch(of: #/  '?(/[^':]*)'?:/#) { path = String(match.1) }
                guard isInPaths, let match = line.wholeMatch(of: #/    (put|post|patch):/#) else { continue }
                count += 1
                let (method, parts) = (match.1.uppercased(), path.split(separator: "/"))
                let isListed = (Self.routes + Self.ofRows + Self.ofKeys).contains { route in
                    let own = route.1.split(separator: "/")
                    return route.0 == method && own.count == parts.count
                        && zip(own, parts).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
                }
                if !isListed, Self.others["\(method) \(path)"] == nil { missing.append("\(method) \(path)") }
            }
            #expect(missing.isEmpty && count > 100, "\(count) \(missing)")
        }
    }

    /// Sends the odd forms of a body; returns how many.
    private func refuses(
        _ gateway: LiveGateway, _ method: String, _ path: String, _ body: String,
        headers: [(name: String, value: String)] = [("X-Selene", "1")]
    ) async throws -> Int {
        let all = Self.odd(body)
        for (text, code) in all {
            let reply = try await gateway.request(method, path, text, headers: headers)
            #expect(
                reply.status == 400 && reply.code == code,
                "\(method) \(path) \(text): \(reply.status) \(reply.text.prefix(200))")
        }
        for text in [#"[{"zzz":1}]"#, "7", #""x""#] {
            let reply = try await gateway.request(method, path, text, headers: headers)
            #expect(reply.status == 400, "\(method) \(path) \(text): \(reply.status) \(reply.text.prefix(200))")
        }
        return all.count
    }

    @Test func `routes that look for their row first refuse odd bodies too`() async throws {
        try await LiveGateway.with { gateway in
            func id(_ path: String, _ body: String) async throws -> String {
                let reply = try await gateway.post(path, body)
                return try #require(reply.object["id"].map { "\($0)" }, "\(path): \(reply.text)")
            }
            let ids = [
                "DEVICE": try await id("/api/v1/devices", #"{"name":"n","stream":true}"#),
                "DEFINITION": try await id(
                    "/api/v1/notifications/definitions", #"{"name":"d","message":{"title":"t"}}"#),
                "MESSAGE": try await id("/api/v1/messages", #"{"topic":"t","message":{"title":"t"}}"#),
            ]
            let sent = try await gateway.request("GET", "/api/v1/messages/\(ids["MESSAGE"] ?? "")").object
            let delivery = try #require(((sent["deliveries"] as? [[String: Any]])?.first)?["id"], "\(sent)")
            #expect(try await gateway.request("PUT", "/api/sessions/a", #"{"title":"t"}"#).status == 200)
            for (method, path, body) in Self.ofRows {
                let named = ids.merging(["DELIVERY": "\(delivery)"]) { $1 }.reduce(path) {
                    $0.replacing($1.key, with: $1.value)
                }
                #expect(try await refuses(gateway, method, named, body) >= 5)
            }
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            for (method, path, body) in Self.ofKeys {
                _ = try await refuses(
                    gateway, method, path.replacing("KEY", with: "\(admin.record.id)"), body,
                    headers: [("Authorization", "Bearer \(admin.secret)")])
            }
        }
    }

    /// Bodies with a field too much, made of one without.
    private static func odd(_ body: String) -> [(text: String, code: String)] {
        let rest = body.dropFirst()
        let comma = body == "{}" ? "" : ","
        var odd = [#""zzz":1"#, #""zzz":null"#, #""zzz":{"title":"t"}"#, #""Title ":"x""#, #""__proto__":[]"#].map {
            ("{" + $0 + comma + rest, "unknown_field")
        }
        guard let name = body.split(separator: "\"").dropFirst().first else { return odd }
        odd.append((#"{"\#(name)x":1,"# + rest, "unknown_field"))
        odd.append((#"{"\#(name.uppercased())":1,"# + rest, "unknown_field"))
        return odd
    }

    @Test func `odd bodies over all creating routes are refused by the name of the field`() async throws {
        try await LiveGateway.with { gateway in
            var count = 0
            for route in Self.routes {
                count += try await refuses(gateway, route.method, route.path, route.body)
            }
            #expect(count >= 400)
        }
    }

    @Test func `the first example names the field and those that are known`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/actions", #"{"title":"x","measurements":{"km":5}}"#)
            #expect(reply.status == 400 && reply.code == "unknown_field")
            #expect(reply.error.contains(#""measurements""#) && reply.error.contains("amounts"), "\(reply.error)")
            let typo = try await gateway.post("/api/notes", #"{"title":"x","content":"c","thraeds":["a"]}"#)
            #expect(typo.error.contains(#"did you mean "threads"?"#), "\(typo.error)")
            let deep = try await gateway.post(
                "/api/actions", #"{"title":"x","amounts":[{"amount":5,"unit":"km","unti":"mi"}]}"#)
            #expect(deep.code == "unknown_field" && deep.error.contains("amounts[0].unti"), "\(deep.error)")
            let twice = try await gateway.post("/api/notes", #"{"title":"x","content":"c","title":"y"}"#)
            #expect(twice.status == 400 && twice.error.contains("more than once"), "\(twice.error)")
            #expect(try await gateway.request("GET", "/api/notes").object["count"] as? Int == 0)
            #expect(try await gateway.request("GET", "/api/actions").objects("actions").isEmpty)
        }
    }

    @Test func `fields that clients of the original systems send are taken`() async throws {
        try await LiveGateway.with { gateway in
            for (name, value) in [("id", #""a""#), ("compressed_through", "1"), ("compression_error", "null")] {
                #expect(ToleratedFields.all["SessionUpdate"]?.contains(name) == true)
                let reply = try await gateway.request(
                    "PUT", "/api/sessions/a", #"{"title":"t","\#(name)":\#(value)}"#)
                #expect(reply.status == 200, "\(name): \(reply.text)")
            }
        }
    }

    @Test func `routes that only answer ignore what they do not know`() async throws {
        try await LiveGateway.with { gateway in
            for (path, body) in [
                ("/api/notes/search", #"{"query":"x","client":"old"}"#),
                ("/api/notes/retrieve", #"{"query":"x","mode":"keyword","client":"old"}"#),
                ("/api/llm/generate", #"{"prompt":"x","client":"old"}"#),
            ] {
                let reply = try await gateway.post(path, body)
                #expect(reply.status == 200, "\(path)")
            }
        }
    }
}
