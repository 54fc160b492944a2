import Delivery
import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct NtfyPublishTests {
    static let now = Instant(seconds: 1_700_000_000)

    static func publish(
        _ headers: [String: String] = [:], query: [String: String] = [:], body: String = "", topic: String = "alerts"
    ) throws -> NtfyPublish {
        try NtfyPublish(
            topic: topic, headers: headers.map { ($0.key, $0.value) }, query: query.map { ($0.key, $0.value) },
            body: Array(body.utf8), now: now, zone: .utc)
    }

    @Test func `a text alone`() throws {
        let publish = try Self.publish(body: "Backup successful 😀\n")
        #expect(publish.topic == "alerts")
        #expect(publish.message.body == "Backup successful 😀")
        #expect(publish.message.priority == .normal)
        #expect(publish.message.thread == "alerts")
        #expect(publish.notBefore == nil)
    }

    @Test func `nothing at all is triggered`() throws {
        #expect(try Self.publish().message.body == "triggered")
    }

    @Test func `header fields`() throws {
        let publish = try Self.publish(
            [
                "Title": "Unauthorized access", "Priority": "urgent", "Tags": "warning, skull,",
                "Click": "https://e.de/x",
                "Attach": "https://e.de/cat.JPG?x=1", "Icon": "https://e.de/i.png", "Delay": "30m",
                "X-Sequence-ID": "s1", "Markdown": "yes", "Cache": "no", "Firebase": "no", "Authorization": "Bearer x",
            ], body: "Remote access")
        var message = PushMessage()
        message.title = "⚠️ 💀 Unauthorized access"
        message.body = "Remote access"
        message.sound = PushSound()
        message.image = "https://e.de/cat.JPG?x=1"
        message.thread = "alerts"
        message.interruption = .timeSensitive
        message.priority = .high
        message.collapseID = "s1"
        message.url = "https://e.de/x"
        message.tags = ["warning", "skull"]
        message.data = [
            "ntfy": .object([
                "icon": .string("https://e.de/i.png"), "markdown": .bool(true),
                "attachment": .object(["url": .string("https://e.de/cat.JPG?x=1"), "name": .string("cat.JPG")]),
            ])
        ]
        #expect(publish.message == message)
        #expect(publish.notBefore == Self.now.adding(seconds: 1800))
    }

    @Test(arguments: [
        ("t", "p", "ta", "m"), ("title", "prio", "tag", "message"), ("X-TITLE", "x-priority", "X-Tags", "X-Message"),
        ("Title", "Priority", "Tags", "Message"),
    ])
    func `names are short, long, with X and in any case`(title: String, priority: String, tags: String, text: String)
        throws
    {
        let fields = [title: "T", priority: "1", tags: "a", text: "x\\ny"]
        for publish in [try Self.publish(fields), try Self.publish(query: fields)] {
            #expect(publish.message.title == "T")
            #expect(publish.message.body == "x\ny")
            #expect(publish.message.priority == .minimum)
            #expect(publish.message.sound == nil)
            #expect(publish.message.tags == ["a"])
        }
    }

    @Test func `header fields count before the query`() throws {
        #expect(try Self.publish(["Title": "A"], query: ["title": "B"], body: "x").message.title == "A")
        #expect(try Self.publish(["Title": " "], query: ["title": "B"], body: "x").message.title == "B")
    }

    @Test(
        arguments: zip(
            ["1", "min", "2", "low", "3", "default", "4", "HIGH", "5", "max"],
            [.minimum, .minimum, .low, .low, .normal, .normal, .high, .high, .high, .high] as [DeliveryPriority]))
    func `priorities are numbers or names`(text: String, priority: DeliveryPriority) throws {
        #expect(try Self.publish(["p": text], body: "x").message.priority == priority)
    }

    @Test func `titles may be encoded words`() throws {
        #expect(try Self.publish(["Title": "=?UTF-8?B?w7xiZXI=?="], body: "x").message.title == "über")
    }

    @Test func `a JSON request`() throws {
        let text = """
            {"topic":"t","message":"M","title":"T","tags":["a","b"],"priority":4,"click":"https://e.de","delay":"1h",
            "actions":[{"action":"view","label":"Open","url":"https://e.de/o"},
            {"action":"http","label":"Stop","url":"https://e.de/s","method":"put","headers":{"A":"b"},"body":"{}","clear":true}],
            "attach":"https://e.de/file.pdf","filename":"report.pdf","sequence_id":"9","cache":"no","unknown":1}
            """
        let publish = try NtfyPublish(json: Array(text.utf8), now: Self.now, zone: .utc)
        #expect(publish.topic == "t")
        #expect(publish.notBefore == Self.now.adding(seconds: 3600))
        #expect(publish.message.priority == .high)
        #expect(publish.message.image == nil)
        #expect(publish.message.collapseID == "9")
        #expect(
            publish.message.data == [
                "ntfy": .object([
                    "attachment": .object(["url": .string("https://e.de/file.pdf"), "name": .string("report.pdf")])
                ])
            ])
        #expect(
            publish.message.actions == [
                PushAction(id: "1", title: "Open", effect: .open(url: "https://e.de/o"), keeps: true),
                PushAction(
                    id: "2", title: "Stop",
                    effect: .request(.init(url: "https://e.de/s", method: .put, headers: ["A": "b"], body: "{}"))),
            ])
    }

    @Test func `tags with an emoji stand before the title, else before the text`() throws {
        #expect(NtfyEmoji.table.count > 80)
        let titled = try Self.publish(["Title": "T", "Tags": "tada,other"], body: "x").message
        #expect(titled.title == "🎉 T")
        #expect(titled.body == "x")
        #expect(titled.tags == ["tada", "other"])
        #expect(try Self.publish(["Tags": "x"], body: "failed").message.body == "❌ failed")
    }

    @Test func `empty members of JSON count as absent`() throws {
        let text =
            #"{"topic":"t","message":"M","title":"","click":"","delay":"","icon":"","email":"","attach":"","filename":""}"#
        let publish = try NtfyPublish(json: Array(text.utf8), now: Self.now, zone: .utc)
        #expect(publish.message.title == nil)
        #expect(publish.message.data.isEmpty)
        #expect(publish.notBefore == nil)
    }

    @Test(arguments: ["u=1, i", "u=4", "i"])
    func `the field Priority of RFC 9218 is no priority of ntfy`(value: String) throws {
        #expect(try Self.publish(["Priority": value], body: "x").message.priority == .normal)
    }

    /// Buttons of kinds that only some of ntfy's apps know cost nobody the message (home-assistant/core#152014).
    @Test func `a button of a kind for Android stays for readers of ntfy, and the message is taken`() throws {
        let short = try Self.publish(
            [
                "Actions":
                    "broadcast, Take picture, extras.cmd=pic; view, Open, https://e.de; copy, Copy, 1234; speak, Say"
            ],
            body: "x"
        ).message
        #expect(short.actions == [PushAction(id: "2", title: "Open", effect: .open(url: "https://e.de"), keeps: true)])
        let form = try #require(NtfyMessage(short, id: "m", topic: "t", time: 0)).json
        guard case .object(let members) = form, case .array(let shown)? = members["actions"] else {
            Issue.record("no actions: \(form)")
            return
        }
        let kinds = shown.map { value -> String in
            guard case .object(let members) = value, case .string(let kind)? = members["action"] else { return "" }
            return kind
        }
        #expect(kinds == ["view", "broadcast", "copy", "speak"])
        #expect(
            shown[1]
                == .object([
                    "action": .string("broadcast"), "label": .string("Take picture"), "id": .string("1"),
                    "extras": .object(["cmd": .string("pic")]),
                ]))
        #expect(
            shown[2]
                == .object([
                    "action": .string("copy"), "label": .string("Copy"), "id": .string("3"), "value": .string("1234"),
                ]))
        // Also as JSON, and more than fit are counted.
        let long = String(repeating: "a", count: 800)
        let json = try NtfyPublish(
            json: Array(
                #"{"topic":"t","message":"x","actions":[{"action":"copy","label":"A","value":"\#(long)"},{"action":"copy","label":"B","value":"\#(long)"}]}"#
                    .utf8), now: Self.now, zone: .utc
        ).message
        #expect(json.actions.isEmpty && json.body == "x")
        guard case .object(let extra)? = json.data["ntfy"], case .array(let kept)? = extra["actions"] else {
            Issue.record("nothing kept: \(json.data)")
            return
        }
        #expect(kept.count == 1 && extra["actions_left_out"] == .integer(1))
    }

    static let refused: [([String: String], String, String)] = [
        (["Priority": "9"], "x", "priority"), (["Click": "javascript:1"], "x", "click"),
        (["Attach": "x"], "y", "attach"),
        (["Icon": "x"], "y", "icon"), (["Delay": "soon"], "x", "delay"), (["Delay": "5s"], "x", "delay"),
        (["Email": "a@b.de"], "x", "email"), (["Call": "yes"], "x", "call"), (["Template": "yes"], "x", "template"),
        (["Filename": "a.txt"], "x", "filename"), (["Message": "a"], "b", "message"),
        (["Actions": "[{\"label\":\"x\"}]"], "x", "actions[0].action"),
        (["Actions": (0..<17).map { _ in "copy, a, b" }.joined(separator: ";")], "x", "actions"),
        (["Actions": "view, Open"], "x", "actions[0].url"),
        (["Actions": "[{\"action\":\"view\"}]"], "x", "actions[0].label"), (["Actions": "[1]"], "x", "actions[0]"),
        (["Actions": "[{"], "x", "actions"),
        (["Actions": "http, A, https://e.de, method=TELL"], "x", "actions[0].method"),
        (["Actions": "view, A, https://e.de, speed=1"], "x", "actions[0].speed"),
        (["Actions": "view, A, https://e.de, clear=maybe"], "x", "actions[0].clear"),
        (["Actions": "view,1,a:b;view,2,a:b;view,3,a:b;view,4,a:b;view,5,a:b"], "x", "actions"),
        (["Tags": (0..<17).map(String.init).joined(separator: ",")], "x", "tags"),
        (["X-Sequence-ID": String(repeating: "a", count: 65)], "x", "sequence_id"),
        ([:], String(repeating: "a", count: 4097), "message"),
        (["Title": String(repeating: "a", count: 1025)], "x", "title"),
    ]

    @Test(arguments: refused)
    func `an error has ntfy's name of the field`(headers: [String: String], body: String, field: String) {
        let error = #expect(throws: PushFieldError.self) { try Self.publish(headers, body: body) }
        #expect(error?.field == field)
    }

    @Test(arguments: [
        ("", "body"), ("{}", "topic"), (#"{"topic":"a b"}"#, "topic"), (#"{"topic":""}"#, "topic"),
        (#"{"topic":"t","priority":6}"#, "priority"), (#"{"topic":"t","priority":"high"}"#, "priority"),
        (#"{"topic":"t","tags":"a"}"#, "tags"), (#"{"topic":"t","tags":[1]}"#, "tags[0]"),
        (#"{"topic":"t","actions":[{"action":"view","label":"a","url":"b"}]}"#, "actions[0].url"),
        (#"{"topic":"t","actions":7}"#, "actions"), (#"{"topic":"t","email":"a@b.de"}"#, "email"),
        (#"{"topic":"t","message":7}"#, "message"), (#"{"topic":"t","delay":7}"#, "delay"),
    ])
    func `an error in JSON names the member`(text: String, field: String) {
        let error = #expect(throws: PushFieldError.self) {
            try NtfyPublish(json: Array(text.utf8), now: Self.now, zone: .utc)
        }
        #expect(error?.field == field)
    }

    @Test func `topics are plain words, and bodies are UTF-8`() {
        for topic in ["", "a/b", "a b", "ä", "..", String(repeating: "a", count: 65)] {
            let error = #expect(throws: PushFieldError.self) { try Self.publish(body: "x", topic: topic) }
            #expect(error?.field == "topic")
        }
        let error = #expect(throws: PushFieldError.self) {
            try NtfyPublish(topic: "t", headers: [], query: [], body: [0xFF, 0xD8], now: Self.now, zone: .utc)
        }
        #expect(error?.field == "message")
    }

    @Test(.slow) func `random requests never trap`() {
        var random = SeededGenerator(12)
        let pool = Array("view,http;=\"'\\{}[] :/-9apm=?UTF-8?B?Q_\n".utf8)
        func text() -> String {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
                pool.randomElement(using: &random)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        for _ in 0..<20_000 {
            let name = NtfyParameters.Name.allCases.randomElement(using: &random)?.rawValue ?? ""
            _ = try? Self.publish(
                [name: text(), "Title": text()], query: ["actions": text(), "at": text()], body: text())
            _ = try? NtfyPublish(json: Array(text().utf8), now: Self.now, zone: .utc)
        }
    }
}
