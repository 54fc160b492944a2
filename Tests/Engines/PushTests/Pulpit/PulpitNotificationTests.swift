import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct PulpitNotificationTests {
    private static let now = Instant(seconds: 1_700_000_000)

    private static func read(_ text: String) throws -> PulpitNotification {
        try PulpitNotification(PushMessageTests.json(text), now: now)
    }

    @Test func `a full body`() throws {
        let notification = try Self.read(
            """
            {"title":"T","text":"B","sound":"jobDone","image":"https://e.de/i.png","input":"in","devices":["iPhone","iPad",
            "iPhone"],"isTimeSensitive":true,"delay":1.5,"id":"dedup","threadId":"g","defaultAction":{"url":"https://e.de"},
            "actions":[{"name":"View","url":"https://e.de/v","keepNotification":true},
            {"name":"Run","shortcut":"Lights","input":"off","runOnServer":true},
            {"name":"Call","url":"http://home.local/x","urlBackgroundOptions":
            {"httpMethod":"post","httpContentType":"application/json","httpBody":"{}"}},
            {"name":"Hook","url":"https://e.de/h","runOnServer":true}]}
            """)
        var message = PushMessage()
        message.title = "T"
        message.body = "B"
        message.sound = PushSound("jobDone")
        message.image = "https://e.de/i.png"
        message.interruption = .timeSensitive
        message.thread = "g"
        message.collapseID = "dedup"
        message.url = "https://e.de"
        let headers = ["Content-Type": "application/json"]
        message.actions = [
            PushAction(id: "1", title: "View", effect: .open(url: "https://e.de/v"), input: "in", keeps: true),
            PushAction(id: "2", title: "Run", effect: .shortcut(name: "Lights"), input: "off", runsOnServer: true),
            PushAction(
                id: "3", title: "Call",
                effect: .request(.init(url: "http://home.local/x", method: .post, headers: headers, body: "{}")),
                input: "in"),
            PushAction(
                id: "4", title: "Hook", effect: .request(.init(url: "https://e.de/h", method: .get)), input: "in",
                runsOnServer: true),
        ]
        #expect(notification.message == message)
        #expect(notification.devices == ["iPhone", "iPad"])
        #expect(notification.notBefore == Self.now.adding(milliseconds: 1500))
        #expect(notification.id == "dedup")
        #expect(try PushMessage(message.json) == message)
    }

    @Test func `a small body`() throws {
        let notification = try Self.read(#"{"text":"B","sound":"system","input":"x","scheduleTimestamp":1}"#)
        #expect(notification.message.sound == PushSound("default"))
        #expect(notification.message.data == ["input": .string("x")])
        #expect(notification.notBefore == nil)
        #expect(notification.devices.isEmpty)
        #expect(
            try Self.read(#"{"text":"B","scheduleTimestamp":1700000060}"#).notBefore == Self.now.adding(seconds: 60))
        #expect(try Self.read(#"{"text":"B","delay":0}"#).notBefore == nil)
        let picture = Base64Text.encode(PictureTests.gif)
        #expect(try Self.read(#"{"text":"B","imageData":"\#(picture)"}"#).message.imageData == PictureTests.gif)
    }

    @Test func `a tap may run a shortcut`() throws {
        let notification = try Self.read(#"{"text":"B","defaultAction":{"shortcut":"Licht & Ton","input":"ä"}}"#)
        #expect(
            notification.message.url == "shortcuts://run-shortcut?name=Licht%20%26%20Ton&input=text&text=%C3%A4")
    }

    @Test(arguments: [
        (#"{"text":"B","zzz":null}"#, "zzz"),
        (#"{"text":"B","defaultAction":{"url":"https://e.de","zzz":1}}"#, "defaultAction.zzz"),
        (#"{"text":"B","actions":[{"name":"A","zzz":1}]}"#, "actions[0].zzz"),
        (
            #"{"text":"B","actions":[{"name":"A","url":"https://e.de","urlBackgroundOptions":{"zzz":1}}]}"#,
            "actions[0].urlBackgroundOptions.zzz"
        ),
        ("[]", "body"), ("{}", "title"), (#"{"title":7}"#, "title"), (#"{"text":"B","sound":"boom"}"#, "sound"),
        (#"{"text":"B","image":"x"}"#, "image"), (#"{"text":"B","imageData":"!"}"#, "imageData"),
        (#"{"text":"B","imageData":""}"#, "imageData"), (#"{"text":"B","imageData":"iVBORw=="}"#, "imageData"),
        (#"{"text":"B","imageData":"AAAA","image":"https://e.de/i"}"#, "imageData"),
        (#"{"text":"B","devices":"a"}"#, "devices"), (#"{"text":"B","devices":[1]}"#, "devices[0]"),
        (#"{"text":"B","devices":[""]}"#, "devices[0]"), (#"{"text":"B","delay":-1}"#, "delay"),
        (#"{"text":"B","delay":1e300}"#, "delay"), (#"{"text":"B","delay":1,"scheduleTimestamp":1}"#, "delay"),
        (#"{"text":"B","scheduleTimestamp":99999999999}"#, "scheduleTimestamp"),
        (#"{"text":"B","threadId":""}"#, "threadId"),
        (#"{"text":"B","id":""}"#, "id"), (#"{"text":"B","defaultAction":{}}"#, "defaultAction.url"),
        (#"{"text":"B","defaultAction":{"url":"javascript:1"}}"#, "defaultAction.url"),
        (#"{"text":"B","actions":[{}]}"#, "actions[0].name"),
        (#"{"text":"B","actions":[{"name":""}]}"#, "actions[0].name"),
        (#"{"text":"B","actions":[{"name":"a","url":"b:c","shortcut":"d"}]}"#, "actions[0].url"),
        (#"{"text":"B","actions":[{"name":"a","urlBackgroundOptions":{}}]}"#, "actions[0].url"),
        (
            #"{"text":"B","actions":[{"name":"a","url":"https://e.de","urlBackgroundOptions":{"httpMethod":"X"}}]}"#,
            "actions[0].urlBackgroundOptions.httpMethod"
        ),
        (#"{"text":"B","actions":[{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"},{"name":"5"}]}"#, "actions"),
    ])
    func `an error has Pulpit's name of the field`(text: String, field: String) {
        let error = #expect(throws: PushFieldError.self) { try Self.read(text) }
        #expect(error?.field == field)
    }

    @Test func `large pictures are refused`() throws {
        let bytes = PictureTests.gif + [UInt8](repeating: 0, count: (1 << 20) / 3 * 3 - PictureTests.gif.count)
        let fits = Base64Text.encode(bytes)
        #expect(try Self.read(#"{"text":"B","imageData":"\#(fits)"}"#).message.imageData == bytes)
        #expect(throws: PushFieldError.self) { try Self.read(#"{"text":"B","imageData":"\#(fits)AAAA"}"#) }
    }
}
