import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing
import Transport

/// Topics read as ntfy's clients read them: their requests, replayed over sockets.
@Suite(.serialized) struct PushTopics {
    private typealias Headers = [(name: String, value: String)]

    private static func publish(
        _ gateway: LiveGateway, _ topic: String, _ text: String, _ headers: Headers = []
    ) async throws -> String {
        let sent = try await gateway.request("POST", "/ntfy/\(topic)", text, headers: headers)
        #expect(sent.status == 200, "\(sent.text)")
        let id = try #require(sent.object["id"] as? String)
        try await waitUntil {
            let status = try await gateway.request("GET", "/api/v1/messages/\(id)", headers: headers)
            return status.object["status"] as? String == "sent"
        }
        return id
    }

    /// The lines of a poll.
    private static func poll(
        _ gateway: LiveGateway, _ path: String, _ headers: Headers = []
    ) async throws -> [[String: Any]] {
        let reply = try await gateway.request("GET", path, headers: headers)
        #expect(reply.status == 200, "\(path): \(reply.text)")
        return try reply.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private static func texts(_ events: [[String: Any]]) -> [String] { events.map { $0["message"] as? String ?? "" } }

    /// Reads a stream until its text is enough.
    private static func read(
        _ gateway: LiveGateway, _ path: String, _ headers: Headers = [], until isEnough: (String) async throws -> Bool
    ) async throws -> (type: String, text: String) {
        let response = try await gateway.open("GET", path, headers: headers)
        #expect(response.status == 200, "\(path)")
        var text = ""
        for try await chunk in response.body {
            text += String(decoding: chunk.readableBytesView, as: UTF8.self)
            if try await isEnough(text) { break }
        }
        return (response.head["content-type"] ?? "", text)
    }

    @Test func `a poll has what was published, in ntfy's form, from where the client asks`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            // The first reader registers the device that all readers share, or the first message.
            #expect(try await Self.poll(gateway, "/ntfy/alerts/json?poll=1").isEmpty)
            let first = try await Self.publish(
                gateway, "alerts", "Disk is full",
                [
                    ("Title", "Server"), ("Priority", "urgent"), ("Tags", "warning,attic"), ("Click", "https://e.de/x"),
                    (
                        "Actions",
                        "view, Open, https://e.de/y, clear=true; http, Stop, https://e.de/z, method=PUT, body=a"
                    ),
                    ("Markdown", "yes"), ("Attach", "https://e.de/log.txt"), ("Icon", "https://e.de/i.png"),
                ])
            let second = try await Self.publish(gateway, "alerts", "line one\nline two")
            _ = try await Self.publish(gateway, "backups", "done", [("Tags", "tada")])

            let all = try await Self.poll(gateway, "/alerts,backups/json?poll=1")
            #expect(Self.texts(all) == ["Disk is full", "line one\nline two", "done"])
            #expect(all.allSatisfy { $0["event"] as? String == "message" })
            let event = all[0]
            #expect(event["id"] as? String == first && event["sequence_id"] as? String == first)
            #expect(event["topic"] as? String == "alerts" && event["title"] as? String == "Server")
            #expect(event["priority"] as? Int == 5 && event["tags"] as? [String] == ["warning", "attic"])
            #expect(event["click"] as? String == "https://e.de/x" && event["icon"] as? String == "https://e.de/i.png")
            #expect(event["content_type"] as? String == "text/markdown")
            #expect((event["attachment"] as? [String: Any])?["url"] as? String == "https://e.de/log.txt")
            let age = Int(Date.now.timeIntervalSince1970) - (event["time"] as? Int ?? 0)
            #expect((0...60).contains(age))
            let actions = try #require(event["actions"] as? [[String: Any]])
            #expect(actions.map { $0["action"] as? String } == ["view", "http"])
            #expect(actions[0]["clear"] as? Bool == true && actions[0]["label"] as? String == "Open")
            #expect(actions[1]["method"] as? String == "PUT" && actions[1]["body"] as? String == "a")
            #expect(all[1]["priority"] == nil && all[1]["tags"] == nil && all[1]["title"] == nil)

            for (query, wanted) in [
                ("since=\(first)", ["line one\nline two"]), ("since=\(second)", []), ("since=all", ["", ""]),
                ("since=latest", ["line one\nline two"]), ("since=10m", ["", ""]), ("since=0", ["", ""]),
                ("since=none", []), ("since=4000000000", []), ("since=unknown", ["", ""]), ("priority=max", [""]),
                ("priority=high,low", []), ("tags=attic", [""]), ("tags=attic,none", []), ("title=Server", [""]),
                ("id=\(second)", ["line one\nline two"]), ("m=Disk%20is%20full", [""]),
            ] as [(String, [String])] {
                let found = Self.texts(try await Self.poll(gateway, "/ntfy/alerts/json?poll=1&\(query)"))
                #expect(found.count == wanted.count, "\(query): \(found)")
                if wanted.first?.isEmpty == false { #expect(found == wanted, "\(query)") }
            }
            let fields: Headers = [("X-Poll", "1"), ("X-Since", first), ("Priority", "u=3, i")]
            #expect(Self.texts(try await Self.poll(gateway, "/ntfy/alerts/json", fields)) == ["line one\nline two"])
            for (path, status) in [
                ("/ntfy/a%20b/json", 400), ("/ntfy/\(String(repeating: "a", count: 65))/json", 400),
                ("/ntfy/alerts/json?since=%25", 400), ("/ntfy/alerts/json?priority=loud", 400), ("/app/json", 404),
                ("/metrics/sse", 404), ("/ntfy/alerts/xml", 404), ("/ntfy/alerts/ws", 426),
                ("/ntfy/alerts/auth", 200),
                ("/ntfy/\((0...32).map(String.init).joined(separator: ","))/json", 400),
            ] {
                let reply = try await gateway.request("GET", path)
                #expect(reply.status == status, "\(path): \(reply.status) \(reply.text)")
            }
        }
    }

    @Test func `who reads a topic later gets what was published before, without any other device`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            let sent = try await gateway.request("POST", "/alerts", "Disk is full", headers: [("Tags", "warning")])
            #expect(sent.status == 200, "\(sent.text)")
            let id = try #require(sent.object["id"] as? String)
            // The answer is the message as readers get it.
            #expect(
                sent.object["message"] as? String == "Disk is full" && sent.object["tags"] as? [String] == ["warning"])
            #expect(sent.object["sequence_id"] as? String == id)
            try await waitUntil {
                try await Self.poll(gateway, "/alerts/json?poll=1").map { $0["id"] as? String } == [id]
            }
        }
    }

    @Test func `scheduled messages are read before they are sent, when the client asks`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            let now = Int(Date.now.timeIntervalSince1970)
            for (name, delay) in [("Delay", "3h"), ("At", "\(now + 7200)"), ("X-In", "1 hour")] {
                let sent = try await gateway.request("POST", "/alerts", name, headers: [(name, delay)])
                #expect(sent.status == 200, "\(sent.text)")
                let ahead = (sent.object["time"] as? Int ?? 0) - now
                #expect((3590...10_810).contains(ahead), "\(name): \(ahead)")
            }
            let now1 = try await Self.publish(gateway, "alerts", "now")
            let taken = try await gateway.request("POST", "/alerts", "taken back", headers: [("Delay", "2h")])
            let gone = try #require(taken.object["id"] as? String)
            #expect(try await gateway.request("DELETE", "/api/v1/messages/\(gone)").status == 200)
            _ = try await gateway.request("POST", "/other", "elsewhere", headers: [("Delay", "2h")])

            // A recall is an event, too.
            func messages(_ query: String) async throws -> [[String: Any]] {
                try await Self.poll(gateway, "/alerts/json?\(query)").filter { $0["event"] as? String == "message" }
            }
            #expect(Self.texts(try await messages("poll=1")) == ["now"])
            for query in ["poll=1&scheduled=1", "poll=1&sched=yes", "poll=1&since=\(now1)&scheduled=true"] {
                let events = try await Self.poll(gateway, "/ntfy/alerts/json?\(query)")
                let waiting = events.filter { ($0["time"] as? Int ?? 0) > now + 60 }
                #expect(Self.texts(waiting) == ["X-In", "At", "Delay"], "\(query)")
            }
            #expect(try await Self.poll(gateway, "/alerts/json?poll=1&since=none&scheduled=1").isEmpty)
            #expect(Self.texts(try await messages("poll=1&scheduled=1&message=At")) == ["At"])
            // A stream has them behind the stored ones.
            let (_, text) = try await Self.read(gateway, "/alerts/json?since=all&scheduled=1") { $0.contains("Delay") }
            #expect(text.contains("\"event\":\"open\"") && text.contains("X-In"))
            for wrong in ["5s", "400d", "yesterday", "-1", "99999999999999999999"] {
                let reply = try await gateway.request("POST", "/alerts", "x", headers: [("Delay", wrong)])
                #expect(reply.status == 400 && reply.text.contains("delay"), "\(wrong): \(reply.text)")
            }
        }
    }

    @Test(.slow) func `streams begin with open, and go on with what is published, each form in its own way`()
        async throws
    {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            for form in ["json", "sse", "raw"] {
                var isPublished = false
                let (type, text) = try await Self.read(gateway, "/tides/\(form)") { text in
                    if !isPublished, text.contains("\n") {
                        isPublished = true
                        _ = try await Self.publish(gateway, "land", "not here")
                        _ = try await Self.publish(gateway, "tides", "High\nwater")
                    }
                    return text.contains("water")
                }
                switch form {
                case "json":
                    #expect(type.hasPrefix("application/x-ndjson"))
                    let lines = try text.split(separator: "\n").map {
                        try JSONDecoder().decode(PushTopicEvent.self, from: Data($0.utf8))
                    }
                    #expect(lines.map(\.event) == ["open", "message"] && lines[0].topic == "tides")
                    #expect(lines[1].message == "High\nwater")
                case "sse":
                    #expect(type.hasPrefix("text/event-stream") && text.hasPrefix("event: open\ndata: {"))
                    let blocks = text.components(separatedBy: "\n\n")
                    #expect(blocks.count == 3 && blocks[1].hasPrefix(#"data: {"event":"message","id":""#), "\(text)")
                default: #expect(type.hasPrefix("text/plain") && text == "\nHigh water\n")
                }
                #expect(!text.contains("not here"))
            }
        }
    }

    @Test func `an update replaces, a recall removes, and what names other devices stays out`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            _ = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
            _ = try await Self.poll(gateway, "/ntfy/sea/json?poll=1")
            let id = try await Self.publish(gateway, "sea", "ebb")
            _ = try await gateway.post(
                "/api/v1/messages", #"{"message":{"title":"private"},"topic":"sea","devices":["tab"]}"#)
            _ = try await gateway.request("PATCH", "/api/v1/messages/\(id)", #"{"message":{"body":"flood"}}"#)
            try await waitUntil { try await Self.poll(gateway, "/sea/json?poll=1").count == 2 }
            _ = try await gateway.request("DELETE", "/api/v1/messages/\(id)")
            var events: [[String: Any]] = []
            try await waitUntil {
                events = try await Self.poll(gateway, "/sea/json?poll=1")
                return events.count == 3
            }
            #expect(Set(events.prefix(2).map { $0["id"] as? String }) == [id])
            #expect(events[2]["event"] as? String == "message_delete" && events[2]["sequence_id"] as? String == id)
            let devices = try await gateway.request("GET", "/api/v1/devices").objects("devices")
            #expect(devices.map { $0["name"] as? String } == ["tab", "ntfy"])
        }
    }

    @Test(.slow) func `a WebSocket gets the events, with the key in a header or in the address`() async throws {
        try await LiveGateway.with(settings: ["push_ntfy_root": "true"]) { gateway in
            let reader = try await gateway.store.keys.create(name: "r", grant: KeyGrant(scopes: [.pushSend]))
            let writer = try await gateway.store.keys.create(
                name: "w", grant: KeyGrant(scopes: [.pushSend(topic: "sea")]))
            try await gateway.waitForKeys()
            func basic(_ secret: String) -> String { Data("anyone:\(secret)".utf8).base64EncodedString() }
            let bearer = Data("Bearer \(reader.secret)".utf8).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let upgrade = [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            let sockets = [
                try await RawWebSocket(
                    port: gateway.port, path: "/sea,land/ws",
                    headers: upgrade + ["Authorization: Basic \(basic(reader.secret))"]),
                try await RawWebSocket(port: gateway.port, path: "/ntfy/sea/ws?auth=\(bearer)"),
            ]
            for socket in sockets {
                #expect(socket.head.hasPrefix("HTTP/1.1 101 "), "\(socket.head)")
                #expect(try await socket.json()["event"] as? String == "open")
            }
            let sent = try await gateway.request(
                "PUT", "/sea", "High water", headers: [(name: "Authorization", value: "Basic \(basic(writer.secret))")])
            #expect(sent.status == 200, "\(sent.text)")
            for socket in sockets {
                let event = try await socket.json()
                #expect(
                    event["message"] as? String == "High water"
                        && event["id"] as? String == sent.object["id"] as? String)
                socket.close()
            }
            // A key that may only send does not read, and nobody reads without a key.
            for headers in [["Authorization: Bearer \(writer.secret)"], []] {
                let socket = try await RawWebSocket(port: gateway.port, path: "/sea/ws", headers: upgrade + headers)
                guard case .close(let code, _) = await socket.next() else {
                    Issue.record("expected a close")
                    continue
                }
                #expect(code == 1008)
            }
            func status(_ path: String, _ header: String?) async throws -> Int {
                try await gateway.request("GET", path, headers: header.map { [("Authorization", $0)] } ?? []).status
            }
            for path in ["/sea/json?poll=1", "/ntfy/sea/sse?poll=1", "/sea/auth"] {
                #expect(try await status(path, nil) == 401, "\(path)")
                #expect(try await status(path, "Bearer \(writer.secret)") == 403, "\(path)")
                #expect(try await status(path, "Basic \(basic(reader.secret))") == 200, "\(path)")
                #expect(
                    try await status(path + (path.contains("?") ? "&" : "?") + "auth=\(bearer)", nil) == 200, "\(path)")
            }
            // A password counts on every route, and a key in the query for readers of ntfy only.
            #expect(try await status("/api/v1/devices", "Basic \(basic(reader.secret))") != 401)
            #expect(try await status("/api/v1/devices?auth=\(bearer)", nil) == 401)
            for auth in ["%%%", "", "QmVhcmVy", String(repeating: "A", count: 9000)] {
                #expect(
                    [401, 403].contains(try await status("/sea/json?poll=1&auth=\(auth)", nil)), "\(auth.prefix(9))")
            }
        }
    }
}
