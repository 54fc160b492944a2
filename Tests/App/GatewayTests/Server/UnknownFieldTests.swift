import Foundation
import GatewayTestSupport
import Server
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
    ]

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
                for (text, code) in Self.odd(route.body) {
                    count += 1
                    let reply = try await gateway.request(route.method, route.path, text)
                    #expect(
                        reply.status == 400 && reply.code == code,
                        "\(route.method) \(route.path) \(text): \(reply.status) \(reply.text.prefix(200))")
                }
            }
            #expect(count >= 200)
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
