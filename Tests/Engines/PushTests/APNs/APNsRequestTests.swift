import Delivery
import GatewayAPI
import Schedules
import Testing

@testable import Push

struct APNsRequestTests {
    static let id = "0b5c8e6a-14a8-11e5-b60b-1697f925ec7b"
    static let token = String(repeating: "ab", count: 32)
    static let now = Instant(seconds: 1_700_000_000)

    static func message(_ text: String) throws -> PushMessage { try PushMessage(PushMessageTests.json(text)) }

    static func request(
        _ text: String, type: APNsPushType? = nil, channel: String? = nil
    ) throws -> APNsRequest {
        let target =
            try channel.map { try APNsTarget(channel: $0, bundle: "com.example.App") }
            ?? APNsTarget(token: token, bundle: "com.example.App")
        return try APNsRequest(message(text), type: type, to: target, id: id, now: now)
    }

    static func headers(_ request: APNsRequest) -> [String: String] {
        Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + "," + $1 })
    }

    @Test func `an alert has all that the system reads`() throws {
        let request = try Self.request(
            """
            {"title":"T","subtitle":"S","body":"B","sound":{"name":"a","critical":true,"volume":0.5},"badge":2,
            "thread":"t","category":"C","interruption":"critical","image":"https://e.de/i","url":"https://e.de",
            "tags":["x"],"actions":[{"title":"Ok"}],"data":{"k":[1]},"collapse_id":"c","expires":1800000000,
            "priority":"low"}
            """)
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"aps":{"alert":{"body":"B","subtitle":"S","title":"T"},"badge":2,"category":"C",\
                "interruption-level":"critical","mutable-content":1,"sound":{"critical":1,"name":"a","volume":0.5},\
                "thread-id":"t"},"image":"https://e.de/i","k":[1],"selene":{"actions":[{"id":"1","title":"Ok","type":"acknowledge"}],\
                "id":"\(Self.id)","image":"https://e.de/i","tags":["x"],"url":"https://e.de"}}
                """)
        #expect(request.path == "/3/device/" + Self.token)
        #expect(
            Self.headers(request) == [
                "apns-push-type": "alert", "apns-priority": "5", "apns-topic": "com.example.App", "apns-id": Self.id,
                "apns-expiration": "1800000000", "apns-collapse-id": "c",
            ])
    }

    @Test func `every attempt has the same id, and a message without a collapse id collapses with itself`() throws {
        let headers = Self.headers(try Self.request(#"{"body":"a"}"#))
        #expect(headers["apns-id"] == Self.id)
        #expect(headers["apns-collapse-id"] == Self.id)
        #expect(headers["apns-expiration"] == nil)
    }

    @Test func `a collapse id outside ASCII is hashed`() throws {
        let headers = Self.headers(try Self.request(#"{"body":"a","collapse_id":"Büro 1"}"#))
        #expect(headers["apns-collapse-id"]?.utf8.count == 43)
    }

    @Test func `an expired message is not stored`() throws {
        #expect(Self.headers(try Self.request(#"{"body":"a","expires":1700000000}"#))["apns-expiration"] == "0")
    }

    @Test func `data alone wakes the app`() throws {
        let request = try Self.request(#"{"data":{"k":1},"priority":"emergency"}"#)
        let body = #"{"aps":{"content-available":1},"k":1,"selene":{"id":"\#(Self.id)"}}"#
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(Self.headers(request)["apns-priority"] == "5")
        #expect(Self.headers(request)["apns-collapse-id"] == nil)
    }

    static let activities: [(String, String, String)] = [
        (
            #"""
            {"title":"T","body":"B","sound":"s","activity":{"event":"start","state":{"n":1},"time":7,
            "attributes_type":"A","attributes":{"x":1},"stale":9,"relevance":2,"token":true}}
            """#,
            #"""
            {"aps":{"alert":{"body":"B","sound":"s","title":"T"},"attributes":{"x":1},"attributes-type":"A",\#
            "content-state":{"n":1},"event":"start","input-push-token":1,"relevance-score":2,"stale-date":9,"timestamp":7}}
            """#, "10"
        ),
        (
            #"{"activity":{"event":"update","state":{},"time":7}}"#,
            #"{"aps":{"content-state":{},"event":"update","timestamp":7}}"#, "5"
        ),
        (
            #"{"priority":"high","activity":{"event":"end","state":{},"time":7,"dismissal":8}}"#,
            #"{"aps":{"content-state":{},"dismissal-date":8,"event":"end","timestamp":7}}"#, "10"
        ),
    ]

    @Test(arguments: activities)
    func `Live Activities start, change and end`(text: String, body: String, priority: String) throws {
        let request = try Self.request(text)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let headers = Self.headers(request)
        #expect(headers["apns-push-type"] == "liveactivity")
        #expect(headers["apns-topic"] == "com.example.App.push-type.liveactivity")
        #expect(headers["apns-priority"] == priority)
    }

    @Test func `a broadcast goes to a channel`() throws {
        let text = #"{"activity":{"event":"update","state":{},"time":7}}"#
        let request = try Self.request(text, channel: "dHN0LXNyY2gtY2hubA==")
        #expect(request.path == "/4/broadcasts/apps/com.example.App")
        #expect(
            Self.headers(request) == [
                "apns-push-type": "liveactivity", "apns-priority": "5", "apns-channel-id": "dHN0LXNyY2gtY2hubA==",
                "apns-request-id": Self.id, "apns-expiration": "0",
            ])
        #expect(throws: PushFieldError.self) { try Self.request(#"{"body":"a"}"#, channel: "abc=") }
    }

    @Test(
        arguments: [
            (APNsPushType.alert, "", "10", nil), (.background, "", "5", nil), (.location, ".location-query", "10", nil),
            (.voip, ".voip", "10", "0"), (.complication, ".complication", "10", nil),
            (.fileProvider, ".pushkit.fileprovider", "10", nil), (.pushToTalk, ".voip-ptt", "10", "0"),
            (.widgets, ".push-type.widgets", "10", nil), (.controls, ".push-type.controls", "10", nil),
        ] as [(APNsPushType, String, String, String?)])
    func `each type has its topic`(type: APNsPushType, suffix: String, priority: String, expires: String?) throws {
        let request = try Self.request(#"{"body":"a","data":{"k":1}}"#, type: type)
        let headers = Self.headers(request)
        #expect(headers["apns-topic"] == "com.example.App" + suffix)
        #expect(headers["apns-push-type"] == type.rawValue)
        #expect(headers["apns-priority"] == priority)
        #expect(headers["apns-expiration"] == expires)
        guard case .object(let members) = try JSONDocument(parsing: request.body).value else {
            Issue.record("no object")
            return
        }
        #expect(members["aps"] != nil)
    }

    @Test func `payloads have a limit`() throws {
        func body(_ count: Int, _ type: APNsPushType) -> Result<Int, any Error> {
            Result {
                let half = String(repeating: "a", count: count / 2)
                let data = #"{"data":{"a":"\#(half)"},"body":"\#(String(repeating: "b", count: count - count / 2))"}"#
                return try Self.request(data, type: type).body.count
            }
        }
        let overhead = try body(0, .alert).get()
        #expect(try body(4096 - overhead, .alert).get() == 4096)
        let error = #expect(throws: PushFieldError.self) { try body(4097 - overhead, .alert).get() }
        #expect(error?.description == "field \"payload\": expected at most 4096 bytes of JSON for APNs, got 4097")
        #expect(try body(4500, .voip).get() < 5120)
    }

    @Test func `broadcasts and calls may have 5120 bytes`() throws {
        func request(_ count: Int, channel: String?) throws -> APNsRequest {
            let half = String(repeating: "a", count: count)
            let text = #"{"body":"\#(half)","activity":{"event":"update","time":7,"state":{"a":"\#(half)"}}}"#
            return try Self.request(text, channel: channel)
        }
        #expect(throws: Never.self) { try request(2400, channel: "abc=") }
        #expect(throws: PushFieldError.self) { try request(2600, channel: "abc=") }
        #expect(throws: PushFieldError.self) { try request(2400, channel: nil) }
    }

    @Test(arguments: [
        (#"{"body":"a"}"#, APNsPushType.liveActivity, "activity"),
        (#"{"activity":{"event":"start","state":{},"time":7,"attributes_type":"A"}}"#, .liveActivity, "title"),
    ])
    func `a type needs its fields`(text: String, type: APNsPushType, field: String) {
        let error = #expect(throws: PushFieldError.self) { try Self.request(text, type: type) }
        #expect(error?.field == field)
    }

    @Test(arguments: ["", "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 65), "\r\n"])
    func `a token is hexadecimal`(token: String) {
        let error = #expect(throws: PushFieldError.self) { try APNsTarget(token: token, bundle: "a.b") }
        #expect(error?.field == "token")
    }

    @Test func `other addresses are refused`() throws {
        for bundle in ["", "a b", "a/b", String(repeating: "a", count: 156), "ä"] {
            #expect(throws: PushFieldError.self) { try APNsTarget(token: Self.token, bundle: bundle) }
        }
        for channel in ["", "a b", "a\n"] {
            #expect(throws: PushFieldError.self) { try APNsTarget(channel: channel, bundle: "a.b") }
        }
        let target = try APNsTarget(token: Self.token.uppercased(), bundle: "a.b")
        for id in ["", "7", Self.id.uppercased(), Self.id + "0", "\(Self.id)\n"] {
            #expect(throws: PushFieldError.self) {
                try APNsRequest(Self.message(#"{"body":"a"}"#), to: target, id: id, now: Self.now)
            }
        }
    }
}
