import Cryptography
import Delivery
import GatewayAPI
import Schedules
import Testing

@testable import Push

struct WebPushRequestTests {
    private static let now = Instant(seconds: 1_700_000_000)

    private static func headers(
        _ text: String, endpoint: String = "https://fcm.googleapis.com/x"
    ) throws -> [String: String] {
        let receiver = WebPushReceiver(key: P256.KeyAgreement.PrivateKey(), secret: [UInt8](repeating: 1, count: 16))
        let headers = WebPushRequest.headers(
            of: try APNsRequestTests.message(text), to: try receiver.subscription(endpoint: endpoint),
            id: APNsRequestTests.id, now: now)
        return Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + "," + $1 })
    }

    @Test func `a request has the fields of RFC 8030`() throws {
        #expect(
            try Self.headers(#"{"body":"a","expires":1700000060,"collapse_id":"build-7"}"#) == [
                "content-type": "application/octet-stream", "content-encoding": "aes128gcm", "ttl": "60",
                "urgency": "normal", "topic": "build-7",
            ])
    }

    @Test(arguments: [
        (#"{"body":"a"}"#, "2419200"), (#"{"body":"a","expires":1}"#, "0"),
        (#"{"body":"a","expires":9999999999}"#, "2419200"),
    ])
    func `the time to live is bounded`(text: String, ttl: String) throws {
        #expect(try Self.headers(text)["ttl"] == ttl)
    }

    @Test(arguments: zip(DeliveryPriority.allCases, ["very-low", "low", "normal", "high", "high"]))
    func `the urgency follows the priority`(priority: DeliveryPriority, urgency: String) throws {
        #expect(try Self.headers(#"{"body":"a","priority":"\#(priority)"}"#)["urgency"] == urgency)
    }

    @Test func `Apple gets normal messages as urgent ones`() throws {
        #expect(try Self.headers(#"{"body":"a"}"#, endpoint: "https://web.push.apple.com/x")["urgency"] == "high")
    }

    @Test(arguments: ["a b", "Büro", String(repeating: "a", count: 33), "a.b"])
    func `a topic is at most 32 characters of base64url`(id: String) throws {
        let topic = try #require(try Self.headers(#"{"body":"a","collapse_id":"\#(id)"}"#)["topic"])
        #expect(topic.utf8.count == 32)
        #expect(Base64URL.decode(topic) != nil)
        #expect(topic == CollapseName.webPush(id))
        #expect(topic != CollapseName.webPush(id + "x"))
    }

    private static func payload(_ text: String) throws -> String {
        let home = try PushURL("https://selene.example.com/", field: "home")
        let value = try WebPushPayload.value(
            of: APNsRequestTests.message(text), id: "d 1", home: home, name: "Selene")
        return String(decoding: value.json, as: UTF8.self)
    }

    @Test func `the payload is a declarative message`() throws {
        #expect(
            try Self.payload(
                """
                {"title":"T","subtitle":"S","body":"B","sound":"default","badge":3,"image":"https://e.de/i",
                "url":"https://e.de/p","tags":["x"],"collapse_id":"c","data":{"k":1},"priority":"emergency",
                "actions":[{"title":"Go","url":"https://e.de/g"},{"title":"App","url":"shortcuts://x"}]}
                """) == """
                    {"app_badge":3,"notification":{"actions":[\
                    {"action":"1","navigate":"https://e.de/g","title":"Go"},\
                    {"action":"2","navigate":"https://selene.example.com/?push=d%201&action=2","title":"App"}],\
                    "app_badge":"3","body":"S\\u000aB","data":{"actions":[\
                    {"id":"1","title":"Go","type":"open","url":"https://e.de/g"},\
                    {"id":"2","title":"App","type":"open","url":"shortcuts://x"}],"data":{"k":1},"id":"d 1","tags":["x"],\
                    "url":"https://e.de/p"},"icon":"https://e.de/i","image":"https://e.de/i","navigate":"https://e.de/p","requireInteraction":true,\
                    "silent":false,"tag":"c","title":"T"},"web_push":8030}
                    """)
    }

    @Test func `a message without title and page gets those of the client`() throws {
        #expect(
            try Self.payload(#"{"body":"B","url":"shortcuts://x"}"#) == """
                {"notification":{"body":"B","data":{"id":"d 1","url":"shortcuts://x"},\
                "navigate":"https://selene.example.com/?push=d%201","silent":true,"tag":"d 1","title":"Selene"},\
                "web_push":8030}
                """)
    }

    @Test func `a message that shows nothing is refused`() {
        let error = #expect(throws: PushFieldError.self) { try Self.payload(#"{"data":{"k":1}}"#) }
        #expect(error?.field == "title")
    }

    @Test(
        arguments: [
            (200, .accepted), (201, .accepted), (202, .accepted), (204, .accepted), (301, .misconfigured),
            (307, .misconfigured),
            (400, .misconfigured), (401, .misconfigured), (403, .misconfigured), (404, .retire(registeredBefore: now)),
            (405, .misconfigured), (406, .misconfigured), (408, .retry(after: 7)),
            (410, .retire(registeredBefore: now)),
            (413, .refused), (425, .retry(after: 7)), (429, .retry(after: 7)), (500, .retry(after: 7)),
            (502, .retry(after: 7)),
            (503, .retry(after: 7)), (507, .retry(after: 7)), (0, .retry(after: 7)), (600, .retry(after: 7)),
        ] as [(Int, PushVerdict)])
    func `each answer has a verdict`(status: Int, verdict: PushVerdict) {
        let outcome = WebPushAnswer.outcome(status: status, sent: Self.now, retryAfter: 7)
        #expect(outcome.verdict == verdict)
        #expect(outcome.explanation.contains("\(status)"))
    }
}
