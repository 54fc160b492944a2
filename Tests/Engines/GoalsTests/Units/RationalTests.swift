import TestSupport
import Testing

@testable import Goals

struct RationalTests {
    @Test(
        arguments: [
            ("5", .plain, "5"), ("-2.50", .plain, "-2.5"), ("1/3", .plain, "1/3"), ("2/4", .plain, "0.5"),
            ("1e-3", .plain, "0.001"), ("1e3", .plain, "1000"), (".5", .plain, "0.5"), ("1,234.5", .english, "1234.5"),
            ("1.234,5", .german, "1234.5"), ("1,5", .english, "1.5"), ("1.5", .german, "1.5"),
            ("1.500", .german, "1500"),
            ("0.500", .german, "0.5"), ("10,000", .english, "10000"), ("10,000", .german, "10"), ("-0", .plain, "0"),
            ("1,23,456", .english, nil), ("1/0", .plain, nil), ("", .plain, nil), ("-", .plain, nil),
            (".", .plain, nil),
            ("1.2.3", .plain, nil), ("1e999", .plain, nil), ("1e-9223372036854775808", .plain, nil),
            ("1e38", .plain, "1" + String(repeating: "0", count: 38)),
            ("1e39", .plain, nil), ("٣", .plain, nil), ("1e", .plain, nil), ("0x10", .plain, nil),
            (String(repeating: "9", count: 49), .plain, nil),
        ] as [(String, NumberStyle, String?)])
    func `numbers are read and printed`(text: String, style: NumberStyle, expected: String?) {
        #expect(Rational(parsing: text, style: style)?.description == expected)
    }

    @Test func `a double comes back to the last bit`() {
        var generator = SeededGenerator(1)
        var compared = 0
        for round in 0..<20_000 {
            let value =
                round % 2 == 0
                ? Double.random(in: 0...1e6, using: &generator)
                : Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
            guard let exact = Rational(value) else { continue }
            compared += 1
            #expect(exact.doubleValue == value)
        }
        #expect(compared > 10_000)
        #expect(Rational(0.1)?.description == "0.1")
        #expect(Rational(0.1 + 0.2)?.doubleValue == 0.1 + 0.2)
        #expect(Rational(.nan) == nil && Rational(.infinity) == nil && Rational(1e300) == nil)
    }

    @Test func `fractions round to the nearest double`() throws {
        var generator = SeededGenerator(2)
        for _ in 0..<5000 {
            let above = Int128(Int.random(in: 1...(1 << 53), using: &generator))
            let below = Int128(Int.random(in: 1...(1 << 53), using: &generator))
            let fraction = try #require(Rational(above, over: below))
            // The division of two exact doubles rounds once, by IEEE 754.
            #expect(fraction.doubleValue == Double(above) / Double(below))
            let factor = Int128(Int.random(in: 1...(1 << 60), using: &generator))
            let widened = try #require(Rational(above * factor, over: below * factor))
            #expect(widened == fraction)
        }
        #expect(Rational(.max, over: 1)?.doubleValue == Double(Int128.max))
        #expect(Rational(1, over: .max)?.doubleValue == 1 / Double(Int128.max))
    }

    @Test func `arithmetic obeys the laws of a field`() throws {
        var generator = SeededGenerator(3)
        func random() throws -> Rational {
            let value = Rational(
                Int128(Int.random(in: -1_000_000...1_000_000, using: &generator)),
                over: Int128(Int.random(in: 1...100_000, using: &generator)))
            return try #require(value)
        }
        for _ in 0..<2000 {
            let (a, b, c) = (try random(), try random(), try random())
            #expect(a.adding(b) == b.adding(a))
            #expect(a.adding(b)?.adding(c) == b.adding(c)?.adding(a))
            #expect(a.multiplied(by: b)?.multiplied(by: c) == b.multiplied(by: c)?.multiplied(by: a))
            let distributed = a.multiplied(by: b).flatMap { first in a.multiplied(by: c).flatMap { first.adding($0) } }
            #expect(b.adding(c).flatMap { a.multiplied(by: $0) } == distributed)
            #expect(a.subtracting(a) == .zero)
            if b != .zero { #expect(a.multiplied(by: b)?.divided(by: b) == a) }
            #expect((a < b) == (a.subtracting(b).map { $0.numerator < 0 }))
            #expect(Rational(parsing: a.description) == a)
        }
    }

    @Test func `results beyond 128 bits are nil`() throws {
        let huge = try #require(Rational(.max, over: 1))
        let tiny = try #require(Rational(1, over: .max))
        #expect(huge.adding(.one) == nil)
        #expect(huge.multiplied(by: huge) == nil)
        #expect(tiny.multiplied(by: tiny) == nil)
        #expect(huge.divided(by: tiny) == nil)
        #expect(huge.divided(by: .zero) == nil)
        #expect(huge.multiplied(by: tiny) == .one)
        #expect(tiny < huge && !(huge < tiny) && huge.negated < tiny)
        #expect(Rational(.min, over: 1) == nil && Rational(1, over: .min) == nil && Rational(1, over: 0) == nil)
        #expect(huge.roundedUp == nil)
        #expect(Rational(7, over: 2)?.roundedUp == 4)
        #expect(Rational(-7, over: 2)?.roundedUp == -3)
    }
}
