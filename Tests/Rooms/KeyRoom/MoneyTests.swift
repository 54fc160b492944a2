import Foundation
import GatewayAPI
import TestSupport
import Testing

@testable import KeyRoom

@Suite struct Amounts {
    @Test func `texts are read exactly, and other texts are not`() {
        #expect(Money("5")?.billionths == 5_000_000_000)
        #expect(Money("0.25")?.billionths == 250_000_000)
        #expect(Money("0.000000001")?.billionths == 1)
        #expect(Money("1000000")?.units == 1_000_000)
        for wrong in ["", "-1", "1,5", "1e3", "nan", "inf", "1000000.1", ".", "1.2.3", " 1"] {
            #expect(Money(wrong) == nil, "\(wrong)")
        }
        for wrong in [-0.1, .nan, .infinity, 1_000_001] { #expect(Money(units: wrong) == nil) }
    }

    @Test func `amounts are written as people do`() {
        let shown = ["5", "0.5", "0.25", "0.1234567", "0.000001", "0.0000001", "12.345", "0.9999999", "19.999", "0"]
            .map { Money($0)?.text }
        #expect(
            shown == ["5.00", "0.50", "0.25", "0.123457", "0.000001", "0.00", "12.35", "1.00", "20.00", "0.00"])
        #expect(Money(billionths: .max).text.hasPrefix("9223372036.8"))
    }

    @Test func `sums stay within what can be stored`() {
        #expect(Money(billionths: .max) + Money(billionths: 1) == Money(billionths: .max))
        #expect(Money(billionths: -5) == .zero)
    }

    @Test func `months begin and end where the calendar says`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var random = SeededGenerator(7)
        for _ in 0..<Gear.rounds(2_000) {
            let seconds = Int64.random(in: 0...4_102_444_800, using: &random)
            let day = UTCDay(unixSeconds: seconds)
            let month = try #require(
                calendar.dateInterval(of: .month, for: Date(timeIntervalSince1970: Double(seconds))))
            #expect(day.firstOfMonth == UTCDay(unixSeconds: Int64(month.start.timeIntervalSince1970)))
            #expect(day.firstOfNextMonth == UTCDay(unixSeconds: Int64(month.end.timeIntervalSince1970)))
        }
    }
}

@Suite struct GrantTerms {
    @Test func `a key that another made has at most its limits and its priority`() {
        let maker = KeyGrant(requestsAtOnce: 2, budgetPerMonth: Money("3"), priority: .low)
        let made = KeyGrant(requestsAtOnce: 5, budgetPerMonth: nil, priority: .high).narrowed(to: maker)
        #expect(made.requestsAtOnce == 2 && made.budgetPerMonth == Money("3") && made.priority == .low)
        var admin = KeyGrant.everything
        admin.priority = .low
        #expect(KeyGrant(priority: .high).narrowed(to: admin).priority == .high)
    }

    @Test func `a key gives neither a higher priority nor money that is counted`() {
        #expect(!KeyGrant(priority: .normal).mayGive(KeyGrant(priority: .high)))
        #expect(KeyGrant(priority: .high).mayGive(KeyGrant(priority: .high)))
        #expect(!KeyGrant(budgetPerMonth: Money("1")).mayGive(KeyGrant()))
        #expect(KeyGrant(requestsAtOnce: 1).mayGive(KeyGrant()))
        #expect(KeyGrant.everything.mayGive(KeyGrant(priority: .high)))
    }
}
