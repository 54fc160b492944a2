import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// The WebSocket of devices, over real sockets.
@Suite struct PushSockets {
    private static func device(_ gateway: LiveGateway, _ name: String = "tab") async throws -> (
        id: String, token: String
    ) {
        let reply = try await gateway.post("/api/v1/devices", #"{"name":"\#(name)","stream":true}"#)
        let device = try JSONDecoder().decode(PushDevice.self, from: reply.data)
        return (device.id, try #require(device.registrationToken))
    }

    private static func signIn(
        _ gateway: LiveGateway, _ token: String, since: Int? = nil
    ) async throws -> RawWebSocket {
        let socket = try await RawWebSocket(port: gateway.port, path: "/ws")
        try socket.send(#"{"type":"auth","token":"\#(token)"\#(since.map { ",\"since\":\($0)" } ?? "")}"#)
        #expect(try await socket.json()["type"] as? String == "auth_ok")
        return socket
    }

    private static func send(_ gateway: LiveGateway, _ title: String) async throws {
        let reply = try await gateway.post("/api/v1/messages", #"{"message":{"title":"\#(title)"}}"#)
        #expect(reply.status == 202, "\(reply.text)")
    }

    @Test func `a device signs in, gets its notifications, and answers pings`() async throws {
        try await LiveGateway.with { gateway in
            let tab = try await Self.device(gateway)
            let socket = try await RawWebSocket(port: gateway.port, path: "/ws")
            #expect(socket.head.hasPrefix("HTTP/1.1 101 "), "\(socket.head)")
            // The example of RFC 6455, section 1.3.
            #expect(socket.head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "\(socket.head)")
            // A message may come in pieces.
            let auth = Array(#"{"type":"auth","token":"\#(tab.token)"}"#.utf8)
            try socket.send(Array(auth.prefix(9)), isLast: false)
            try socket.send(Array(auth.dropFirst(9)), opcode: 0)
            let welcome = try await socket.json()
            #expect(welcome["type"] as? String == "auth_ok" && welcome["deviceId"] as? String == tab.id)
            try await waitUntil {
                try await gateway.request("GET", "/api/v1/devices/\(tab.id)").object["isOnline"] as? Bool == true
            }
            try socket.send(#"{"type":"ping"}"#)
            #expect(try await socket.json()["type"] as? String == "pong")
            try socket.send([0x61], opcode: 9)
            #expect(await socket.next() == .pong)

            try await Self.send(gateway, "tide")
            let came = try await socket.json()
            #expect(came["type"] as? String == "notification" && came["eventId"] is Int, "\(came)")
            #expect((came["payload"] as? [String: Any])?["title"] as? String == "tide")
            try socket.send([0x03, 0xE8], opcode: 8)
            #expect(await socket.next() == .close(code: 1000, reason: ""))
            #expect(await socket.next() == .end)
            try await waitUntil {
                try await gateway.request("GET", "/api/v1/devices/\(tab.id)").object["isOnline"] as? Bool == false
            }
        }
    }

    @Test(.slow) func `a device that comes back gets what it missed, once, and one reset for an unknown event`()
        async throws
    {
        try await LiveGateway.with { gateway in
            let tab = try await Self.device(gateway)
            let first = try await Self.signIn(gateway, tab.token)
            try await Self.send(gateway, "0")
            let seen = try #require(try await first.json()["eventId"] as? Int)
            first.close()
            for number in 1...250 { try await Self.send(gateway, "\(number)") }
            let second = try await Self.signIn(gateway, tab.token, since: seen)
            var titles: [String] = []
            var last = seen
            while titles.count < 250 {
                let came = try await second.json()
                let id = try #require(came["eventId"] as? Int, "\(came)")
                #expect(id > last)
                last = id
                titles.append((came["payload"] as? [String: Any])?["title"] as? String ?? "")
            }
            #expect(Set(titles) == Set((1...250).map(String.init)), "no gap and no repeat")
            second.close()
            let third = try await Self.signIn(gateway, tab.token, since: 999_999_999)
            #expect(try await third.json()["type"] as? String == "reset")
            try await Self.send(gateway, "after")
            #expect((try await third.json()["payload"] as? [String: Any])?["title"] as? String == "after")
            third.close()
        }
    }

    @Test(.slow) func `a shortcut runs on the ready device, and its result is in the log`() async throws {
        try await LiveGateway.with { gateway in
            let tab = try await Self.device(gateway)
            let socket = try await Self.signIn(gateway, tab.token)
            try socket.send(#"{"type":"status","automationServerReady":true}"#)
            try await waitUntil {
                try await gateway.request("GET", "/api/v1/devices/\(tab.id)").object["isAutomationServer"] as? Bool
                    == true
            }
            let run = try await gateway.post("/api/v1/execute", #"{"shortcut":"Lights","input":"on"}"#)
            #expect(run.status == 202, "\(run.text)")
            let call = try await socket.json()
            #expect(call["type"] as? String == "execute_shortcut" && call["shortcutName"] as? String == "Lights")
            #expect(call["input"] as? String == "on")
            let id = try #require(call["id"] as? String)
            try socket.send(#"{"type":"execute_result","id":"\#(id)","success":true,"output":"done"}"#)
            try await waitUntil {
                try await gateway.request("GET", "/api/v1/deliveries/\(id)/explain").text.contains("succeeded: done")
            }
            // Results of other devices' deliveries are ignored.
            let other = try await Self.device(gateway, "other")
            let stranger = try await Self.signIn(gateway, other.token)
            try stranger.send(#"{"type":"execute_result","id":"\#(id)","success":false,"output":"forged"}"#)
            try stranger.send(#"{"type":"ping"}"#)
            #expect(try await stranger.json()["type"] as? String == "pong")
            #expect(!(try await gateway.request("GET", "/api/v1/deliveries/\(id)/explain").text.contains("forged")))
        }
    }

    @Test(.slow) func `wrong tokens, wrong first messages and keys that were revoked are refused`() async throws {
        try await LiveGateway.with { gateway in
            for first in [#"{"type":"auth","token":"prt_0"}"#, #"{"type":"ping"}"#, "no JSON", "[]", #"{"token":1}"#] {
                let socket = try await RawWebSocket(port: gateway.port, path: "/ws")
                try socket.send(first)
                #expect(try await socket.json()["type"] as? String == "auth_error", "\(first)")
                #expect(await socket.next() == .close(code: 1008, reason: "wrong token"))
                socket.close()
            }
            let key = try await gateway.store.keys.create(name: "phone", grant: KeyGrant(scopes: [.pushSend]))
            try await gateway.waitForKeys()
            let made = try await gateway.request(
                "POST", "/api/v1/devices", #"{"name":"p","stream":true}"#,
                headers: [("Authorization", "Bearer \(key.secret)")])
            let token = try #require(made.object["registrationToken"] as? String)
            try await Self.signIn(gateway, token).close()
            try await gateway.store.keys.revoke("phone")
            try await gateway.waitForKeys()
            let socket = try await RawWebSocket(port: gateway.port, path: "/ws")
            try socket.send(#"{"type":"auth","token":"\#(token)"}"#)
            #expect(try await socket.json()["type"] as? String == "auth_error")
        }
    }

    @Test func `frames against the rules end the connection with their code`() async throws {
        try await LiveGateway.with { gateway in
            let big = [UInt8](repeating: 0x61, count: 70_000)
            for (name, code, send) in [
                ("no mask", 1002, { try $0.send([0x61], mask: nil) }),
                ("extension", 1002, { try $0.send([0x61], flags: 0x40) }),
                ("binary", 1003, { try $0.send([0x61], opcode: 2) }),
                ("not UTF-8", 1007, { try $0.send([0xC3, 0x28]) }), ("too large", 1009, { try $0.send(big) }),
                (
                    "fragments", 1009,
                    {
                        for part in 0..<2 {
                            try $0.send(Array(big.prefix(40_000)), opcode: part == 0 ? 1 : 0, isLast: false)
                        }
                    }
                ), ("continuation", 1002, { try $0.send([0x61], opcode: 0) }),
            ] as [(String, Int, (RawWebSocket) throws -> Void)] {
                let socket = try await RawWebSocket(port: gateway.port, path: "/ws")
                try send(socket)
                guard case .close(let came, _) = await socket.next() else {
                    Issue.record("\(name): no close came")
                    continue
                }
                #expect(came == code, "\(name)")
                socket.close()
            }
            #expect(try await gateway.request("GET", "/api/v1/health").status == 200)
        }
    }

    @Test func `requests that are no handshake get 426, and others pass`() async throws {
        try await LiveGateway.with { gateway in
            let plain = try await gateway.request("GET", "/ws")
            #expect(plain.status == 426 && plain.head["upgrade"] == "websocket", "\(plain.text)")
            for headers in [
                ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 8", "Sec-WebSocket-Key: AAAA"],
                ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA"],
                ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="],
            ] {
                let socket = try await RawWebSocket(port: gateway.port, path: "/ws", headers: headers)
                #expect(socket.head.hasPrefix("HTTP/1.1 426 "), "\(socket.head)")
                socket.close()
            }
            let other = try await RawWebSocket(port: gateway.port, path: "/api/v1/health")
            #expect(other.head.hasPrefix("HTTP/1.1 200 "), "\(other.head)")
            other.close()
        }
    }

    @Test func `a gateway that stops says so`() async throws {
        try await LiveGateway.with { gateway in
            let tab = try await Self.device(gateway)
            let socket = try await Self.signIn(gateway, tab.token)
            async let stopped: Void = gateway.shutDown()
            #expect(await socket.next() == .close(code: 1001, reason: "the gateway stops"))
            socket.close()
            await stopped
        }
    }
}
