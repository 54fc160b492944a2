import FakeAPNs
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import PushRoom
import Storage
import TestSupport
import Testing

/// `selene push` as processes, against a gateway on a socket.
@Suite(.serialized) struct PushCommands {
    private func with(_ body: (ConnectedClient, RemotePushService) async throws -> Void) async throws {
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            try await body(setting, RemotePushService(try setting.connection()))
        }
    }

    private func push(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(["push"] + arguments, setting, input: input, ["TZ": "UTC"])
    }

    @Test(.slow) func `a message is sent, waited for, listed and explained`() async throws {
        try await with { setting, service in
            let nobody = try await push(["send", "hello"], setting)
            #expect(nobody.status == 1 && nobody.errors.contains("no device"), "\(nobody.errors)")
            let added = try await push(["devices", "add", "desk", "--stream"], setting)
            #expect(added.status == 0 && added.output.hasPrefix("added \"desk\"  "), "\(added.errors)")
            #expect(added.errors.contains("prt_"))

            let sent = try await push(
                ["send", "High water at 18:40", "--title", "Tide", "--topic", "sea", "--wait"], setting)
            #expect(sent.status == 0 && sent.output.hasPrefix("sent  "), "\(sent.output)\(sent.errors)")
            let log = try await push(["log", "--topic", "sea", "--device", "desk", "--status", "sent"], setting)
            #expect(log.output.contains("sent  desk  sea  Tide"), "\(log.output)\(log.errors)")
            #expect(
                try await push(["log", "--search", "HIGH water"], setting).output.contains("sent  desk  sea  Tide"))
            #expect(try await push(["log", "--search", "low water"], setting).output.hasPrefix("Nothing was sent."))
            let line = try #require(try await service.log(topic: "sea").log.first)
            let explained = try await push(["explain", String(line.id.prefix(8))], setting)
            #expect(explained.status == 0 && explained.output.hasPrefix("sent · Tide · desk\nSent at "))
            #expect(explained.output.contains("quiet hours: passes"), "\(explained.output)")
            let whole = try await push(["explain", line.notification, "--json"], setting)
            let read = try JSONDecoder().decode([PushExplanation].self, from: Data(whole.output.utf8))
            #expect(read.map(\.delivery.id) == [line.id])

            let piped = try await push(["send", "-", "--json"], setting, input: "the last line\n")
            let stored = try JSONDecoder().decode(PushNotification.self, from: Data(piped.output.utf8))
            #expect(stored.topic == "default")
            #expect(try await push(["devices"], setting).output.hasPrefix("desk  stream"))
            #expect(try await push(["devices", "remove", "desk"], setting).output == "removed \"desk\"\n")
            #expect(try await service.devices().devices.isEmpty)
        }
    }

    @Test func `what a rule holds ends the wait with 2 and says until when`() async throws {
        try await with { setting, service in
            var device = PushDeviceRequest(name: "phone")
            device.stream = true
            var rules = PushDeviceSettings()
            // All days but the one in three days, since a week needs a minute in which to send.
            let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
            let later = Calendar(identifier: .gregorian).component(
                .weekday, from: Date(timeIntervalSinceNow: 3 * 86_400))
            let silent = days.enumerated().filter { $0.offset != later - 1 }.map(\.element)
            rules.quietHours = .init(windows: [.init(start: "00:00", end: "24:00", weekdays: silent)])
            device.settings = rules
            _ = try await service.register(device)
            let held = try await push(["send", "shh", "--wait"], setting)
            #expect(held.status == 2 && held.output.hasPrefix("queued  "), "\(held.output)\(held.errors)")
            let id = try #require(held.errors.split(separator: " ").last?.filter { !$0.isNewline })
            let explained = try await push(["explain", String(id)], setting)
            #expect(explained.output.contains("next look: ") && explained.output.contains("quiet hours: decides"))
            #expect(try await push(["devices"], setting).output.contains("quiet 00:00–24:00"))
        }
    }

    @Test(.slow) func `templates are stored, replaced, previewed and sent with typed inputs`() async throws {
        try await with { setting, service in
            _ = try await push(["devices", "add", "desk", "--stream"], setting)
            let template = """
                {"name":"water","inputs":[{"name":"what","type":"string","required":true,"example":"plants"},
                {"name":"liters","type":"number","example":2}],"message":{"title":"Water the {{what}}","badge":"{{liters}}"}}
                """
            let added = try await push(["templates", "add", "-"], setting, input: template)
            #expect(added.status == 0 && added.output == "added \"water\"\n", "\(added.errors)")
            let again = try await push(["templates", "add", "-"], setting, input: template)
            #expect(again.output == "replaced \"water\"\n")
            let list = try await push(["templates"], setting)
            #expect(list.output.hasPrefix("water  what (string, required), liters (number)  "), "\(list.output)")
            let preview = try await push(
                ["templates", "preview", "water", "--input", "what=herbs", "--input", "liters=3"], setting)
            #expect(preview.output == "badge  3\ntitle  Water the herbs\n", "\(preview.output)\(preview.errors)")
            let sent = try await push(
                ["send", "--template", "water", "--input", "what=basil", "--input", "liters=1", "--wait"], setting)
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try await service.log().log.first?.title == "Water the basil")
            for (arguments, words) in [
                (["--input", "where=x"], "the template has no input \"where\""), (["--input", "liters=x"], "a number"),
            ] {
                let wrong = try await push(["send", "--template", "water"] + arguments, setting)
                #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong.errors)")
            }
            #expect(try await push(["templates", "remove", "water"], setting).status == 0)
            #expect(try await push(["templates", "remove", "water"], setting).status == 64)
        }
    }

    @Test(.slow) func `schedules are previewed, stored, stopped and removed`() async throws {
        try await with { setting, service in
            _ = try await push(["devices", "add", "desk", "--stream"], setting)
            let preview = try await push(
                ["schedules", "add", "x", "--cron", "30 7 * * 1-5", "--zone", "Europe/Berlin", "--preview"], setting)
            #expect(preview.output.split(separator: "\n").count == 5, "\(preview.output)\(preview.errors)")
            #expect(preview.output.contains("T07:30") && preview.output.contains("Europe/Berlin"))
            #expect(try await service.schedules().schedules.isEmpty)
            let added = try await push(
                ["schedules", "add", "tide", "--cron", "0 18 * * *", "--text", "High water", "--topic", "sea"], setting)
            #expect(added.status == 0 && added.output.hasPrefix("added \"tide\""), "\(added.errors)")
            #expect(try await push(["schedules", "stop", "tide"], setting).output == "stopped \"tide\"\n")
            #expect(try await push(["schedules"], setting).output.contains("stopped"))
            #expect(try await push(["schedules", "start", "tide"], setting).status == 0)
            #expect(try await service.schedules().schedules.first?.enabled == true)
            #expect(try await push(["schedules", "remove", "tide"], setting).status == 0)
            let wrong = try await push(["schedules", "add", "x", "--cron", "61 * * * *", "--text", "y"], setting)
            #expect(wrong.status == 1 && wrong.errors.contains("cron"), "\(wrong.errors)")
        }
    }

    @Test(.slow) func `a failed delivery is tried again or discarded`() async throws {
        try await with { setting, service in
            _ = try await push(["devices", "add", "desk", "--stream"], setting)
            let sent = try await push(["send", "hello", "--wait", "--json"], setting)
            let stored = try JSONDecoder().decode(PushNotification.self, from: Data(sent.output.utf8))
            let id = try #require(stored.deliveries.first?.id)
            let early = try await push(["explain", id, "--discard"], setting)
            #expect(early.status == 1 && early.errors.contains("only a failed delivery"), "\(early.errors)")
            let fail = "UPDATE gateway_push_deliveries SET state = 5, reason = '410 Gone'"
            try await setting.gateway.execute(fail)
            let again = try await push(["explain", id, "--retry"], setting)
            #expect(again.status == 0, "\(again.errors)")
            try await waitUntil { try await service.explain(id).delivery.status == "sent" }
            try await setting.gateway.execute(fail)
            let discarded = try await push(["explain", String(id.prefix(13)), "--discard"], setting)
            #expect(
                discarded.status == 0 && discarded.output.hasPrefix("dropped"), "\(discarded.output)\(discarded.errors)"
            )
            #expect(try await push(["log", "--status", "failed"], setting).output.hasPrefix("Nothing was sent."))
            let line = try #require(try await service.log(status: "dropped").log.first)
            #expect(line.id == id && line.reason == "discarded by hand: 410 Gone")
        }
    }

    @Test(.slow) func `the key of APNs is set from its file, shown without it, and refused by name`() async throws {
        let folder = try TemporaryFolder()
        try await with { setting, service in
            let none = try await push(["apns"], setting)
            #expect(none.status == 0 && none.output.hasPrefix("not configured"), "\(none.output)\(none.errors)")
            let path = folder.path("AuthKey_ABC123DEFG.p8")
            let key = FakeAPNs.newKey()
            try Data(key.utf8).write(to: URL(filePath: path))
            let terms = ["--team-id", "TEAM123456", "--bundle-id", "com.example.app"]
            let set = try await push(["apns", "set", path] + terms, setting)
            #expect(
                set.status == 0
                    && set.output.hasPrefix(
                        "ready\nkey ABC123DEFG of team TEAM123456, bundle com.example.app, production"),
                "\(set.output)\(set.errors)")
            let secret = key.split(separator: "\n")[1]
            let shown = try await push(["apns", "show", "--json"], setting)
            let state = try JSONDecoder().decode(PushAPNsState.self, from: Data(shown.output.utf8))
            #expect(state.source == "request" && state.environment == "production" && !shown.output.contains(secret))
            // Without a file, the key stays.
            let moved = try await push(["apns", "set", "--key-id", "ABC123DEFG", "--sandbox"] + terms, setting)
            #expect(moved.output.contains("sandbox, by a request"), "\(moved.output)\(moved.errors)")
            for (arguments, status, words) in [
                (["apns", "set", folder.path("none.p8")] + terms, Int32(64), "cannot read a key"),
                (["apns", "set"] + terms, 64, "--key-id"),
                (["apns", "set", path, "--key-id", "short"] + terms, 1, "keyId"),
            ] {
                let wrong = try await push(arguments, setting)
                #expect(wrong.status == status && wrong.errors.contains(words), "\(wrong.status) \(wrong.errors)")
            }
            #expect(try await service.apns().environment == "sandbox")
        }
    }

    @Test(.slow) func `a picture is named by its address or read from a file`() async throws {
        let folder = try TemporaryFolder()
        let png = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
            ))
        try png.write(to: folder.url.appending(path: "dot.png"))
        try Data(count: (1 << 20) + 1).write(to: folder.url.appending(path: "large.png"))
        try await with { setting, service in
            _ = try await push(["devices", "add", "desk", "--stream"], setting)
            let sent = try await push(["send", "look", "--image", folder.path("dot.png"), "--wait"], setting)
            #expect(sent.status == 0, "\(sent.errors)")
            let stored = try await setting.database.push.log.page(PushLogFilter(), after: nil, limit: 1)
            let body = String(decoding: try #require(stored.items.first).message.body, as: UTF8.self)
            #expect(body.contains("picture:"), "\(body)")
            for (image, status, words) in [
                (folder.path("none.png"), Int32(64), "cannot read"),
                (folder.path("large.png"), 64, "more than 1048576"),
                ("https://10.0.0.1:99999/x.png", 1, "image"),
            ] {
                let wrong = try await push(["send", "look", "--image", image], setting)
                #expect(wrong.status == status && wrong.errors.contains(words), "\(wrong.status) \(wrong.errors)")
            }
        }
    }

    @Test(.slow) func `topics are read: what is stored, and what comes`() async throws {
        try await with { setting, service in
            let empty = try await push(["read", "sea", "--poll"], setting)
            #expect(empty.status == 0 && empty.output.isEmpty, "\(empty.errors)")
            for (title, topic) in [("Tide", "sea"), ("Cow", "land"), ("Ebb", "sea")] {
                let sent = try await push(["send", "now", "--title", title, "--topic", topic, "--wait"], setting)
                #expect(sent.status == 0, "\(sent.errors)")
            }
            let both = try await push(["read", "sea", "land", "--poll"], setting)
            #expect(
                both.output.components(separatedBy: "\n").map { $0.dropFirst(20) } == [
                    "  sea  Tide: now", "  land  Cow: now", "  sea  Ebb: now", "",
                ])
            let last = try await push(["read", "sea", "--poll", "--since", "latest", "--json"], setting)
            let event = try JSONDecoder().decode(PushTopicEvent.self, from: Data(last.output.utf8))
            #expect(event.title == "Ebb" && event.event == "message")
            var titles: [String] = []
            for try await event in try await service.events(of: ["sea"], since: "all") where event.event == "message" {
                titles.append(event.title ?? "")
                if titles.count == 2 {
                    _ = try await service.send(
                        PushSendRequest(message: .object(["title": .string("Flood")]), topic: "sea"))
                }
                if titles.count == 3 { break }
            }
            #expect(titles == ["Tide", "Ebb", ""])
            let wrong = try await push(["read", "a b", "--poll"], setting)
            #expect(wrong.status == 1 && wrong.errors.contains("topic"), "\(wrong.errors)")
        }
    }

    @Test(
        .slow,
        arguments: [
            (["send"], "expected a text"), (["send", "a", "--template", "b"], "expected a text with its fields"),
            (["send", "a", "--in", "-1"], "--in"), (["send", "a", "--at", "x", "--in", "1"], "one of --at and --in"),
            (["devices", "add", "a"], "--stream"), (["schedules", "add", "a", "--text", "b"], "one of --at"),
            (["log", "--limit", "0"], "--limit"), (["log", "--status", "lost"], "lost"),
            (["explain", "abc"], "4 letters"),
        ]) func `wrong usage is named`(arguments: [String], words: String) async throws
    {
        try await with { setting, _ in
            let wrong = try await push(arguments, setting)
            #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong.status) \(wrong.errors)")
        }
    }

    @Test(.slow) func `the doctor names what is wrong, and sends a test`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "selene-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let environment = [
            "HOME": home.path, "SELENE_DATABASE": home.appending(path: "none.sqlite").path,
            "SELENE_PUSH_VAPID_KEY": home.appending(path: "none.pem").path,
        ]
        try await with { setting, _ in
            _ = try await push(["devices", "add", "desk", "--stream"], setting)
            let found = try await ClientProcess.run(
                ["push", "doctor", "--offline", "--send", "desk"], setting, environment)
            #expect(found.status == 1, "\(found.errors)")
            #expect(found.output.contains("PROBLEM  Web Push key: "), "\(found.output)")
            #expect(found.output.contains("ok       test push: Sent at "), "\(found.output)")
            #expect(found.output.contains("ok       zone data: version "))
            #expect(found.output.hasSuffix("1 problem, 0 warnings\n"))
            let json = try await ClientProcess.run(
                ["push", "doctor", "--offline", "--json", "--send", "nobody"], setting, environment)
            #expect(json.status == 64 && json.errors.contains("there is no device \"nobody\""), "\(json.errors)")
        }
    }
}
