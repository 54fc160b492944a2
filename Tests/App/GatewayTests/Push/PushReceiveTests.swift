import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import NIOCore
import PushRoom
import Storage
import TestSupport
import Testing
import Transport

/// Keys that only receive, addresses of other keys' devices, and queries as forms write them.
@Suite struct PushReceive {
    private typealias Headers = [(name: String, value: String)]

    private static func bearer(_ key: NewKey) -> Headers { [("Authorization", "Bearer \(key.secret)")] }

    private static func subscription(_ path: String) -> String {
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        return
            #"{"endpoint":"https://updates.push.services.mozilla.com/\#(path)","keys":{"p256dh":"\#(key)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
    }

    @Test func `a paired phone gets notifications for itself, and sends none`() async throws {
        try await LiveGateway.with { gateway in
            let keys = gateway.store.keys
            let sender = Self.bearer(try await keys.create(name: "sender", grant: .everything))
            let phone = Self.bearer(try await keys.create(name: "phone", grant: KeyGrant(scopes: KeyScope.paired)))
            try await gateway.waitForKeys()
            func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> LiveGateway.Reply {
                try await gateway.request(method, path, body, headers: phone)
            }
            let others = try await gateway.request(
                "POST", "/api/v1/devices", #"{"name":"tab","stream":true}"#, headers: sender)
            let other = try #require(others.object["id"] as? String)
            let made = try await ask("POST", "/api/v1/devices", #"{"name":"phone","stream":true}"#)
            #expect(made.status == 201, "\(made.text)")
            let own = try #require(made.object["id"] as? String)

            let sent = try await gateway.request(
                "POST", "/api/v1/messages", #"{"message":{"title":"tide"}}"#, headers: sender)
            let delivery = try #require(
                sent.objects("deliveries").first { $0["device"] as? String == own }?["id"] as? String, "\(sent.text)")
            let foreign = try #require(
                sent.objects("deliveries").first { $0["device"] as? String == other }?["id"] as? String)
            let stream = try await gateway.open("GET", "/api/v1/stream?device=\(own)&since=0", headers: phone)
            #expect(stream.status == 200)
            var text = ""
            for try await chunk in stream.body {
                text += String(decoding: chunk.readableBytesView, as: UTF8.self)
                if text.contains("tide") { break }
            }
            #expect(text.contains("event: notification"))
            #expect(try await ask("GET", "/api/v1/deliveries/\(delivery)/explain").status == 200)
            #expect(
                try await ask("POST", "/api/v1/deliveries/\(delivery)/receipts", #"{"event":"opened"}"#).status == 204)
            #expect(try await ask("PUT", "/api/v1/devices/\(own)", #"{"name":"my phone"}"#).status == 200)
            // It sees its own device only.
            let listed = try await ask("GET", "/api/v1/devices")
            #expect(listed.objects("devices").map { $0["id"] as? String } == [own], "\(listed.text)")

            for (method, path, body) in [
                ("POST", "/api/v1/messages", #"{"message":{"title":"a"}}"#), ("POST", "/ntfy/sea", "text"),
                ("POST", "/api/v1/notifications", #"{"title":"a","text":"b"}"#), ("POST", "/ntfy", #"{"topic":"a"}"#),
                ("POST", "/api/v1/execute", #"{"shortcut":"x"}"#), ("GET", "/ntfy/sea/json?poll=1", nil),
                ("POST", "/api/v1/devices", #"{"name":"x","webhook":{"url":"https://hook.example.org/"}}"#),
                ("POST", "/api/v1/devices", #"{"name":"x","stream":true,"isAutomationServer":true}"#),
                ("PUT", "/api/v1/devices/\(own)", #"{"isAutomationServer":true}"#),
                ("GET", "/api/v1/devices/\(other)", nil), ("PUT", "/api/v1/devices/\(other)", #"{"name":"x"}"#),
                ("DELETE", "/api/v1/devices/\(other)", nil), ("GET", "/api/v1/stream?device=\(other)", nil),
                ("GET", "/api/v1/stream?all=true", nil), ("GET", "/api/v1/log", nil),
                ("GET", "/api/v1/deliveries/\(foreign)/explain", nil),
                ("POST", "/api/v1/deliveries/\(foreign)/receipts", #"{"event":"opened"}"#),
                ("GET", "/api/v1/notifications/definitions", nil), ("GET", "/api/v1/actions", nil),
            ] as [(String, String, String?)] {
                let reply = try await ask(method, path, body)
                #expect(reply.status == 403, "\(method) \(path) \(body ?? ""): \(reply.status) \(reply.text)")
            }
            #expect(try await ask("DELETE", "/api/v1/devices/\(own)").status == 204)
        }
    }

    @Test func `pairing gives what receives, as far as the own key may give it`() {
        #expect(Set(KeyScope.all).pairing == KeyScope.paired)
        #expect(KeyScope.ordinary.pairing == KeyScope.ordinary)
        #expect(KeyScope.ordinary.union([.pushSend]).pairing == KeyScope.paired)
        #expect(Set<KeyScope>([.admin]).pairing == KeyScope.paired)
        #expect(Set<KeyScope>([.pushSend(topic: "sea")]).pairing == [.pushSend(topic: "sea")])
        #expect(KeyGrant(scopes: [.pushSend]).mayGive(KeyGrant(scopes: [.pushReceive])))
        #expect(!KeyGrant(scopes: [.pushReceive]).mayGive(KeyGrant(scopes: [.pushSend])))
        #expect(!KeyGrant(scopes: [.pushSend(topic: "sea")]).mayGive(KeyGrant(scopes: [.pushReceive])))
    }

    @Test func `the address of another key's device is refused, until that key has ended`() async throws {
        try await LiveGateway.with(settings: ["SELENE_PUSH_PRIVATE_URLS": "true"]) { gateway in
            let keys = gateway.store.keys
            let first = try await keys.create(name: "first", grant: KeyGrant(scopes: [.pushSend]))
            let second = try await keys.create(name: "second", grant: KeyGrant(scopes: [.pushSend]))
            let child = try await keys.create(
                name: "child", grant: KeyGrant(scopes: [.pushSend]), parent: first.record.id)
            let admin = try await keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            let token = String(repeating: "ab", count: 32)
            let addresses = [
                #""webhook":{"url":"https://hook.example.org/a"}"#, #""webPush":\#(Self.subscription("wpush/v2/one"))"#,
                #""apnsToken":"\#(token)","bundleId":"a.b""#, #""apnsChannel":"dHN0LXNyY2gtY2hubA==","bundleId":"a.b""#,
            ]
            func register(_ address: String, _ key: NewKey) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/v1/devices", #"{"name":"of \#(key.record.name)",\#(address)}"#,
                    headers: Self.bearer(key))
            }
            for address in addresses {
                #expect(try await register(address, first).status == 201, "\(address)")
                for other in [second, child] {
                    let refused = try await register(address, other)
                    #expect(refused.status == 409, "\(other.record.name) \(address): \(refused.text)")
                }
                // Nothing of it changed.
                let again = try await register(address, first)
                #expect(again.status == 200 && again.object["name"] as? String == "of first", "\(again.text)")
                #expect(again.object["owner"] as? Int64 == first.record.id)
            }
            // A change of address is no way around.
            let own = try await register(#""webhook":{"url":"https://hook.example.org/b"}"#, second)
            let id = try #require(own.object["id"] as? String)
            let moved = try await gateway.request(
                "PUT", "/api/v1/devices/\(id)", #"{"webhook":{"url":"https://hook.example.org/a"}}"#,
                headers: Self.bearer(second))
            #expect(moved.status == 409, "\(moved.text)")
            // The same name is another device for each key.
            for key in [first, second, child] {
                #expect(
                    try await gateway.request(
                        "POST", "/api/v1/devices", #"{"name":"tab","stream":true}"#, headers: Self.bearer(key)
                    ).status == 201)
            }

            #expect(try await register(addresses[0], admin).status == 200)
            #expect(try await register(addresses[0], first).status == 409)
            try await keys.revoke("first")
            try await gateway.waitForKeys()
            for address in addresses.dropFirst() {
                #expect(try await register(address, second).status == 200, "\(address)")
            }
        }
    }

    /// The route of the original app is no other door.
    @Test func `a token of the app becomes a device only with the right to receive, and only one's own goes`()
        async throws
    {
        try await LiveGateway.with { gateway in
            let keys = gateway.store.keys
            let plain = try await keys.create(name: "plain", grant: KeyGrant(scopes: KeyScope.ordinary))
            let phone = try await keys.create(name: "phone", grant: KeyGrant(scopes: KeyScope.paired))
            let other = try await keys.create(name: "other", grant: KeyGrant(scopes: KeyScope.paired))
            try await gateway.waitForKeys()
            let token = #"{"token":"\#(String(repeating: "cd", count: 32))"}"#
            func ask(_ word: String, _ key: NewKey) async throws -> Int {
                try await gateway.request("POST", "/api/devices/\(word)", token, headers: Self.bearer(key)).status
            }
            func owners() async throws -> [Int64?] {
                try await gateway.push.devices.page(after: nil, limit: 10).items.map(\.owner)
            }
            #expect(try await ask("register", plain) == 200)
            #expect(try await owners().isEmpty)
            #expect(try await ask("register", phone) == 200)
            #expect(try await owners() == [phone.record.id])
            #expect(try await ask("register", other) == 409)
            #expect(try await ask("unregister", other) == 200)
            #expect(try await owners() == [phone.record.id])
            #expect(try await ask("unregister", phone) == 200)
            #expect(try await owners().isEmpty)
        }
    }

    @Test func `a plus in a query is a space, as forms and URLSearchParams write it`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.request("GET", "/ntfy/sea/json?poll=1")
            let sent = try await gateway.request(
                "POST", "/ntfy/sea?title=Disk+full&message=red+alert%2B1&tags=a+b%2Cc")
            #expect(sent.status == 200, "\(sent.text)")
            #expect(
                sent.object["title"] as? String == "Disk full" && sent.object["message"] as? String == "red alert+1")
            #expect(sent.object["tags"] as? [String] == ["a b", "c"])
            try await waitUntil {
                try await gateway.request("GET", "/ntfy/sea/json?poll=1&message=red+alert%2B1").text.contains(
                    "Disk full")
            }
            let log = try await gateway.request("GET", "/api/v1/log?q=Disk+full")
            #expect(log.objects("log").count == 1, "\(log.text)")
        }
    }
}
