import Foundation
import GatewayAPI
import GatewayTestSupport
import PushRoom
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Notifications
@testable import Server

/// What a key reaches by notifications: not the server's actions, not others' places, and nothing once it has ended.
@Suite struct PushDoors {
    private static func bearer(_ secret: String) -> [(name: String, value: String)] {
        [("Authorization", "Bearer \(secret)")]
    }

    @Test func `the addresses of actions and buttons have no name that a request could use`() async throws {
        try await LiveGateway.with { gateway in
            let store = gateway.push.devices
            var hidden: [StoredPushDevice] = []
            for name in ["deploy", "buttons"] {
                var registration = PushRegistration(
                    name: name, channel: "webhook", address: name, target: #"{"url":"https://hook.example.com/"}"#)
                registration.isHidden = true
                hidden.append(try await store.register(registration).device)
            }
            let keys = gateway.store.keys
            var callers: [String] = []
            for (index, scopes)
                in ([[.pushSend(topic: "sea")], [.pushSend], [.pushSend, .pushAdmin], KeyGrant.everything.scopes]
                as [Set<KeyScope>]).enumerated()
            {
                callers.append(try await keys.create(name: "k\(index)", grant: KeyGrant(scopes: scopes)).secret)
            }
            try await gateway.waitForKeys()
            for caller in callers {
                for name in hidden.flatMap({ [$0.name, $0.uuid] }) {
                    let sent = try await gateway.request(
                        "POST", "/api/v1/messages",
                        #"{"topic":"sea","devices":["\#(name)"],"message":{"title":"x","data":{"action":"deploy"}}}"#,
                        headers: Self.bearer(caller))
                    #expect(sent.status == 400 && sent.text.contains("no live device"), "\(sent.status) \(sent.text)")
                }
            }
            let all = Self.bearer(try #require(callers.last))
            for device in hidden {
                for (method, path) in [
                    ("GET", "/api/v1/devices/\(device.uuid)"), ("DELETE", "/api/v1/devices/\(device.uuid)"),
                    ("GET", "/api/v1/stream?device=\(device.uuid)"),
                ] {
                    #expect(try await gateway.request(method, path, headers: all).status == 404, "\(method) \(path)")
                }
            }
            #expect(try await store.live(nil).isEmpty)
        }
    }

    @Test(.slow) func `a key that ends takes its devices and its streams along, and so do the keys that it made`()
        async throws
    {
        try await LiveGateway.with { gateway in
            let keys = gateway.store.keys
            let admin = Self.bearer(try await keys.create(name: "admin", grant: .everything).secret)
            let guest = try await keys.create(name: "guest", grant: KeyGrant(scopes: [.pushSend, .pushAdmin]))
            let child = try await keys.create(
                name: "child", grant: KeyGrant(scopes: [.pushSend]), parent: guest.record.id)
            try await gateway.waitForKeys()
            for (name, headers) in [
                ("kept", admin), ("guest's", Self.bearer(guest.secret)), ("child's", Self.bearer(child.secret)),
            ] {
                let made = try await gateway.request(
                    "POST", "/api/v1/devices", #"{"name":"\#(name)","stream":true}"#, headers: headers)
                #expect(made.status == 201, "\(made.text)")
            }
            func names() async throws -> [String] {
                let sent = try await gateway.request(
                    "POST", "/api/v1/messages", #"{"message":{"title":"x"}}"#, headers: admin)
                #expect(sent.status == 202, "\(sent.text)")
                return sent.objects("deliveries").compactMap { $0["name"] as? String }.sorted()
            }
            #expect(try await names() == ["child's", "guest's", "kept"])
            // What waits for a device when its key ends is not sent any more.
            let later = try await gateway.request(
                "POST", "/api/v1/messages", #"{"message":{"title":"x"},"notBefore":"\#(Self.soon)"}"#, headers: admin)
            let id = try #require(later.object["id"] as? String)
            async let stream = gateway.request("GET", "/api/v1/stream?all=true", headers: Self.bearer(guest.secret))
            async let topic = gateway.request("GET", "/ntfy/sea/json", headers: Self.bearer(child.secret))
            try await waitUntil {
                try await gateway.request("GET", "/metrics", headers: admin).text.contains("selene_push_streams 2")
            }
            try await keys.revoke("guest")
            try await gateway.waitForKeys()
            // Both streams end by themselves.
            #expect(try await stream.status == 200)
            #expect(try await topic.status == 200)
            // The topic's reader made a device for all readers.
            #expect(try await names() == ["kept", "ntfy"])
            try await waitUntil {
                let states = try await gateway.request("GET", "/api/v1/messages/\(id)", headers: admin).objects(
                    "deliveries")
                return states.allSatisfy { !["queued", "sending"].contains($0["status"] as? String) }
            }
            let states = try await gateway.request("GET", "/api/v1/messages/\(id)", headers: admin).objects(
                "deliveries")
            let ends = Dictionary(
                states.map { ($0["name"] as? String ?? "", $0["status"] as? String ?? "") },
                uniquingKeysWith: { a, _ in a })
            #expect(ends == ["kept": "sent", "guest's": "dropped", "child's": "dropped"])
        }
    }

    private static var soon: String { ISO8601DateFormatter().string(from: Date().addingTimeInterval(3)) }

    @Test(.slow) func `one key has a share of the devices and of the outbox, and leaves room for others`() async throws
    {
        try await LiveGateway.with(settings: ["push_max_waiting": "100"]) { gateway in
            let keys = gateway.store.keys
            let owner = Self.bearer(try await keys.create(name: "owner", grant: .everything).secret)
            let guest = try await keys.create(name: "guest", grant: KeyGrant(scopes: [.pushSend]))
            let child = try await keys.create(
                name: "child", grant: KeyGrant(scopes: [.pushSend]), parent: guest.record.id)
            try await gateway.waitForKeys()
            func register(_ name: String, _ headers: [(name: String, value: String)]) async throws -> Int {
                try await gateway.request(
                    "POST", "/api/v1/devices", #"{"name":"\#(name)","stream":true}"#, headers: headers
                ).status
            }
            for number in 0..<40 { #expect(try await register("d\(number)", Self.bearer(guest.secret)) == 201) }
            // A key shares with those that it made.
            for number in 40..<50 { #expect(try await register("d\(number)", Self.bearer(child.secret)) == 201) }
            #expect(try await register("one more", Self.bearer(guest.secret)) == 409)
            #expect(try await register("one more", Self.bearer(child.secret)) == 409)
            #expect(try await register("d1", Self.bearer(guest.secret)) == 200)
            #expect(try await register("mine", owner) == 201)

            // A message for later waits in the outbox.
            func send(_ body: String, _ headers: [(name: String, value: String)]) async throws -> LiveGateway.Reply {
                try await gateway.request("POST", "/api/v1/messages", body, headers: headers)
            }
            let later = #","notBefore":"2027-06-01T00:00:00Z"}"#
            #expect(try await send(#"{"message":{"title":"x"}"# + later, Self.bearer(guest.secret)).status == 202)
            // The counts are at most a second old.
            func eventually(_ status: Int, _ body: String, _ headers: [(name: String, value: String)]) async throws {
                var reply = try await send(body, headers)
                for _ in 0..<50 where reply.status != status {
                    try await Task.sleep(for: .milliseconds(100))
                    reply = try await send(body, headers)
                }
                #expect(reply.status == status, "\(reply.text)")
            }
            try await eventually(429, #"{"message":{"title":"x"},"devices":["d1"]"# + later, Self.bearer(guest.secret))
            let refused = try await send(
                #"{"message":{"title":"x"},"devices":["d1"]"# + later, Self.bearer(child.secret))
            #expect(refused.status == 429 && refused.code == "outbox_share_full", "\(refused.text)")
            // Others go on, and the last tenth is for what is urgent or has an address.
            var fillers = 0
            while fillers < 30, try await gateway.push.outbox.openCount(upTo: 100) < 92 {
                let key = try await keys.create(name: "filler \(fillers)", grant: KeyGrant(scopes: [.pushSend]))
                try await gateway.waitForKeys()
                fillers += 1
                while try await send(
                    #"{"message":{"title":"x"},"devices":["d1","d2","d3","d4","d5","d6"]"# + later,
                    Self.bearer(key.secret)
                ).status == 202, try await gateway.push.outbox.openCount(upTo: 100) < 92 {}
            }
            try await Task.sleep(for: .milliseconds(1100))
            try await eventually(503, #"{"message":{"title":"x"}"# + later, owner)
            #expect(try await send(#"{"message":{"title":"fire"},"devices":["mine"]}"#, owner).status == 202)
            #expect(
                try await send(#"{"message":{"title":"fire","priority":"high"},"devices":["mine"]}"#, owner).status
                    == 202)
        }
    }

    /// Wrong base addresses: what clients of Ollama, OpenAI, Anthropic and llama.cpp ask for, at the wrong place.
    @Test(.slow, arguments: [false, true])
    func `a wrong base address publishes nothing and is told the right one`(hasRoot: Bool) async throws {
        let wrong: [(path: String, meant: String?)] = [
            ("/embeddings", "/v1/embeddings"), ("/completions", "/v1/completions"), ("/responses", "/v1/responses"),
            ("/messages", "/v1/messages"), ("/chat/completions", "/v1/chat/completions"), ("/chat", "/api/chat"),
            ("/generate", "/api/generate"), ("/embed", "/api/embed"), ("/tags", "/api/tags"), ("/show", "/api/show"),
            ("/pull", "/api/pull"), ("/ps", "/api/ps"), ("/version", "/api/version"), ("/models", "/v1/models"),
            ("/images/generations", "/v1/images/generations"), ("/audio/transcriptions", "/v1/audio/transcriptions"),
            ("/v1/v1/embeddings", "/v1/embeddings"), ("/v1/v1/chat/completions", "/v1/chat/completions"),
            ("/api/v1/chat/completions", "/v1/chat/completions"), ("/api/api/chat", "/api/chat"),
            ("/v1/api/chat", "/api/chat"), ("/ollama/api/chat", "/api/chat"),
            ("/openai/v1/embeddings", "/v1/embeddings"),
            ("/api/chat/completions", "/v1/chat/completions"), ("/api/completions", "/v1/completions"),
            ("/v1/generate", "/api/generate"), ("/v1/chat", "/api/chat"), ("/v1/embed", "/api/embed"),
            ("/api/models", "/v1/models"), ("/openai/deployments/x/chat/completions", "/v1/chat/completions"),
            ("/Embeddings", "/v1/embeddings"), ("/completion", nil), ("/infill", nil), ("/tokenize", nil),
            ("/detokenize", nil),
            ("/rerank", nil), ("/reranking", nil), ("/props", nil), ("/slots", nil), ("/embedding", nil), ("/api", nil),
            ("/v1", nil), ("/v2", nil), ("/predict", nil), ("/classify", nil), ("/", nil),
        ]
        try await LiveGateway.with(settings: hasRoot ? ["push_ntfy_root": "true"] : [:]) { gateway in
            #expect(try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#).status == 201)
            let body =
                #"{"model":"llama3.2","input":"a secret","prompt":"a secret","messages":[{"role":"user","content":"a secret"}]}"#
            for (path, meant) in wrong {
                for method in ["POST", "PUT"] {
                    let reply = try await gateway.request(
                        method, path, body, headers: [("Content-Type", "application/json")])
                    #expect([404, 405].contains(reply.status), "\(method) \(path): \(reply.status) \(reply.text)")
                    if let meant, reply.status == 404 {
                        #expect(reply.text.contains("did you mean \(meant)?"), "\(path): \(reply.text)")
                    }
                }
            }
            // A client of Anthropic with the base /api gets to the gateway's own route of messages.
            let anthropic = try await gateway.post("/api/v1/messages", body)
            #expect(
                anthropic.status == 404 && anthropic.text.contains("did you mean /v1/messages?"), "\(anthropic.text)")
            for key in ["prompt", "messages"] {
                #expect(try await gateway.post("/summaries", "{\"\(key)\":\"a secret\"}").status == 404, "\(key)")
            }
            // A body for a model is no message, whatever the path.
            #expect(try await gateway.post("/anything", body).status == 404)
            #expect(try await gateway.request("GET", "/api/v1/log").objects("log").isEmpty)
            // A note that is no request goes to a topic below /ntfy, and to one at the root by the setting.
            #expect(try await gateway.request("POST", "/ntfy/alerts", "Disk is full").status == 200)
            #expect(try await gateway.request("POST", "/alerts", "Disk is full").status == (hasRoot ? 200 : 404))
            #expect(try await gateway.request("GET", "/alerts/json?poll=1").status == (hasRoot ? 200 : 404))
        }
    }
}
