import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// Keys for topics, the key of Web Push, and metrics of notifications.
@Suite struct PushAccess {
    private static func bearer(_ secret: String) -> [(name: String, value: String)] {
        [("Authorization", "Bearer \(secret)")]
    }

    @Test func `a key for a topic sends there, changes what it sent, and does nothing else`() async throws {
        try await LiveGateway.with { gateway in
            let keys = gateway.store.keys
            let all = Self.bearer(try await keys.create(name: "all", grant: .everything).secret)
            let grant = KeyGrant(scopes: [.pushSend(topic: "sea"), .pushSend(topic: "moon")])
            let sea = Self.bearer(try await keys.create(name: "sea", grant: grant).secret)
            try await gateway.waitForKeys()
            let made = try await gateway.request(
                "POST", "/api/v1/devices", #"{"name":"tab","stream":true}"#, headers: all)
            #expect(made.status == 201, "\(made.text)")

            func send(_ path: String, _ body: String, _ method: String = "POST") async throws -> LiveGateway.Reply {
                try await gateway.request(method, path, body, headers: sea)
            }
            let sent = try await send("/api/v1/messages", #"{"message":{"title":"a"},"topic":"sea"}"#)
            #expect(sent.status == 202, "\(sent.text)")
            #expect(try await send("/ntfy/moon", "rises").status == 200)
            let id = try #require(sent.object["id"] as? String)
            #expect(try await send("/api/v1/messages/\(id)", #"{"message":{"title":"b"}}"#, "PATCH").status == 202)
            for (path, body) in [
                ("/api/v1/messages", #"{"message":{"title":"a"}}"#),
                ("/api/v1/messages", #"{"message":{"title":"a"},"topic":"land"}"#),
                ("/api/v1/notifications", #"{"title":"a","text":"b"}"#), ("/ntfy/land", "text"),
                ("/api/v1/devices", #"{"name":"x","stream":true}"#), ("/api/v1/execute", #"{"shortcut":"x"}"#),
            ] {
                let refused = try await send(path, body)
                #expect(
                    refused.status == 403 && refused.text.contains("missing_scope"), "\(path) \(body): \(refused.text)")
            }
            for path in ["/api/v1/devices", "/api/v1/log", "/api/v1/stream?all=true"] {
                #expect(try await gateway.request("GET", path, headers: sea).status == 403, "\(path)")
            }
            // What others sent stays theirs.
            let other = try await gateway.request(
                "POST", "/api/v1/messages", #"{"message":{"title":"c"},"topic":"sea"}"#, headers: all)
            let foreign = try #require(other.object["id"] as? String)
            #expect(try await gateway.request("GET", "/api/v1/messages/\(foreign)", headers: sea).status == 403)
            // Another device's key may get a part of one's own scopes, and not more.
            #expect(KeyGrant(scopes: [.pushSend]).mayGive(grant))
            #expect(!grant.mayGive(KeyGrant(scopes: [.pushSend])))
            #expect(!KeyGrant(scopes: [.pushAdmin]).mayGive(grant))
        }
    }

    @Test func `scopes of topics have a form`() {
        for (text, topic) in [
            ("push:send:sea", "sea"), ("push:send:A-1_b", "A-1_b"), ("push:send:", nil), ("push:send:*", nil),
            ("push:send:a b", nil), ("push:send:a:b", nil), ("push:send:ä", nil), ("push:sends:a", nil),
            ("push:send:" + String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
            ("push:send:" + String(repeating: "a", count: 65), nil), ("llm", nil),
        ] {
            #expect(KeyScope(rawValue: text).topic == topic, "\(text)")
        }
        // The name of the routes' need gives nothing by itself.
        let odd: Set<KeyScope> = [.pushTopics]
        #expect(!odd.allow(topic: "*") && !odd.allow(.pushSend))
    }

    @Test func `keys for topics are made over HTTP, wrong ones are refused`() async throws {
        try await LiveGateway.with { gateway in
            let admin = Self.bearer(try await gateway.store.keys.create(name: "all", grant: .everything).secret)
            try await gateway.waitForKeys()
            func make(_ permission: String) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/v1/api-keys", #"{"name":"k","permissions":["\#(permission)"]}"#, headers: admin)
            }
            let made = try await make("push:send:sea")
            #expect(made.status == 201 && made.object["permissions"] as? [String] == ["push:send:sea"], "\(made.text)")
            for wrong in ["push:send:*", "push:send:", "admin", "llm"] {
                let reply = try await make(wrong)
                #expect(reply.status == 400 && reply.text.contains("permissions[0]"), "\(wrong): \(reply.text)")
            }
        }
    }

    @Test func `a key for a time makes no key that lasts longer`() async throws {
        try await LiveGateway.with { gateway in
            var grant = KeyGrant.everything
            grant.expiresAt = Int64(Date().timeIntervalSince1970) + 3600
            let keys = gateway.store.keys
            let admin = Self.bearer(try await keys.create(name: "for an hour", grant: grant).secret)
            try await gateway.waitForKeys()
            let made = try await gateway.request(
                "POST", "/api/v1/api-keys", #"{"name":"k","permissions":["push:admin"]}"#, headers: admin)
            #expect(made.status == 201, "\(made.text)")
            #expect(try await keys.find("k").grant.expiresAt == grant.expiresAt)
        }
    }

    @Test func `tokens of one kind of push and broadcast channels get only what names them`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
            let token = String(repeating: "ab", count: 32)
            for (body, status) in [
                (#"{"name":"w","apnsToken":"\#(token)","apnsType":"widgets","bundleId":"a.b"}"#, 201),
                (#"{"name":"c","apnsChannel":"dHN0LXNyY2gtY2hubA==","bundleId":"a.b"}"#, 201),
                (#"{"name":"c","apnsChannel":"dHN0LXNyY2gtY2hubA==","bundleId":"a.b"}"#, 200),
                (#"{"name":"x","apnsToken":"\#(token)","apnsType":"mdm","bundleId":"a.b"}"#, 400),
                (#"{"name":"x","apnsChannel":"a b","bundleId":"a.b"}"#, 400),
                (#"{"name":"x","apnsChannel":"ab","apnsType":"voip","bundleId":"a.b"}"#, 400),
                (#"{"name":"x","apnsChannel":"ab"}"#, 400),
            ] {
                let reply = try await gateway.post("/api/v1/devices", body)
                #expect(reply.status == status, "\(body): \(reply.text)")
            }
            let all = try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"}}"#)
            #expect(all.objects("deliveries").compactMap { $0["name"] as? String } == ["tab"], "\(all.text)")
            let named = try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"},"devices":["w"]}"#)
            #expect(named.objects("deliveries").compactMap { $0["name"] as? String } == ["w"], "\(named.text)")
        }
    }

    @Test func `any key reads the public key of Web Push`() async throws {
        try await LiveGateway.with { gateway in
            let reader = Self.bearer(
                try await gateway.store.keys.create(name: "r", grant: KeyGrant(scopes: [.notesRead])).secret)
            try await gateway.waitForKeys()
            let without = try await gateway.request("GET", "/api/v1/web-push/key", headers: reader)
            #expect(without.status == 200 && without.object["configured"] as? Bool == false, "\(without.text)")
            #expect(without.object["publicKey"] == nil)
            #expect(try await gateway.request("GET", "/api/v1/web-push/key").status == 401)
        }
    }

    @Test func `metrics count what waits and what was done, by channel`() async throws {
        try await LiveGateway.with { gateway in
            func text() async throws -> String { try await gateway.request("GET", "/metrics").text }
            #expect(try await text().contains(#"selene_push_waiting{channel="apns"} 0"#))
            _ = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
            _ = try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"}}"#)
            try await waitUntil {
                try await text().contains(#"selene_push_deliveries_total{channel="stream",result="sent"} 1"#)
            }
            let later = #"{"message":{"title":"b"},"notBefore":"2099-01-01T00:00:00Z"}"#
            let soon = try await gateway.post("/api/v1/messages", later)
            #expect(soon.status == 400, "it is too far away")
            let day = Date(timeIntervalSinceNow: 86_400).ISO8601Format()
            _ = try await gateway.post("/api/v1/messages", #"{"message":{"title":"b"},"notBefore":"\#(day)"}"#)
            let now = try await text()
            #expect(now.contains(#"selene_push_waiting{channel="stream"} 1"#))
            #expect(now.contains(#"selene_push_overdue_seconds{channel="stream"} 0"#), "it is not due")
            #expect(now.contains("selene_push_streams 0"))
        }
    }
}
