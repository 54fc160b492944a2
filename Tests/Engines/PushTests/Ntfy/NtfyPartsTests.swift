import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct NtfyPartsTests {
    private static func split(_ text: String) throws -> [[String]] {
        try NtfyActionText.split(text).map { $0.map { ($0.key.map { $0 + "=" } ?? "") + $0.value } }
    }

    @Test(
        arguments: [
            ("", []), (" ; ;", []), ("view, Open, https://e.de", [["view", "Open", "https://e.de"]]),
            ("view,A,https://e.de?a=b&c=d", [["view", "A", "https://e.de?a=b&c=d"]]),
            (
                "http, A, https://e.de, method=PUT, headers.X-A=b c ; view,B,x:y",
                [
                    ["http", "A", "https://e.de", "method=PUT", "headers.X-A=b c"], ["view", "B", "x:y"],
                ]
            ),
            (
                "action=http, label='Say \"hi\", now', body='{\"a\": 1; 2}'",
                [
                    ["action=http", "label=Say \"hi\", now", "body={\"a\": 1; 2}"]
                ]
            ),
            (#"view, "a \" b \\ \n", x:y"#, [["view", #"a " b \ \n"#, "x:y"]]),
            ("label = 'x' , url = y", [["label=x", "url=y"]]),
            ("view, label=, x", [["view", "label=", "x"]]), ("view,,x", [["view", "x"]]),
            ("view, ä=b", [["view", "ä=b"]]),
        ] as [(String, [[String]])])
    func `the short form of actions`(text: String, parts: [[String]]) throws {
        #expect(try Self.split(text) == parts)
    }

    @Test(arguments: ["view, 'a", "view, \"a'", "view, 'a' b, c", "'", "a='"])
    func `open quotation marks are refused`(text: String) {
        let error = #expect(throws: PushFieldError.self) { try Self.split(text) }
        #expect(error?.field == "actions")
    }

    @Test func `quoted texts survive`() throws {
        var random = SeededGenerator(13)
        let pool = Array("ab,;='\"\\ é")
        for _ in 0..<3000 {
            let values = (0..<3).map { _ in String((0..<5).compactMap { _ in pool.randomElement(using: &random) }) }
            let quoted = values.map { value in
                "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
            }
            #expect(try Self.split("k=" + quoted.joined(separator: " , k=")) == [values.map { "k=" + $0 }])
        }
    }

    @Test func `the short form makes actions`() throws {
        let text =
            "http, Close, https://e.de/close, clear=true, method=PUT, headers.Authorization=Bearer x, body='{}'; view,A,x:y"
        #expect(
            try NtfyAction.read(text).buttons == [
                PushAction(
                    id: "1", title: "Close",
                    effect: .request(
                        .init(
                            url: "https://e.de/close", method: .put, headers: ["Authorization": "Bearer x"], body: "{}")
                    )),
                PushAction(id: "2", title: "A", effect: .open(url: "x:y"), keeps: true),
            ])
    }

    @Test(arguments: [
        ("plain", "plain"), ("=?UTF-8?B?w7xiZXI=?=", "über"), ("=?utf-8?q?=C3=BCber_x?=", "über x"),
        ("a =?UTF-8?B?w7w=?= b", "a ü b"), ("=?UTF-8?B?w7w=?= =?UTF-8?B?w7w=?=", "üü"), ("=?ISO-8859-1?Q?=FC?=", "ü"),
        ("=?UTF-8?B?!!?=", "=?UTF-8?B?!!?="), ("=?UTF-8?Q?=C3?=", "=?UTF-8?Q?=C3?="),
        ("=?KOI8-R?Q?a?=", "=?KOI8-R?Q?a?="),
        ("=?", "=?"), ("=?UTF-8?B?", "=?UTF-8?B?"), ("=?UTF-8?X?a?=", "=?UTF-8?X?a?="), ("=?UTF-8?Q?a", "=?UTF-8?Q?a"),
        ("a=?b  ", "a=?b  "), ("=??Q?a?=", "=??Q?a?="), ("=?UTF-8?Q?=4?=", "=?UTF-8?Q?=4?="),
    ])
    func `encoded words are decoded`(text: String, decoded: String) { #expect(EncodedWords.decode(text) == decoded) }

    /// Tuesday, 2023-11-14T22:13:20Z.
    private static let now = Instant(seconds: 1_700_000_000)

    @Test(arguments: [
        ("1700000060", "2023-11-14T22:14:20Z"), ("30m", "2023-11-14T22:43:20Z"), ("30 min", "2023-11-14T22:43:20Z"),
        ("in 2 hours", "2023-11-15T00:13:20Z"), ("1D", "2023-11-15T22:13:20Z"), ("90 seconds", "2023-11-14T22:14:50Z"),
        ("23:00", "2023-11-14T23:00:00Z"), ("22:00", "2023-11-15T22:00:00Z"), ("at 8am", "2023-11-15T08:00:00Z"),
        ("8:30pm", "2023-11-15T20:30:00Z"), ("12am", "2023-11-15T00:00:00Z"), ("12pm", "2023-11-15T12:00:00Z"),
        ("12:05 am", "2023-11-15T00:05:00Z"), ("tomorrow, 9am", "2023-11-15T09:00:00Z"),
        ("Tomorrow 23:30", "2023-11-15T23:30:00Z"), ("today 23:30", "2023-11-14T23:30:00Z"),
        ("monday, 10:00", "2023-11-20T10:00:00Z"), ("tuesday 10:00", "2023-11-21T10:00:00Z"),
        ("wednesday at 10am", "2023-11-15T10:00:00Z"), ("366 days", "2024-11-14T22:13:20Z"),
    ])
    func `delays`(text: String, instant: String) throws {
        #expect("\(try NtfyDelay.instant(text, now: Self.now, zone: .utc))" == instant)
    }

    @Test(arguments: [
        "", " ", "9s", "0", "-30m", "1700000009", "367 days", "99999999999999999999d", "9999999999999", "tomorrow",
        "25:00",
        "13pm", "0am", "10:60", "10", "1:2:3", ":", "am", "10:00:00", "someday 10:00", "today 10:00", "1h30m", "٣m",
        "x y z w",
        String(repeating: "1", count: 100),
    ])
    func `other delays are refused`(text: String) {
        let error = #expect(throws: PushFieldError.self) { try NtfyDelay.instant(text, now: Self.now, zone: .utc) }
        #expect(error?.field == "delay")
    }

    @Test func `a time in a gap of the clock comes at its end`() throws {
        let zone = try ZoneDatabase().rules("Europe/Berlin")
        // 2026-03-28T12:00 in Berlin; the clock goes from 02:00 to 03:00 in the night.
        let now = Instant(seconds: 1_774_695_600)
        let delay = try NtfyDelay.instant("tomorrow 2:30", now: now, zone: zone)
        #expect("\(delay)" == "2026-03-29T01:00:00Z")
        #expect("\(try NtfyDelay.instant("tomorrow 3:30", now: now, zone: zone))" == "2026-03-29T01:30:00Z")
    }
}
