import Testing

@testable import Goals

/// What is taken over of a model's reading, and what is refused.
@Suite struct ModelReadingTests {
    private static let today = LocalDay(parsing: "2026-11-22") ?? .earliest

    private func draft(_ text: String) -> ActionDraft { UtteranceParser(today: Self.today).parse(text) }

    private func completed(
        _ text: String, _ change: (inout ModelReading) -> Void
    ) -> (draft: ActionDraft, taken: [ModelReading.Field]) {
        var (draft, reading) = (draft(text), ModelReading())
        change(&reading)
        let taken = draft.complete(with: reading, of: text, today: Self.today)
        return (draft, taken)
    }

    @Test func `an utterance that is wholly understood is asked nothing about, one that is not about its open fields`()
    {
        #expect(draft("ran 5 km in 28 min yesterday").missing.isEmpty)
        #expect(draft("zorbed 5 km downhill").missing == [.activity, .minutes, .day, .time, .goal])
        // A field that was refused is for the person alone.
        let refused = draft("zorbed 5 km on 31 February")
        #expect(refused.refusals.map(\.reason) == [.noSuchDate] && !refused.missing.contains(.day))
        #expect(!draft("zorbed at 25:00 downhill").missing.contains(.time))
        #expect(!draft("zorbed -5 km downhill").missing.contains(.amounts))
    }

    @Test func `open fields that hold are taken over, others stay as the parser read them`() {
        let found = completed("zorbed 5 km downhill with the club the day before last Friday") { reading in
            (reading.activity, reading.day, reading.time, reading.goal) = ("zorbed", "2026-11-19", "evening", "Club")
            reading.amounts = [ModelReading.Amount(amount: 7, unit: "km")]
        }
        #expect(found.draft.activity == "zorbed" && found.draft.measures.map(\.description) == ["5 km"])
        #expect(found.draft.time == .part(.evening) && found.draft.goal == "club")
        #expect(found.taken.contains(.activity) && !found.taken.contains(.amounts))
        // A known activity need not be a word of the text.
        #expect(completed("zorbed downhill") { $0.activity = "Running" }.draft.activity == "run")
        #expect(completed("zorbed downhill") { $0.activity = "zymurgy" }.taken.isEmpty)
        #expect(completed("zorbed downhill") { $0.goal = "marathon" }.taken.isEmpty)
    }

    @Test func `numbers that the text does not state are no amounts, and no durations come from nowhere`() {
        func amounts(_ text: String, _ amount: Double, _ unit: String) -> [String] {
            completed(text) { $0.amounts = [ModelReading.Amount(amount: amount, unit: unit)] }.draft.measures
                .map(\.description)
        }
        #expect(amounts("zorbed twelve glorbs", 12, "glorbs") == ["12 glorbs"])
        #expect(amounts("zorbed twelve glorbs", 13, "glorbs").isEmpty)
        #expect(amounts("zorbed twelve glorbs", 12, "wumps").isEmpty)
        #expect(amounts("zorbed downhill", 5, "km").isEmpty)
        #expect(amounts("zorbed downhill", .nan, "km").isEmpty && amounts("zorbed", .infinity, "km").isEmpty)
        #expect(completed("zorbed downhill") { $0.minutes = 30 }.taken.isEmpty)
        for wrong in [0, -5, 14_401, .nan, .infinity] as [Double] {
            #expect(completed("zorbed half the afternoon") { $0.minutes = wrong }.taken.isEmpty, "\(wrong)")
        }
        #expect(completed("zorbed half an eternity") { $0.minutes = 30 }.draft.minutes == Rational(30))
    }

    @Test func `wrong dates, times and amounts are refused, never dropped`() {
        for (day, reason) in [
            ("2026-02-31", UtteranceRefusal.Reason.noSuchDate), ("tomorrow", .noSuchDate), ("2026-11-23", .future),
            ("9999-01-01", .noSuchDate), ("", .noSuchDate), (String(repeating: "9", count: 5000), .noSuchDate),
        ] {
            let found = completed("zorbed downhill") { $0.day = day }
            #expect(found.draft.day == nil && found.taken.isEmpty)
            #expect(found.draft.refusals.map(\.reason) == [reason], "\(day)")
            #expect(found.draft.refusals.allSatisfy { $0.text.count <= 60 })
        }
        for time in ["25:00", "7", "7:60", "+7:05", "noonish", "07:30:00", ":", "²3:00"] {
            let found = completed("zorbed downhill") { $0.time = time }
            #expect(found.draft.time == nil && found.draft.refusals.map(\.reason) == [.noSuchTime], "\(time)")
        }
        let negative = completed("zorbed 5 glorbs") { $0.amounts = [ModelReading.Amount(amount: -5, unit: "glorbs")] }
        #expect(negative.draft.refusals.map(\.reason) == [.negativeAmount])
    }
}
