import GatewayAPI
import TestSupport
import Testing

/// One calendar for reading and writing, from the year 0000 to 9999.
@Suite struct WrittenTimes {
    @Test(.slow) func `every day of ten thousand years is written as it is read`() {
        var day = Timestamp.range.lowerBound
        var last = ""
        while day <= Timestamp.range.upperBound {
            let text = Timestamp.text(day + 45_296)
            #expect(Timestamp.unixSeconds(text) == day + 45_296, "\(text)")
            #expect(text > last)
            last = text
            day += 86_400 * 13
        }
    }

    @Test(
        arguments: [
            (-62_167_219_200, "0000-01-01 00:00:00"), (-62_162_121_600, "0000-02-29 00:00:00"),
            (-62_135_596_800, "0001-01-01 00:00:00"), (-14_825_462_400, "1500-03-15 00:00:00"),
            (-12_219_292_800, "1582-10-15 00:00:00"), (-12_219_292_801, "1582-10-14 23:59:59"),
            (-1, "1969-12-31 23:59:59"),
            (0, "1970-01-01 00:00:00"), (951_782_400, "2000-02-29 00:00:00"), (1_767_323_045, "2026-01-02 03:04:05"),
            (4_107_542_400, "2100-03-01 00:00:00"), (253_402_300_799, "9999-12-31 23:59:59"),
        ] as [(Int64, String)])
    func `known moments`(_ seconds: Int64, _ text: String) {
        #expect(Timestamp.text(seconds) == text)
        #expect(Timestamp.unixSeconds(text) == seconds)
    }

    @Test func `what four digits cannot write becomes the first or the last moment`() throws {
        for seconds in [Int64.min, -62_167_219_201] { #expect(Timestamp.text(seconds) == "0000-01-01 00:00:00") }
        for seconds in [Int64.max, 253_402_300_800] { #expect(Timestamp.text(seconds) == "9999-12-31 23:59:59") }
        let later = try #require(Timestamp.unixSeconds("9999-12-31T23:59:60-23:59"))
        #expect(Timestamp.unixSeconds(Timestamp.text(later)) == Timestamp.range.upperBound)
        #expect(Timestamp.unixSeconds("1500-03-01").map(Timestamp.text) == "1500-03-01 00:00:00")
        #expect(Timestamp.unixSeconds("0000-01-01").map(Timestamp.text) == "0000-01-01 00:00:00")
    }
}
