import Language
import Schedules
import TestSupport
import Testing

@testable import Goals

struct UtteranceParserTests {
    private let parser: UtteranceParser

    init() throws { parser = UtteranceParser(today: try #require(LocalDay(parsing: "2026-11-22"))) }

    @Test func `a whole utterance becomes a draft`() throws {
        let draft = parser.parse("ran 5 km in 28 min yesterday before work")
        var expected = ActionDraft()
        expected.activity = "run"
        expected.measures = [try #require(Quantity(parsing: "5 km"))]
        expected.minutes = Rational(28)
        expected.day = LocalDay(parsing: "2026-11-21")
        expected.time = .part(.beforeWork)
        #expect(draft == expected)
        #expect(parser.parse("gestern 40 Minuten Klavier geübt").rest.isEmpty)
    }

    @Test(
        arguments: [
            ("ran 5 1/2 miles", "5.5 mi"), ("ran 5½ miles", "5.5 mi"), ("ran 5 ½ miles", "5.5 mi"),
            ("ran ½ mile", "0.5 mi"), ("ran 5-1/2 miles", "5.5 mi"), ("ran 5 and a half miles", "5.5 mi"),
            ("ran 5 and 1/2 miles", "5.5 mi"), ("ran 2 and three quarters miles", "2.75 mi"),
            ("ran a 5 1/2-mile loop", "5.5 mi"), ("ran 1/2 mile", "0.5 mi"), ("biked 1e3 km", "1000 km"),
            ("biked 1.5e2 km", "150 km"), ("biked 1e-1 km", "0.1 km"), ("ran 1,5 km", "1.5 km"),
            ("bin 1,5 km gelaufen", "1.5 km"), ("bin 1.5 km gelaufen", "1.5 km"),
            ("walked 10,000 steps", "10000 steps"), ("bin 10.000 Schritte gegangen", "10000 steps"),
            ("bin 10,000 Schritte gegangen", "10000 steps"), ("bin 10 000 Schritte gegangen", "10000 steps"),
            ("bin 10'000 Schritte gegangen", "10000 steps"), ("walked 10\u{202F}000 steps", "10000 steps"),
            ("walked 1 234 567 steps", "1234567 steps"),
            ("walked 10.000 steps", "10000 steps"), ("bin 5.000 km gefahren", "5000 km"),
            ("biked 5,000 km", "5000 km"), ("walked 5 thousand steps", "5000 steps"),
            ("bin fünf Tausend Schritte gegangen", "5000 steps"), ("read two hundred pages", "200 pages"),
            ("habe fünfeinhalb Kilometer geschafft", "5.5 km"), ("bin 5 einhalb gelaufen", nil),
            ("ran 3 x 5 km", "15 km"), ("ran 5 km", "5 km"), ("read 1 ¾ chapters", "1.75 chapters"),
        ] as [(String, String?)])
    func `a number is read as a whole`(text: String, expected: String?) {
        let draft = parser.parse(text)
        #expect(draft.measures.map(\.description) == (expected.map { [$0] } ?? []), "\(draft.refusals)")
        #expect(draft.refusals.isEmpty)
    }

    @Test(
        arguments: [
            ("slept 7 1/2 hours", 450), ("slept 7½ hours", 450), ("7 ½ Stunden geschlafen", 450),
            ("7,5 Stunden geschlafen", 450), ("slept 7 and a half hours", 450), ("1 1/4 h Yoga", 75),
            ("worked one hundred twenty minutes", nil), ("slept 7 - 8 hours", nil), ("slept 7-8 hours", nil),
            ("schlief 7 bis 8 Stunden", nil), ("slept 7 or 8 hours", nil),
            ("slept 7 h to 8 h", nil), ("ran 5 km in 28 min", 28), ("ran 5 km - 28 min", 28),
        ] as [(String, Int?)])
    func `a duration is read as a whole, or refused`(text: String, expected: Int?) {
        let draft = parser.parse(text)
        #expect(draft.minutes == expected.map { Rational($0) })
        #expect(draft.refusals.map(\.reason) == (expected == nil ? [.unclearAmount] : []), "\(draft)")
    }

    @Test(
        arguments: [
            "ran 5 - 6 miles", "ran 5-6 miles", "ran 5–6 miles", "ran 5 to 6 miles", "bin 5 bis 6 Kilometer gelaufen",
            "ran between 5 and 6 miles", "ran 5 or 6 miles", "ran 5 km to 6 km", "biked 1e999 km", "ran 1 / 2 miles",
            "read one hundred twenty pages", "ran 5.000 km", "ran 5.000 more km", "saved $5.000",
            "bin 5,000 km gelaufen", "ran 5 6 km",
            "bin 5 km oder 6 km gelaufen",
        ])
    func `a part of a number or range is no amount`(text: String) {
        let draft = parser.parse(text)
        #expect(draft.measures.isEmpty && draft.refusals.map(\.reason) == [.unclearAmount], "\(draft)")
    }

    @Test(
        arguments: [
            ("jogged 7 km on Monday and read 40 pages", ["run 7 km 2026-11-16", "read 40 pages 2026-11-16"]),
            ("ran 5 km and read 40 pages yesterday", ["run 5 km 2026-11-21", "read 40 pages 2026-11-21"]),
            ("ran 5 km on Monday and read 40 pages on Tuesday", ["run 5 km 2026-11-16", "read 40 pages 2026-11-17"]),
            ("3 km gelaufen, 8 Stunden geschlafen", ["run 3 km -", "sleep 480 min -"]),
            ("3 km gelaufen 8 Stunden geschlafen", ["run 3 km -", "sleep 480 min -"]),
            ("ran 5 km in 28 min, slept 8 hours", ["run 5 km 28 min -", "sleep 480 min -"]),
            ("ran 5 km, read 20 pages and slept 8 hours", ["run 5 km -", "read 20 pages -", "sleep 480 min -"]),
            ("30 Minuten Klavier geübt und 5 km gelaufen", ["piano 30 min -", "run 5 km -"]),
            // One deed each.
            ("ran 5 km and 3 km", ["run 5 km 3 km -"]), ("ran 5 km in 28 min and 40 seconds", nil),
            ("read 20 pages and 2 chapters", nil), ("slept 8 hours and 20 minutes", nil),
            ("ran 5 km with Anna and Tom", nil),
        ] as [(String, [String]?)])
    func `two deeds in one line are two`(text: String, expected: [String]?) {
        let deeds = parser.deeds(text)
        guard let expected else {
            #expect(deeds.count == 1 && deeds[0].draft == parser.parse(text), "\(deeds)")
            return
        }
        let found = deeds.map(\.draft).map { draft in
            let minutes = draft.minutes.map { ["\($0) min"] } ?? []
            let parts = [draft.activity ?? "?"] + draft.measures.map(\.description) + minutes
            return (parts + [draft.day?.description ?? "-"]).joined(separator: " ")
        }
        #expect(found == expected)
        #expect(deeds.allSatisfy { $0.draft.refusals.isEmpty })
    }

    @Test func `the time of an unknown deed is not that of another`() {
        for text in ["3 km gelaufen, 8 Stunden Büro", "8 Stunden Büro, 3 km gelaufen", "ran 3 km and 8 hours office"] {
            let deeds = parser.deeds(text)
            #expect(deeds.flatMap(\.draft.refusals).map(\.reason) == [.otherActivity], "\(deeds)")
        }
        #expect(parser.deeds("ran 5 km, 28 minutes").flatMap(\.draft.refusals).isEmpty)
        #expect(parser.deeds("ran 5 km, 28 minutes with Anna").flatMap(\.draft.refusals).isEmpty)
    }

    @Test func `what no rule understands is left over`() {
        #expect(parser.parse("read 30 pages of Dune with Anna").rest == ["Dune", "Anna"])
        #expect(parser.parse("emailed 5 clients about the offer").rest == ["5", "clients", "offer"])
        #expect(parser.parse("").rest.isEmpty)
    }

    @Test(
        arguments: [
            ("2026-11-22", "today", "2026-11-22"), ("2026-01-01", "yesterday", "2025-12-31"),
            ("2024-03-01", "yesterday", "2024-02-29"), ("2026-03-01", "on 29 February", "2024-02-29"),
            ("2103-12-31", "on 29 February", "2096-02-29"), ("2026-01-05", "on the 31st", "2025-12-31"),
            ("2026-03-15", "on the 31st", "2026-01-31"), ("2026-11-22", "last Sunday", "2026-11-15"),
            ("2026-11-22", "on 22 November", "2026-11-22"), ("2026-11-22", "on 23 November", nil),
            ("2026-11-22", "on 7 December", "2025-12-07"),
            ("2026-11-22", "am 1.1.99", "1999-01-01"), ("2026-11-22", "am 1.1.27", nil),
            ("2026-11-22", "am 0.1.26", nil),
            ("2026-11-22", "on 1899-12-31", nil), ("2026-11-22", "12 weeks ago", "2026-08-30"),
            ("2026-11-22", "99999999999999999999 days ago", nil), ("1900-01-02", "3 days ago", "1900-01-01"),
        ] as [(String, String, String?)])
    func `dates are those of the calendar`(today: String, text: String, expected: String?) throws {
        let parser = UtteranceParser(today: try #require(LocalDay(parsing: today)))
        let draft = parser.parse("ran 5 km \(text)")
        #expect(draft.day?.description == expected)
    }

    @Test(
        arguments: [
            ("on 31 April", .noSuchDate), ("on 2026-02-30", .noSuchDate), ("am 32.1.", .noSuchDate),
            ("tomorrow", .future),
            ("on 2026-11-23", .future), ("on Friday 13 November 2026", nil),
            ("on Friday 12 November 2026", .contradiction),
            ("yesterday, 20 November", .contradiction), ("yesterday and today", .contradiction),
            ("on 04/05/2026", .ambiguousDate),
            ("on 05/05/2026", nil), ("last month", .notADay), ("at 24:00", .noSuchTime), ("at 0 am", .noSuchTime),
            ("at 12 am", nil), ("um 23:60 Uhr", .noSuchTime),
        ] as [(String, UtteranceRefusal.Reason?)])
    func `wrong dates and times are refused with a reason`(text: String, reason: UtteranceRefusal.Reason?) {
        let draft = parser.parse("ran 5 km \(text)")
        #expect(draft.refusals.map(\.reason) == (reason.map { [$0] } ?? []))
        if [.noSuchDate, .future, .contradiction, .ambiguousDate, .notADay].contains(reason) {
            #expect(draft.day == nil)
        }
        for refusal in draft.refusals { #expect(text.contains(refusal.text) && refusal.description.contains("\"")) }
    }

    @Test(arguments: [
        ("at 12 am", "00:00"), ("at 12 pm", "12:00"), ("at 7 yesterday evening", "19:00"), ("at 7:05", "07:05"),
        ("um halb eins", "00:30"), ("um Viertel vor eins", "00:45"), ("um 7 Uhr 30", "07:30"),
        ("from 11 pm to 1 am", "23:00"),
        ("from 2 to 3 pm", "14:00"), ("tonight", "evening"),
    ])
    func `times are those of the clock`(text: String, expected: String) {
        #expect(
            parser.parse("gelesen \(text)", language: text.contains("um") ? .german : .english).time?.description
                == expected)
    }

    private let pieces = [
        "ran", "5", "km", "gestern", "am", "um", "31.2.", "at", "25:00", "-3", "€", "12,5", "x", "mal", "half", "an",
        "hour",
        "from", "to", "von", "bis", "the", "18th", "for", "goal", "#", "k", "m", "½", "1/0", ".", ",", "Montag", "vor",
        "nach",
        "0:99", "99999999999999999999", "\u{0}", "🏃🏽‍♀️", "e\u{301}", "fünfundvierzig", "und", "*", "/", "min/km",
        "2026-02-30",
    ]

    @Test(.slow) func `any words are read without a trap, the same each time`() {
        var generator = SeededGenerator(30)
        for _ in 0..<800 {
            let words = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            let text = words.joined(separator: Bool.random(using: &generator) ? " " : "")
            let draft = parser.parse(text)
            #expect(draft == parser.parse(text))
            #expect(draft.measures.allSatisfy { $0.amount >= .zero })
            #expect((draft.minutes ?? .zero) >= .zero)
            #expect(draft.day.map { $0 <= parser.today } ?? true)
        }
    }

    @Test(.slow) func `any bytes are read without a trap`() {
        var generator = SeededGenerator(31)
        for _ in 0..<600 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = parser.parse(String(decoding: bytes, as: UTF8.self))
        }
        let long = String(repeating: "a ", count: 3000)
        #expect(parser.parse(long).rest == [long])
        #expect(parser.parse(String(repeating: "5 km ", count: 800)).measures.count <= UtteranceToken.maxTokens)
    }

    @Test func `whatever the day, an utterance never lies in the future`() throws {
        var generator = SeededGenerator(32)
        let texts = [
            "on Monday", "last Friday", "on 29 February", "on the 31st", "am 31.12.", "yesterday", "am Mi", "in May",
        ]
        for _ in 0..<2000 {
            let today = LocalDay(number: Int.random(in: -22_000...150_000, using: &generator))
            let text = texts.randomElement(using: &generator) ?? ""
            let draft = UtteranceParser(today: today).parse("ran \(text)")
            #expect(draft.day.map { $0 <= today } ?? true)
            #expect(draft.refusals.allSatisfy { $0.reason == .future }, "\(text) on \(today)")
        }
    }
}
