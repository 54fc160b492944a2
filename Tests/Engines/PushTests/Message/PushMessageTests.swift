import Delivery
import GatewayAPI
import Schedules
import Testing

@testable import Push

struct PushMessageTests {
    static func json(_ text: String) throws -> JSONValue {
        try #require(JSONDocument(parsing: Array(text.utf8)).value)
    }

    static let full = """
        {"title":"Build failed","subtitle":"main","body":"3 tests","sound":{"name":"alarm","critical":true,"volume":0.5},
        "badge":3,"image":"https://example.com/a.png","thread":"builds","category":"BUILD","interruption":"time-sensitive",
        "priority":"high","expires":1800000000,"collapse_id":"build-7","url":"https://example.com/7","tags":["ci"],
        "actions":[{"title":"Open","url":"https://example.com/7"},
        {"id":"again","title":"Again","type":"request","url":"https://example.com/r","method":"PUT","body":"{}",
        "headers":{"X-A":"b"},"keeps":true},
        {"title":"Run","shortcut":"Deploy","input":"7"},{"title":"Ok"}],"data":{"run":7},
        "activity":{"event":"start","state":{"step":1},"time":1700000000,"attributes_type":"Build",
        "attributes":{"name":"main"},"stale":1700000100,"relevance":5,"channel":"abc="}}
        """

    @Test func `a full message is read and written back`() throws {
        let message = try PushMessage(Self.json(Self.full))
        #expect(message.sound == PushSound("alarm", isCritical: true, volume: 0.5))
        #expect(message.priority == .high)
        #expect(message.expires == Instant(seconds: 1_800_000_000))
        #expect(message.actions.map(\.id) == ["1", "again", "3", "4"])
        #expect(message.actions.last?.effect == .acknowledge)
        #expect(message.activity?.updates == .channel(id: "abc="))
        #expect(try PushMessage(message.json) == message)
    }

    @Test(arguments: [
        (#"[]"#, "body"), (#"{}"#, "body"), (#"{"title":" "}"#, "body"), (#"{"title":1}"#, "title"),
        (#"{"body":"a","titel":"b"}"#, "titel"), (#"{"title":"a\nb"}"#, "title"), (#"{"body":"a\u0000"}"#, "body"),
        (#"{"body":"a","badge":-1}"#, "badge"), (#"{"body":"a","badge":1.5}"#, "badge"),
        (#"{"body":"a","badge":100000}"#, "badge"), (#"{"body":"a","sound":""}"#, "sound"),
        (#"{"body":"a","sound":"../x"}"#, "sound"), (#"{"body":"a","sound":{"volume":2}}"#, "sound.volume"),
        (#"{"body":"a","sound":{"loud":true}}"#, "sound.loud"), (#"{"body":"a","sound":7}"#, "sound"),
        (#"{"body":"a","image":"ftp://example.com/a"}"#, "image"),
        (#"{"body":"a","url":"javascript:alert(1)"}"#, "url"),
        (#"{"body":"a","url":"JavaScript:alert(1)"}"#, "url"), (#"{"body":"a","url":"/path"}"#, "url"),
        (#"{"body":"a","url":"https://a b"}"#, "url"), (#"{"body":"a","thread":""}"#, "thread"),
        (#"{"body":"a","interruption":"loud"}"#, "interruption"), (#"{"body":"a","priority":"5"}"#, "priority"),
        (#"{"body":"a","tags":["a",1]}"#, "tags[1]"), (#"{"body":"a","data":{"aps":{}}}"#, "data.aps"),
        (#"{"body":"a","data":{"":1}}"#, "data"), (#"{"body":"a","data":[]}"#, "data"),
        (#"{"body":"a","actions":[{}]}"#, "actions[0].title"),
        (#"{"body":"a","actions":[{"title":"a","type":"open"}]}"#, "actions[0].url"),
        (#"{"body":"a","actions":[{"title":"a","type":"reply","url":"https://a.de"}]}"#, "actions[0].url"),
        (
            #"{"body":"a","actions":[{"title":"a","type":"request","url":"https://a.de","headers":{"a b":"c"}}]}"#,
            "actions[0].headers.a b"
        ),
        (
            #"{"body":"a","actions":[{"title":"a","type":"request","url":"https://a.de","headers":{"a":"c\r\nd"}}]}"#,
            "actions[0].headers.a"
        ),
        (#"{"body":"a","actions":[{"title":"a","id":"x"},{"title":"b","id":"x"}]}"#, "actions[1].id"),
        (#"{"body":"a","actions":[{"title":"1"},{"title":"2"},{"title":"3"},{"title":"4"},{"title":"5"}]}"#, "actions"),
        (#"{"body":"a","actions":[{"title":"a","url":"https://a.de","on_server":true}]}"#, "actions[0].on_server"),
        (#"{"badge":1,"actions":[{"title":"1"}]}"#, "actions"),
        (#"{"activity":{"event":"start","state":{},"time":1}}"#, "activity.attributes_type"),
        (#"{"activity":{"event":"update","state":{},"time":1,"attributes_type":"A"}}"#, "activity.attributes"),
        (#"{"activity":{"event":"update","state":{},"time":1,"dismissal":2}}"#, "activity.dismissal"),
        (#"{"activity":{"event":"update","state":{},"time":1,"token":true}}"#, "activity.updates"),
        (#"{"activity":{"event":"stop","state":{},"time":1}}"#, "activity.event"),
        (#"{"activity":{"event":"update","time":1}}"#, "activity.state"),
    ])
    func `an error names the field`(text: String, field: String) throws {
        let value = try Self.json(text)
        let error = #expect(throws: PushFieldError.self) { try PushMessage(value) }
        #expect(error?.field == field)
    }

    @Test(arguments: [
        ("title", 1024), ("subtitle", 1024), ("body", 4096), ("thread", 128), ("category", 128), ("collapse_id", 64),
    ])
    func `sizes are bounded in bytes`(field: String, limit: Int) throws {
        let fits = String(repeating: "é", count: limit / 2)
        var members: [String: JSONValue] = ["body": .string("a")]
        members[field] = .string(fits)
        #expect(throws: Never.self) { try PushMessage(.object(members)) }
        members[field] = .string(fits + "é")
        let error = #expect(throws: PushFieldError.self) { try PushMessage(.object(members)) }
        #expect(error?.description == "field \"\(field)\": expected at most \(limit) bytes, got \(limit + 2)")
    }

    @Test func `a message with data alone is not visible`() throws {
        #expect(try !PushMessage(.object(["data": .object(["a": .integer(1)])])).isVisible)
        #expect(try PushMessage(.object(["subtitle": .string("a")])).isVisible)
    }

    @Test(arguments: [
        (#"{"body":"a","image":"https://10.0.0.1/i"}"#, "image"),
        (#"{"body":"a","image":"http://nas.local/i"}"#, "image"),
        (
            #"{"body":"a","actions":[{"title":"x","type":"request","url":"http://e.de","on_server":true}]}"#,
            "actions[0].url"
        ),
        (
            #"{"body":"a","actions":[{"title":"x","type":"request","url":"https://[::1]/","on_server":true}]}"#,
            "actions[0].url"
        ),
    ])
    func `the gateway calls private hosts only if that is allowed`(text: String, field: String) throws {
        let message = try PushMessage(Self.json(text))
        let error = #expect(throws: PushFieldError.self) { try message.checkTargets(allowsPrivate: false) }
        #expect(error?.field == field)
        #expect(throws: Never.self) { try message.checkTargets(allowsPrivate: true) }
    }

    @Test func `devices may call hosts of their own network`() throws {
        let message = try PushMessage(
            Self.json(
                #"{"body":"a","image":"http://e.de/i","actions":[{"title":"x","type":"request","url":"http://hub.local"}]}"#
            ))
        #expect(throws: Never.self) { try message.checkTargets(allowsPrivate: false) }
    }
}
