import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// Buttons that make the gateway do something.
@Suite struct PushButtons {
    /// Sends a message with a button to a stream; the delivery's id.
    private static func delivery(_ gateway: LiveGateway, _ button: String) async throws -> String {
        _ = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
        let reply = try await gateway.post(
            "/api/v1/messages", #"{"message":{"title":"door","actions":[\#(button)]}}"#)
        let stored = try JSONDecoder().decode(PushNotification.self, from: reply.data)
        return try #require(stored.deliveries.first?.id)
    }

    private static func press(_ gateway: LiveGateway, _ delivery: String, _ button: String) async throws -> Int {
        try await gateway.post(
            "/api/v1/deliveries/\(delivery)/receipts", #"{"event":"action","action":"\#(button)"}"#
        ).status
    }

    private static func log(_ gateway: LiveGateway) async throws -> [PushLogLine] {
        let reply = try await gateway.request("GET", "/api/v1/log?topic=actions")
        return try JSONDecoder().decode(PushLogPage.self, from: reply.data).log
    }

    @Test func `a request of a button is sent by the gateway, once, as the sender wrote it`() async throws {
        let server = try ScriptedServer { _ in .reply(200, "") }
        defer { server.stop() }
        try await LiveGateway.with(settings: ["push_private_urls": "true"]) { gateway in
            let delivery = try await Self.delivery(
                gateway,
                """
                {"id":"open","title":"Open","type":"request","url":"http://127.0.0.1:\(server.port)/open?x=1",
                "method":"PUT","headers":{"X-Door":"front","Host":"evil"},"body":"now","on_server":true}
                """)
            #expect(try await Self.press(gateway, delivery, "open") == 204)
            #expect(try await Self.press(gateway, delivery, "open") == 204)
            try await waitUntil { try await Self.log(gateway).first?.status == "sent" }
            #expect(try await Self.log(gateway).count == 1)
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.hasPrefix("PUT /open?x=1 HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\nnow"), "\(request)")
            #expect(request.lowercased().contains("x-door: front") && !request.contains("evil"))
            // The hidden device of buttons is in no list.
            #expect(try await gateway.request("GET", "/api/v1/devices").text.contains("buttons") == false)
        }
    }

    @Test func `a button runs an action of the server, and one of the device is only noted`() async throws {
        try await LiveGateway.with { gateway in
            let made = try await gateway.post("/api/v1/actions", #"{"name":"lights","shortcutName":"Lights"}"#)
            #expect(made.status == 201)
            let delivery = try await Self.delivery(
                gateway, #"{"id":"a","title":"Lights","action":"lights"},{"id":"b","title":"Done"}"#)
            #expect(try await Self.press(gateway, delivery, "b") == 204)
            // Nobody runs shortcuts yet: the press is noted all the same.
            #expect(try await Self.press(gateway, delivery, "a") == 204)
            #expect(try await Self.log(gateway).isEmpty)
            let tab = try #require(
                try JSONDecoder().decode(
                    PushDeviceList.self, from: try await gateway.request("GET", "/api/v1/devices").data
                ).devices.first)
            let ready = try await gateway.request(
                "PUT", "/api/v1/devices/\(tab.id)", #"{"isAutomationServer":true}"#)
            #expect(ready.status == 200)
            #expect(try await Self.press(gateway, delivery, "a") == 204)
            #expect(try await Self.log(gateway).count == 1)
        }
    }

    @Test func `the result of a shortcut is an event of its delivery`() async throws {
        try await LiveGateway.with { gateway in
            let delivery = try await Self.delivery(gateway, #"{"id":"a","title":"Done"}"#)
            let path = "/api/v1/deliveries/\(delivery)/receipts"
            let report = #"{"event":"result","success":false,"output":"no lamp"}"#
            #expect(try await gateway.post(path, report).status == 204)
            let explanation = try await gateway.request("GET", "/api/v1/deliveries/\(delivery)/explain").text
            #expect(explanation.contains("failed: no lamp"), "\(explanation)")
            for wrong in [
                #"{"event":"result"}"#, #"{"event":"opened","success":true}"#, #"{"event":"opened","output":"x"}"#,
            ] {
                #expect(try await gateway.post(path, wrong).status == 400, "\(wrong)")
            }
        }
    }

    @Test func `private addresses stay closed, and keys for topics get no such buttons`() async throws {
        try await LiveGateway.with { gateway in
            let grant = KeyGrant(scopes: [.pushSend(topic: "sea")])
            _ = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
            let key = try await gateway.store.keys.create(name: "sea", grant: grant)
            try await gateway.waitForKeys()
            let body = #"{"topic":"sea","message":{"title":"a","actions":[{"title":"x","action":"lights"}]}}"#
            let refused = try await gateway.request(
                "POST", "/api/v1/messages", body, headers: [("Authorization", "Bearer \(key.secret)")])
            #expect(refused.status == 403 && refused.text.contains("push:send"), "\(refused.text)")
        }
    }
}
