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

@testable import Gateway
@testable import Notifications
@testable import Server

/// Notifications over HTTP.
@Suite struct PushRoutes {
    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        do { return try JSONDecoder().decode(type, from: reply.data) } catch {
            throw LiveGateway.UnexpectedStatus(description: "\(reply.status) \(reply.text): \(error)")
        }
    }

    /// Registers a device that reads a stream.
    private static func tab(_ gateway: LiveGateway, _ name: String = "tab") async throws -> PushDevice {
        try decode(
            PushDevice.self, try await gateway.post("/api/v1/devices", #"{"name":"\#(name)","stream":true}"#))
    }

    /// Waits until a notification has a status.
    private static func wait(_ gateway: LiveGateway, _ id: String, _ status: String) async throws {
        try await waitUntil {
            try await gateway.request("GET", "/api/v1/messages/\(id)").object["status"] as? String == status
        }
    }

    @Test func `a message is stored, sent, explained, acknowledged, changed and recalled`() async throws {
        try await LiveGateway.with { gateway in
            let health = try await gateway.request("GET", "/api/v1/health")
            #expect(health.status == 200 && health.object["status"] as? String == "ok")
            #expect(try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"}}"#).status == 409)
            let tab = try await Self.tab(gateway)
            #expect(tab.channel == "stream" && tab.registrationToken?.hasPrefix("prt_") == true)

            let reply = try await gateway.post(
                "/api/v1/messages", #"{"message":{"title":"tide","priority":"high"},"topic":"sea"}"#)
            #expect(reply.status == 202, "\(reply.text)")
            let stored = try Self.decode(PushNotification.self, reply)
            #expect(stored.deliveries.map(\.device) == [tab.id] && stored.topic == "sea")
            try await Self.wait(gateway, stored.id, "sent")
            let delivery = stored.deliveries[0].id
            let explanation = try Self.decode(
                PushExplanation.self, try await gateway.request("GET", "/api/v1/deliveries/\(delivery)/explain"))
            #expect(explanation.delivery.title == "tide" && explanation.delivery.priority == "high")
            #expect(explanation.steps.contains { $0.hasPrefix("quiet hours: passes") })

            let receipt = try await gateway.post(
                "/api/v1/deliveries/\(delivery)/receipts", #"{"event":"action","action":"1"}"#)
            #expect(receipt.status == 204)
            for body in [#"{"event":"read"}"#, #"{"event":"action"}"#, #"{"event":"opened","action":"1"}"#] {
                #expect(try await gateway.post("/api/v1/deliveries/\(delivery)/receipts", body).status == 400)
            }
            let log = try Self.decode(
                PushLogPage.self, try await gateway.request("GET", "/api/v1/log?topic=sea&status=sent&limit=1"))
            #expect(log.log.map(\.id) == [delivery] && log.log[0].action == "1" && log.log[0].acknowledgedAt != nil)
            #expect(try await gateway.request("GET", "/api/v1/log?status=lost").status == 400)

            let changed = try await gateway.request(
                "PATCH", "/api/v1/messages/\(stored.id)", #"{"message":{"title":"ebb"}}"#)
            #expect(changed.status == 202, "\(changed.text)")
            try await Self.wait(gateway, stored.id, "sent")
            let recalled = try await gateway.request("DELETE", "/api/v1/messages/\(stored.id)")
            #expect(recalled.object["status"] as? String == "recalled")
            #expect(try await gateway.post("/api/v1/deliveries/\(delivery)/retry", "").status == 409)
            #expect(try await gateway.request("GET", "/api/v1/messages/none").status == 404)
        }
    }

    @Test func `a failed delivery is discarded once, by an administrator`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await Self.tab(gateway)
            let stored = try Self.decode(
                PushNotification.self, try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"}}"#))
            try await Self.wait(gateway, stored.id, "sent")
            let path = "/api/v1/deliveries/\(stored.deliveries[0].id)"
            let early = try await gateway.request("DELETE", path)
            #expect(early.status == 409 && early.text.contains("only a failed delivery"), "\(early.text)")
            try await gateway.execute("UPDATE gateway_push_deliveries SET state = 5, reason = '410 Gone'")
            let discarded = try await gateway.request("DELETE", path)
            #expect(discarded.status == 200 && discarded.object["status"] as? String == "dropped", "\(discarded.text)")
            #expect(discarded.object["reason"] as? String == "discarded by hand: 410 Gone")
            #expect(try await gateway.request("DELETE", path).status == 409)
            #expect(try await gateway.request("DELETE", "/api/v1/deliveries/none").status == 404)
            let explained = try await gateway.request("GET", path + "/explain")
            #expect(explained.text.contains("discarded"), "\(explained.text)")
            #expect(try await gateway.request("GET", "/api/v1/log?status=failed").objects("log").isEmpty)
        }
    }

    @Test func `a repeated request gets the first answer, and wrong fields are named`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await Self.tab(gateway)
            let headers = [(name: "Idempotency-Key", value: "k1")]
            let body = #"{"message":{"title":"a"}}"#
            let first = try await gateway.request("POST", "/api/v1/messages", body, headers: headers)
            let again = try await gateway.request("POST", "/api/v1/messages", body, headers: headers)
            #expect(first.status == 202 && again.object["id"] as? String == first.object["id"] as? String)
            #expect(again.object["isRepeat"] as? Bool == true)
            let read = try await gateway.request("GET", "/api/v1/messages/\(again.object["id"] as? String ?? "")")
            #expect(read.status == 200 && read.object["isRepeat"] == nil)
            let other = try await gateway.request(
                "POST", "/api/v1/messages", #"{"message":{"title":"b"}}"#, headers: headers)
            #expect(other.status == 409)
            for (wrong, field) in [
                (#"{"message":{"title":1}}"#, "message.title"), (#"{"message":{"titel":"a"}}"#, "message.titel"),
                (#"{}"#, "message"), (#"{"message":{"title":"a"},"topic":"a b"}"#, "topic"),
                (#"{"message":{"title":"a"},"devices":["nobody"]}"#, "devices[0]"),
                (#"{"message":{"title":"a"},"notBefore":"soon"}"#, "notBefore"),
                (#"{"message":{"title":"a"},"notBefore":"2999-01-01T00:00:00Z"}"#, "notBefore"),
                (#"{"template":"none"}"#, "template"),
                (
                    #"{"message":{"title":"a","actions":[{"title":"x","type":"request","url":"http://10.0.0.1/","on_server":true}]}}"#,
                    "message.actions[0].url"
                ),
            ] {
                let reply = try await gateway.post("/api/v1/messages", wrong)
                #expect(reply.status == 400 && reply.text.contains(field), "\(wrong): \(reply.text)")
            }
        }
    }

    @Test func `a webhook without a secret gets one, shown once`() async throws {
        try await LiveGateway.with { gateway in
            let body = #"{"name":"hook","webhook":{"url":"https://example.com/hook"}}"#
            let made = try await gateway.post("/api/v1/devices", body)
            let secret = try #require(made.object["webhookSecret"] as? String, "\(made.text)")
            let bytes = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
            #expect(made.status == 201 && secret.hasPrefix("whsec_") && bytes.count == 32)
            let id = try #require(made.object["id"] as? String)
            let shown = try await gateway.request("GET", "/api/v1/devices/\(id)")
            #expect(shown.object["webhookSecret"] == nil && !shown.text.contains(secret))
            // The gateway keeps it: requests to the device are signed.
            let stored = try #require(
                try await gateway.push.devices.find(channel: "webhook", address: "https://example.com/hook"))
            #expect(stored.target.contains("whsec_"))
            let own = #"{"name":"own","webhook":{"url":"https://example.com/own","secret":"\#(secret)"}}"#
            #expect(try await gateway.post("/api/v1/devices", own).object["webhookSecret"] == nil)
        }
    }

    @Test func `Pulpit's and ntfy's requests are taken`() async throws {
        try await LiveGateway.with { gateway in
            let phone = try await Self.tab(gateway, "phone")
            let pulpit = """
                {"title":"Door","text":"open","sound":"problem","devices":["phone"],"isTimeSensitive":true,
                "id":"door-1","threadId":"house","delay":3600,
                "actions":[{"name":"View","url":"https://example.com"}]}
                """
            let first = try await gateway.post("/api/v1/notifications", pulpit)
            #expect(first.status == 202 && first.object["status"] as? String == "queued", "\(first.text)")
            let again = try await gateway.post("/api/v1/notifications", pulpit)
            #expect(again.object["id"] as? String == first.object["id"] as? String)
            #expect(try await gateway.post("/api/v1/notifications", #"{"text":7}"#).text.contains("text"))

            let template = """
                {"name":"water","inputs":[{"name":"what","type":"string","required":true,"example":"plants"}],
                "message":{"title":"Water the {{what}}"}}
                """
            let made = try await gateway.post("/api/v1/notifications/definitions", template)
            #expect(made.status == 201, "\(made.text)")
            #expect(try await gateway.post("/api/v1/notifications/definitions", template).status == 409)
            let id = try #require(made.object["id"] as? String)
            let preview = try await gateway.post("/api/v1/notifications/definitions/\(id)/preview", "")
            #expect(preview.text.contains("Water the plants"), "\(preview.text)")
            let sent = try await gateway.post("/api/v1/notifications/water", #"{"inputs":{"what":"roses"}}"#)
            #expect(sent.status == 202, "\(sent.text)")
            #expect(try await gateway.post("/api/v1/notifications/water", "{}").text.contains("inputs.what"))
            #expect(try await gateway.post("/api/v1/notifications/none", "{}").status == 404)
            #expect(try await gateway.request("DELETE", "/api/v1/notifications/definitions/\(id)").status == 204)

            let ntfy = try await gateway.request(
                "POST", "/ntfy/alerts", "Disk is full",
                headers: [
                    (name: "Title", value: "Server"), (name: "Priority", value: "high"),
                    (name: "Tags", value: "warning"),
                ])
            #expect(ntfy.status == 200 && ntfy.object["topic"] as? String == "alerts", "\(ntfy.text)")
            #expect(ntfy.object["title"] as? String == "Server")
            let json = try await gateway.post("/ntfy", #"{"topic":"alerts","message":"hi","priority":4}"#)
            #expect(json.status == 200, "\(json.text)")
            #expect(try await gateway.post("/ntfy", #"{"message":"hi"}"#).status == 400)
            let log = try await gateway.request("GET", "/api/v1/log?topic=alerts&device=\(phone.id)")
            #expect(log.objects("log").count == 2 && log.objects("log")[0]["source"] as? String == "ntfy")
        }
    }

    @Test func `ntfy's own paths are topics by a setting, except those of other routes`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            let tab = try await Self.tab(gateway)
            for method in ["POST", "PUT"] {
                let sent = try await gateway.request(
                    method, "/alerts?priority=high", "Disk is full", headers: [(name: "Title", value: "Server")])
                #expect(sent.status == 200 && sent.object["topic"] as? String == "alerts", "\(sent.text)")
            }
            let log = try await gateway.request("GET", "/api/v1/log?topic=alerts&device=\(tab.id)")
            #expect(log.objects("log").map { $0["title"] as? String } == ["Server", "Server"])
            for (method, path, status) in [
                ("PUT", "/mcp", 405), ("POST", "/metrics", 405), ("POST", "/openapi.yaml", 405),
                ("POST", "/api", 404), ("POST", "/v1", 404), ("POST", "/App", 404), ("POST", "/none.png", 404),
                ("POST", "/a/b", 404), ("GET", "/alerts", 404), ("DELETE", "/alerts", 404),
                ("POST", "/\(String(repeating: "a", count: 65))", 404), ("POST", "/", 400), ("PUT", "/", 405),
                ("POST", "/ws", 405),
            ] {
                let reply = try await gateway.request(method, path, "text")
                #expect(reply.status == status, "\(method) \(path): \(reply.status) \(reply.text)")
            }
            // ntfy's JSON form is at the root, too, whose GET is Ollama's.
            let json = try await gateway.post(
                "/",
                #"{"topic":"alerts","message":"hi","tags":["tada"],"priority":5,"click":"https://e.de","delay":"1h"}"#)
            #expect(json.status == 200 && json.object["topic"] as? String == "alerts", "\(json.text)")
            #expect(
                try await gateway.request("GET", "/api/v1/log?topic=alerts&device=\(tab.id)").objects("log").count == 3)
            #expect(try await gateway.request("GET", "/").text == "Ollama is running")
            // No route begins with a word that would be published by mistake.
            let words = Set(
                gateway.application.router().routes.compactMap { $0.path.split(separator: "/").first }.map(String.init))
            #expect(
                words.filter { !$0.hasPrefix(":") && PushOrder.isTopic($0) }.subtracting(PathSuggestion.reserved)
                    == [])
        }
    }

    @Test func `a stream replays from an id, without a gap and without a repeat`() async throws {
        try await LiveGateway.with { gateway in
            let tab = try await Self.tab(gateway)
            var ids: [String] = []
            for number in 0..<3 {
                let stored = try Self.decode(
                    PushNotification.self,
                    try await gateway.post("/api/v1/messages", #"{"message":{"title":"n\#(number)"}}"#))
                try await Self.wait(gateway, stored.id, "sent")
                ids.append(stored.id)
            }
            let all = try await Self.events(gateway, tab, after: "0", until: 3)
            #expect(all.map(\.event.notification) == ids && all.allSatisfy { $0.name == "notification" })
            #expect(all.allSatisfy { $0.event.message != nil && $0.event.device == tab.id })
            let rest = try await Self.events(gateway, tab, after: "\(all[0].event.id)", until: 2)
            #expect(rest.map(\.event.notification) == Array(ids.dropFirst()))

            let reset = try await Self.stream(gateway, "/api/v1/stream?device=\(tab.id)&since=999999") {
                $0.contains("event: reset")
            }
            #expect(reset.contains("event: reset"))
            #expect(try await gateway.request("GET", "/api/v1/stream?device=none").status == 404)
        }
    }

    @Test(.slow) func `what another process stores reaches the open streams, each once`() async throws {
        try await LiveGateway.with { gateway in
            let tab = try await Self.tab(gateway)
            let sent = try Self.decode(
                PushNotification.self, try await gateway.post("/api/v1/messages", #"{"message":{"title":"one"}}"#))
            try await Self.wait(gateway, sent.id, "sent")
            let path = "/api/v1/stream?device=\(tab.id)&since=0"
            var isWritten = false
            let readers = [try await gateway.open("GET", path), try await gateway.open("GET", path)]
            var texts: [String] = []
            for reader in readers {
                var (text, count) = ("", 0)
                for try await chunk in reader.body {
                    text += String(decoding: chunk.readableBytesView, as: UTF8.self)
                    count = text.components(separatedBy: "event: notification").count - 1
                    if count == 1, !isWritten {
                        isWritten = true
                        try await gateway.execute(
                            """
                            INSERT INTO gateway_push_events (at, kind, device_id, message_id, delivery_id, detail)
                            SELECT at, kind, device_id, message_id, delivery_id, detail FROM gateway_push_events
                            WHERE kind = 'sent' LIMIT 1
                            """)
                    }
                    if count > 1, text.hasSuffix("\n\n") { break }
                }
                texts.append(text)
            }
            #expect(texts.allSatisfy { $0.components(separatedBy: "event: notification").count == 3 }, "\(texts)")
        }
    }

    private static func events(
        _ gateway: LiveGateway, _ device: PushDevice, after id: String, until count: Int
    ) async throws -> [(name: String, event: PushEvent)] {
        let text = try await stream(gateway, "/api/v1/stream?device=\(device.id)&since=\(id)") {
            $0.components(separatedBy: "\ndata: ").count > count && $0.hasSuffix("\n\n")
        }
        return try text.components(separatedBy: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n").map(String.init)
            guard let name = lines.first(where: { $0.hasPrefix("event: ") })?.dropFirst(7),
                let data = lines.first(where: { $0.hasPrefix("data: ") })?.dropFirst(6)
            else { return nil }
            return (String(name), try JSONDecoder().decode(PushEvent.self, from: Data(data.utf8)))
        }
    }

    /// Reads a stream until its text is enough.
    private static func stream(
        _ gateway: LiveGateway, _ path: String, until isEnough: (String) -> Bool
    ) async throws -> String {
        let response = try await gateway.open("GET", path)
        guard response.status == 200 else {
            throw LiveGateway.UnexpectedStatus(description: "\(path): \(response.status)")
        }
        var text = ""
        for try await chunk in response.body {
            text += String(decoding: chunk.readableBytesView, as: UTF8.self)
            if isEnough(text) { break }
        }
        return text
    }

    @Test func `schedules show their next times, before and after they are stored`() async throws {
        try await LiveGateway.with { gateway in
            let body = #"{"name":"water","cron":"30 7 * * mon","zone":"Europe/Berlin","message":{"title":"water"}}"#
            let preview = try Self.decode(
                PushSchedulePreview.self, try await gateway.post("/api/v1/schedules/preview", body))
            #expect(preview.next.count == 5 && preview.next.allSatisfy { $0.local.hasSuffix("T07:30:00") })
            let made = try await gateway.post("/api/v1/schedules", body)
            #expect(made.status == 201, "\(made.text)")
            let schedule = try Self.decode(PushSchedule.self, made)
            #expect(schedule.next == preview.next && schedule.enabled && schedule.zoneData == preview.zoneData)
            let list = try Self.decode(PushScheduleList.self, try await gateway.request("GET", "/api/v1/schedules"))
            #expect(list.schedules.map(\.id) == [schedule.id])
            for (wrong, field) in [
                (#"{"name":"a","cron":"x","message":{"title":"a"}}"#, "cron"),
                (#"{"name":"a","at":"2020-01-01T00:00","message":{"title":"a"}}"#, "at"),
                (#"{"name":"a","cron":"* * * * *","zone":"Mars","message":{"title":"a"}}"#, "zone"),
                (#"{"name":"a","cron":"* * * * *","catchUp":"some","message":{"title":"a"}}"#, "catchUp"),
                (#"{"name":"a","rrule":"FREQ=DAILY","message":{"title":"a"}}"#, "start"),
            ] {
                let reply = try await gateway.post("/api/v1/schedules", wrong)
                #expect(reply.status == 400 && reply.text.contains("\\\"\(field)\\\""), "\(wrong): \(reply.text)")
            }
            #expect(try await gateway.request("DELETE", "/api/v1/schedules/\(schedule.id)").status == 204)
            #expect(try await gateway.request("GET", "/api/v1/schedules/\(schedule.id)").status == 404)
        }
    }

    @Test func `actions, triggers and keys are kept, and secrets are never shown`() async throws {
        try await LiveGateway.with { gateway in
            let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            let made = try await gateway.post(
                "/api/v1/actions",
                #"{"name":"lights","webhookUrl":"https://example.com/x","webhookSecret":"\#(secret)"}"#)
            #expect(made.status == 201 && !made.text.contains(secret), "\(made.text)")
            #expect(try await gateway.post("/api/v1/execute", #"{"shortcut":"Home"}"#).text.contains("device"))
            let run = try await gateway.post("/api/v1/execute", #"{"action":"lights","input":"on","delay":3600}"#)
            #expect(run.status == 202, "\(run.text)")
            let id = try #require(run.object["id"] as? String)
            let cancelled = try await gateway.request("DELETE", "/api/v1/execute/\(id)")
            #expect(cancelled.object["status"] as? String == "recalled")
            // The address of an action is no device of a list.
            #expect(try await gateway.request("GET", "/api/v1/devices").objects("devices").isEmpty)
            let private_ = try await gateway.post(
                "/api/v1/actions", #"{"name":"x","webhookUrl":"https://192.168.1.1/"}"#)
            #expect(private_.status == 400 && private_.text.contains("webhookUrl"))

            let triggers = try await gateway.request(
                "PUT", "/api/v1/triggers", #"{"triggers":{"jobDone":{"enabled":true,"topic":"jobs"}}}"#)
            let all = try Self.decode(PushTriggers.self, triggers)
            #expect(all.triggers["jobDone"]?.enabled == true && all.triggers["jobFailed"]?.enabled == true)
            #expect(
                try await gateway.request("PUT", "/api/v1/triggers", #"{"triggers":{"x":{"enabled":true}}}"#).status
                    == 400)
            let apns = try await gateway.request("GET", "/api/v1/config/apns")
            #expect(apns.object["configured"] as? Bool == false)
            #expect(try await gateway.post("/api/v1/config/apns/test", "").status == 409)
            let first = try await gateway.request("POST", "/api/v1/api-keys", #"{"name":"first"}"#)
            #expect(first.status == 409 && first.code == "no_keys", "\(first.text)")
        }
    }

    @Test func `a key sees and changes only what is its own`() async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "a", grant: .everything)
            let one = try await gateway.store.keys.create(name: "one", grant: KeyGrant(scopes: [.pushSend]))
            let two = try await gateway.store.keys.create(name: "two", grant: KeyGrant(scopes: [.pushSend]))
            let notes = try await gateway.store.keys.create(name: "notes", grant: KeyGrant(scopes: [.notesRead]))
            try await gateway.waitForKeys()
            let made = try await gateway.post(
                "/api/v1/devices", #"{"name":"one's","stream":true}"#, token: one.secret)
            let device = try Self.decode(PushDevice.self, made)
            let stored = try Self.decode(
                PushNotification.self,
                try await gateway.post("/api/v1/messages", #"{"message":{"title":"a"}}"#, token: one.secret))
            func status(_ method: String, _ path: String, _ key: NewKey, _ body: String? = nil) async throws -> Int {
                try await gateway.request(
                    method, path, body, headers: [(name: "Authorization", value: "Bearer \(key.secret)")]
                ).status
            }
            #expect(try await status("GET", "/api/v1/messages/\(stored.id)", one) == 200)
            #expect(try await status("GET", "/api/v1/messages/\(stored.id)", two) == 403)
            #expect(try await status("DELETE", "/api/v1/messages/\(stored.id)", two) == 403)
            #expect(try await status("PUT", "/api/v1/devices/\(device.id)", two, #"{"name":"mine"}"#) == 403)
            #expect(try await status("GET", "/api/v1/stream?device=\(device.id)", two) == 403)
            #expect(try await status("GET", "/api/v1/deliveries/\(stored.deliveries[0].id)/explain", two) == 403)
            #expect(try await status("GET", "/api/v1/log", one) == 403)
            #expect(try await status("GET", "/api/v1/log", admin) == 200)
            #expect(try await status("GET", "/api/v1/devices", notes) == 403)
            #expect(try await status("DELETE", "/api/v1/devices/\(device.id)", one) == 204)

            let key = try await gateway.request(
                "POST", "/api/v1/api-keys", #"{"name":"script"}"#,
                headers: [(name: "Authorization", value: "Bearer \(admin.secret)")])
            #expect(key.status == 201 && (key.object["key"] as? String)?.hasPrefix("slk_") == true, "\(key.text)")
            #expect(key.object["permissions"] as? [String] == ["push:send"])
            #expect(try await status("GET", "/api/v1/api-keys", one) == 403)
        }
    }
}
