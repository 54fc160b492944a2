import Foundation
import GatewayAPI

/// The values that routes take, and those that they should refuse.
extension RandomValues {
    /// Bodies beside those of `UnknownFieldsLive`. An empty text is always replaced.
    static let samples: [(method: String, path: String, body: String)] = [
        ("POST", "/api/goals/decisions", #"{"action":"","goal":"","answer":"counted"}"#),
        ("POST", "/api/goals/reviews", #"{"kind":"term","term":""}"#), ("POST", "/api/goals/undo", #"{"turn":""}"#),
        (
            "POST", "/api/goals",
            #"{"title":"Run","target":{"amount":50,"unit":"km"},"start_date":"2026-11-01","target_date":"2026-12-24","keywords":["run"]}"#
        ),
        ("POST", "/api/actions", #"{"title":"run","amounts":[{"amount":5,"unit":"km"}],"day":"2026-11-27"}"#),
        ("POST", "/api/notes/retrieve", #"{"query":"tide","mode":"keyword"}"#),
        ("POST", "/api/notes/retrieve", #"{"query":"the moon"}"#), ("POST", "/api/search", #"{"query":"moon"}"#),
        ("POST", "/api/notes/search", #"{"query":"tide"}"#), ("POST", "/api/memories/retrieve", #"{"query":"tea"}"#),
        ("POST", "/api/related-notes", #"{"noteId":""}"#),
        ("POST", "/api/notes/thread-assignments", #"{"noteIds":[1,2,3]}"#),
        ("POST", "/api/tasks/drafts", #"{"text":"I will call Ada","thread":1}"#),
        ("POST", "/api/v1/notifications", #"{"title":"t","id":"x1"}"#),
        ("POST", "/api/v1/devices", #"{"name":"hook","webhook":{"url":"http://127.0.0.1:9/x"}}"#),
        ("POST", "/ntfy", #"{"topic":"home","message":"hi","title":"t"}"#),
        ("POST", "/api/books/retrieve", #"{"query":"tide"}"#), ("POST", "/api/books/1/retrieve", #"{"query":"tide"}"#),
        ("POST", "/api/v1/api-keys", #"{"name":"n"}"#), ("POST", "/api/admin/keys", #"{"name":"n"}"#),
        ("PATCH", "/api/admin/keys/1", #"{"requests_per_minute":5}"#),
        ("PUT", "/api/v1/devices/1", #"{"name":"n"}"#), ("PATCH", "/api/v1/messages/1", #"{"message":{"title":"t"}}"#),
        ("POST", "/api/v1/deliveries/1/receipts", #"{"event":"opened"}"#),
    ]

    /// The rows that a field names: a route's, or a field of other answers.
    static let references = [
        "noteId": "/api/notes", "noteIds": "/api/notes", "thread": "/api/threads", "goal": "/api/goals",
        "goals": "/api/goals", "action": "/api/actions", "value": "/api/values", "term": "/api/terms",
        "device": "/api/v1/devices", "devices": "/api/v1/devices", "message": "message", "session": "/api/sessions",
        "ids": "/api/memories", "books": "/api/books", "space": "/api/admin/spaces", "revision": "revision",
        "version": "version", "cursor": "cursor", "change": "number", "turn": "turn", "unit": "unit",
    ]

    /// Values of fields whose form a schema does not tell.
    static let usual: [String: [JSONValue]] = decoded(
        #"""
        {"zone": ["Europe/Berlin", "UTC", "America/New_York", "Asia/Kolkata", "Mars/X"],
        "at": ["07:30", "22:00", "2026-12-24T18:00", "2030-01-01T00:00"], "start": ["2026-11-28T10:00", "2026-12-01"],
        "cron": ["0 8 * * *", "*/5 * * * 1-5", "61 * * * *"], "rrule": ["FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;BYDAY=MO", "X"],
        "model": ["llama3.2", "nomic-embed-text", "none"], "url": ["http://127.0.0.1:9/hook", "https://example.invalid/x"],
        "webhookUrl": ["http://127.0.0.1:9/hook"], "delay": [3600, 86400], "limit": [1, 2, 3, 10, 50],
        "name": ["alpha", "beta", "gamma", "tide", "Gauge"], "title": ["tide gauge", "Run 5 km", "école", "e\u0301cole"],
        "tags": [["sea"], ["sea", "Moon"], [], ["a", "A"], ["ä"], ["sea", "sea"]],
        "threads": [["Gauge"], ["Tables", "gauge"], [], ["Straße"], ["STRASSE", "Gauge", "Gauge"]],
        "topic": ["default", "jobs", "home"], "unit": ["km", "min", "pages", "Stück"],
        "query": ["tide", "moon bread", "#sea", "\"tide gauge\"", "100%", "a_b", "école", "STRASSE", "ı", "tide when yesterday"],
        "q": ["tide", "a", "%", "_", "ß", "É", "run", "km"], "content": ["the tide and the moon #sea", "the moon, 80%"],
        "text": ["ran 5 km in 28 min yesterday", "read 20 pages", "call mother tomorrow", "todo: buy milk by Friday"],
        "from": ["2026-11-01", "2026-11-28"], "to": ["2026-11-28", "2026-12-31"], "date": ["2026-11-28", "1999-01-01"],
        "start_time": ["2026-11-28T07:30:00+01:00", "2026-11-27T23:30:00Z"], "Idempotency-Key": ["k1", "k2", "k3"],
        "scopes": [["notes:read"], ["admin"], ["notes:read", "notes:write"]], "label": ["1", "2", "iv"],
        "expires": ["30d", "never", 1800000000], "since": ["2026-11-28", "2026-11-27T10:00:00Z", "2030-05-05"]}
        """#)

    /// The fields of ``usual`` that mostly have other texts.
    static let texts: Set = ["title", "content", "query", "text", "q", "name"]

    static let patterns: [(part: String, texts: [String])] = [
        ("(19|2[0-3])", ["2026-11-28", "2026-11-27", "2026-11-20", "2026-12-24", "2027-01-31", "2026-10-01"]),
        ("[0-9]{4}-(0[1-9]", dates), ("[01][0-9]|2[0-3]", ["07:30", "22:00", "00:00", "24:00", "23:59"]),
        ("{32,200}", [String(repeating: "ab", count: 32), String(repeating: "cd", count: 32)]),
        ("^[a-z0-9-]{1,64}$", ["water", "plants", "a-b"]), ("A-Za-z0-9_-]{1,64}", ["default", "jobs", "home", "a-b"]),
    ]

    static let dates = [
        "2026-11-28", "2026-11-27T10:00:00Z", "2025-01-01 12:00:00", "2030-05-05", "1969-12-31", "0001-01-01",
        "9999-12-31",
        "2026-02-30", "2026-11-28T10:00:00+05:30", "2026-11-28T10:00:00.123456Z", "yesterday", "2024-02-29",
    ]

    static let words = [
        "tide", "moon", "gauge", "bread", "flour", "water", "run", "swim", "read", "book", "garden", "Mond", "Straße",
        "naïve", "café", "İstanbul", "ﬁsh", "100%", "a_b", "#sea", "#Übung", "ran", "5", "km", "yesterday", "28", "min",
        "plan", "call", "mother", "buy", "milk", "todo",
    ]

    static let oddTexts = [
        "\u{0}", "a\u{0}b", "🌊🌙", "👩‍👩‍👧‍👦", "e\u{301}cole", "\u{E9}cole", "שלום עולם", "مرحبا", "\u{200F}\u{202E}abc", "ﬀ",
        "İ", "ß",
        "ẞ", "\u{2126}", "\u{212A}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", " ", "\n", "\t x", "", "%", "_", "\\", "'",
        "\"",
        "; DROP TABLE notes", "$1", "{{x}}", String(repeating: "x", count: 300),
        String(repeating: "\u{E9}", count: 130),
        String(repeating: "🌊", count: 70), "\u{1}", "null", "0", "-0", "1e400", "\r\n", "  lead", "trail  ", "A", "a",
        "Z",
        "z", "ä", "Ä", "\u{2028}", "🇩🇪",
    ]

    /// Values of any type, in place of what a field expects.
    static let odd: [JSONValue] = [
        .null, .bool(true), .integer(0), .integer(-1), .number(1.5), .string("x"), .array([]), .object([:]),
        .string(""),
        .integer(.max), .integer(.min), .number(1e300),
    ]

    private static func decoded(_ text: String) -> [String: [JSONValue]] {
        (try? JSONDecoder().decode([String: [JSONValue]].self, from: Data(text.utf8))) ?? [:]
    }
}
