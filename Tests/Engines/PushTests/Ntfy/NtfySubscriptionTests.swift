import GatewayAPI
import Schedules
import Testing

@testable import Push

/// Requests to read topics, and messages in ntfy's form.
@Suite struct NtfySubscriptions {
    private static let now = Instant(seconds: 1_800_000_000)

    private static func read(
        _ query: [String: String] = [:], topics: String = "a", headers: [String: String] = [:]
    ) throws -> NtfySubscription {
        try NtfySubscription(
            topics: topics, headers: headers.map { ($0.key, $0.value) }, query: query.map { ($0.key, $0.value) },
            now: now)
    }

    @Test(
        arguments: [
            ("all", .oldest), ("latest", .newest), ("none", .next), ("10m", .at(Instant(seconds: 1_799_999_400))),
            ("1h30m5s", .at(Instant(seconds: 1_799_994_595))), ("2d", .at(Instant(seconds: 1_799_827_200))),
            ("99999999d", .at(Instant(seconds: 1_800_000_000 - 366 * 86_400))), ("0", .at(Instant(seconds: 0))),
            ("1799999999", .at(Instant(seconds: 1_799_999_999))), ("9223372036854775807", .next),
            ("hwQ2YpKdmg", .after("hwQ2YpKdmg")), ("99999999999999999999", .after("99999999999999999999")),
            ("019abc-1", .after("019abc-1")), ("10x", .after("10x")),
        ] as [(String, NtfySubscription.Start)]) func `since is read`(text: String, start: NtfySubscription.Start)
        throws
    {
        #expect(try Self.read(["since": text]).start == start)
        #expect(try Self.read(headers: ["X-Since": text]).start == start)
        #expect(try Self.read(["si": text, "po": "1"]).start == start)
    }

    @Test func `a poll begins with the oldest message, a stream with the next one`() throws {
        #expect(try Self.read().start == .next && !(try Self.read().isPoll))
        let poll = try Self.read(["poll": "1"])
        #expect(poll.start == .oldest && poll.isPoll)
        #expect(try Self.read(topics: "a,b,a").topics == ["a", "b"])
    }

    @Test(arguments: [
        "", "a,", "a b", "ä", "a,,b", String(repeating: "a", count: 65),
        (0...32).map { "\($0)" }.joined(separator: ","),
    ])
    func `wrong topics are refused`(topics: String) {
        #expect(throws: PushFieldError.self) { try Self.read(topics: topics) }
    }

    @Test(arguments: ["a b", "%", "-1h ", "💥", String(repeating: "a", count: 65)]) func `another since is refused`(
        text: String
    ) {
        if text == "-1h " {
            #expect((try? Self.read(["since": text]).start) == .after("-1h"))
        } else {
            #expect(throws: PushFieldError.self) { try Self.read(["since": text]) }
        }
    }

    @Test func `a published message comes back as it was sent`() throws {
        for tags in [[], ["warning"], ["warning", "attic", "fire"], ["attic"]] {
            for title in [nil, "Server", "⚠️ looks like a tag"] {
                for priority in 1...5 {
                    var headers: [(name: String, value: String)] = [("Priority", "\(priority)")]
                    if let title { headers.append(("Title", title)) }
                    if !tags.isEmpty { headers.append(("Tags", tags.joined(separator: ","))) }
                    let published = try NtfyPublish(
                        topic: "a", headers: headers, query: [], body: Array("Disk is full".utf8), now: Self.now,
                        zone: .utc)
                    let form = try #require(NtfyMessage(published.message, id: "x", topic: "a", time: 7))
                    #expect(form.text == "Disk is full" && form.tags == tags && form.priority == priority)
                    #expect(form.title == title, "\(tags)")
                    #expect(
                        try Self.read([
                            "prio": "\(priority)", "title": form.title ?? "", "tag": tags.joined(separator: ","),
                        ]).takes(form))
                    #expect(try !Self.read(["message": "other"]).takes(form) && !Self.read(topics: "b").takes(form))
                }
            }
        }
    }

    @Test func `a message that shows nothing is none, and one without a text has its title as text`() throws {
        var message = PushMessage()
        message.data["recall"] = .string("x")
        #expect(NtfyMessage(message, id: "x", topic: "a", time: 7) == nil)
        message.title = "Tide"
        let form = try #require(NtfyMessage(message, id: "x", topic: "a", time: 7))
        #expect(form.text == "Tide" && form.title == nil)
        #expect(String(decoding: NtfyFormat.raw.text(of: form.json), as: UTF8.self) == "Tide\n")
        #expect(NtfyFormat.raw.text(of: NtfyEvent.keepalive(topics: ["a"], id: "x", time: 7)) == [0x0A])
    }

    @Test func `buttons that only our clients know, and secrets of the gateway's requests, stay out`() throws {
        var message = PushMessage()
        message.title = "Tide"
        message.actions = [
            PushAction(id: "1", title: "Open", effect: .open(url: "https://e.de")),
            PushAction(id: "2", title: "Ok", effect: .acknowledge),
            PushAction(
                id: "3", title: "Run", effect: .request(.init(url: "https://e.de/s", headers: ["Key": "secret"])),
                runsOnServer: true),
        ]
        let json = String(
            decoding: try #require(NtfyMessage(message, id: "x", topic: "a", time: 7)).json.json, as: UTF8.self)
        #expect(
            json.contains(#""label":"Open""#) && !json.contains("Run") && !json.contains("secret")
                && !json.contains("Ok"))
    }
}
