import TestSupport
import Testing

@testable import Goals

struct HostileTextTests {
    private let pieces = [
        "1", "9", ".", ",", "-", "+", "e", "/", "^", "·", "*", "²", "km", "min", "per", " ", "\u{0}", "é", "🏃", "m",
        "1e-400", "0",
        "99999999999999999999999999999999999999", "h", "A", "F", "2026-11-22", "\n",
    ]

    @Test(arguments: ["4m/s*k", "4 m·k/s", "2 /s·m", "3 kg/m·s^-1"])
    func `a divisor between factors reads back as it is printed`(text: String) throws {
        let quantity = try #require(Quantity(parsing: text.replacing("2 /", with: "2 1/"), custom: true))
        #expect(Quantity(parsing: "\(quantity)", custom: true) == quantity)
    }

    @Test func `a word that looks like a known unit in lower case is not one of its own`() {
        #expect(Quantity(parsing: "11 m/S", custom: true) == nil)
        #expect(Quantity(parsing: "11 S", custom: true) == nil && Quantity(parsing: "11 s") != nil)
    }

    @Test func `the words before a divisor are no units, however they are written`() {
        for text in ["3 prO", "3 pro^-1", "3 1/PER²"] {
            #expect(Quantity(parsing: text, custom: true) == nil, "\(text)")
        }
        #expect(Quantity(parsing: "3 km PRO h") == Quantity(parsing: "3 km/h"))
    }

    @Test func `any text is read or refused, and what is read prints and reads back`() {
        var generator = SeededGenerator(50)
        var read = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            for style in NumberStyle.allCases {
                if let number = Rational(parsing: text, style: style) {
                    read += 1
                    _ = number.doubleValue
                    if number.description.utf8.count <= Rational.maxCharacters {
                        #expect(Rational(parsing: number.description) == number)
                    }
                }
            }
            if let unit = Unit(parsing: text, custom: true) {
                read += 1
                #expect(Unit(parsing: unit.description, custom: true)?.dimension == unit.dimension)
            }
            _ = Quantity(parsing: text, custom: true)
            _ = LocalDay(parsing: text)
            _ = EntityID(text)
        }
        #expect(read > 1000)
    }
}
