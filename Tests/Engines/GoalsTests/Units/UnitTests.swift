import TestSupport
import Testing

@testable import Goals

struct UnitTests {
    @Test(
        arguments: [
            ("5 km", "m", "5000 m"), ("1 mi", "km", "1.609344 km"), ("90 min", "h", "1.5 h"),
            ("1 lb", "g", "453.59237 g"),
            ("26.2 miles", "km", "42.1648128 km"), ("10 km/h", "m/s", "25/9 m/s"), ("5 min/km", "s/m", "0.3 s/m"),
            ("100 kcal", "kJ", "418.4 kJ"), ("2 l", "ml", "2000 ml"), ("1 gal", "l", "3.785411784 l"),
            ("3 Stunden", "minutes", "180 min"), ("12 Seiten", "pages", "12 pages"), ("1 kg·m²/s²", "J", "1 J"),
            ("50 %", "1", "0.5 1"), ("1 m^3", "l", "1000 l"), ("60 km/h", "mi/h", "3906250/104775 mi/h"),
            ("5 km", "min", nil), ("5 m", "min", nil), ("3 pages", "steps", nil), ("5 EUR", "USD", nil),
            ("5 min/km", "km/h", nil), ("5 m²", "m", nil),
        ] as [(String, String, String?)])
    func `conversion is exact or refused`(text: String, unit: String, expected: String?) throws {
        let quantity = try #require(Quantity(parsing: text))
        let expected = expected.map { Quantity(parsing: $0) }
        #expect(quantity.converted(to: try #require(Unit(parsing: unit))) == expected ?? nil)
    }

    @Test(arguments: [
        ("m", "km"), ("m", "min"), ("m", "minutes"), ("h", "hours"), ("s", "steps"), ("l", "laps"), ("g", "kg"),
        ("mi", "min"), ("t", "times"), ("in", "min"), ("st", "steps"), ("page", "pages"),
    ])
    func `names are compared whole`(name: String, other: String) throws {
        let unit = try #require(Unit(parsing: name))
        let second = try #require(Unit(parsing: other))
        let isSame = [("h", "hours"), ("page", "pages")].contains { $0 == (name, other) }
        #expect((unit == second) == isSame)
    }

    @Test(arguments: [
        "", " ", "/", "km/", "/h", "km//h", "km^0", "km^10", "km^x", "blorp", "km h", "m²²", "5", "·", "M", "km\0",
        String(repeating: "m", count: 200), String(repeating: "m·", count: 20) + "m", "per", "m^-", "-",
    ])
    func `other texts are no units`(text: String) { #expect(Unit(parsing: text) == nil) }

    @Test func `a word of one's own is a dimension of its own`() throws {
        let chips = try #require(Unit(parsing: "Bananas", custom: true))
        #expect(chips.description == "bananas")
        #expect(!chips.fits(try #require(Unit(parsing: "pages"))))
        #expect(Unit(parsing: "bananas/wk", custom: true)?.dimension.powers.count == 2)
        #expect(Unit(parsing: "9to5", custom: true) == nil)
        #expect(Unit(parsing: "a b", custom: true) == nil)
    }

    private static let names = ["km", "mi", "h", "min", "kg", "lb", "pages", "EUR", "kcal", "l", "yd", "s"]

    private func random(_ generator: inout SeededGenerator) throws -> Unit {
        var unit = try #require(Unit(parsing: "1"))
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let next = try #require(Unit(parsing: Self.names.randomElement(using: &generator) ?? "km"))
            let product = Bool.random(using: &generator) ? unit.multiplied(by: next) : unit.divided(by: next)
            unit = try #require(product)
        }
        return unit
    }

    @Test func `products and quotients of units obey the algebra`() throws {
        var generator = SeededGenerator(4)
        for _ in 0..<2000 {
            let (a, b) = (try random(&generator), try random(&generator))
            let product = try #require(a.multiplied(by: b))
            #expect(product.fits(try #require(b.multiplied(by: a))))
            #expect(product.factor == a.factor.multiplied(by: b.factor))
            let back = try #require(product.divided(by: b))
            #expect(back.fits(a) && back.factor == a.factor)
            #expect(try #require(a.divided(by: a)).dimension == .none)
            #expect(a.canonical.fits(a) && a.canonical.factor == .one)
            let read = try #require(Unit(parsing: product.description))
            #expect(read.fits(product) && read.factor == product.factor)
        }
    }

    @Test(.slow) func `conversion there and back never drifts`() throws {
        var generator = SeededGenerator(5)
        for _ in 0..<2000 {
            let unit = try random(&generator)
            let amount = try #require(Rational(Double.random(in: 0...1e6, using: &generator)))
            var quantity = Quantity(amount, unit)
            for _ in 0..<50 {
                guard let next = quantity.converted(to: unit.canonical) else { break }
                quantity = try #require(next.converted(to: unit))
            }
            #expect(quantity == Quantity(amount, unit))
            #expect(Quantity(parsing: quantity.description)?.amount == amount)
        }
    }

    @Test(
        arguments: [
            ("1.500,5 m", NumberStyle.german, "1500.5 m"), ("1,500.5m", .english, "1500.5 m"),
            ("12,5 km", .german, "12.5 km"),
            ("km", .plain, nil), ("5", .plain, nil), ("5 blorp", .plain, nil), ("-5 km", .plain, "-5 km"),
        ] as [(String, NumberStyle, String?)])
    func `quantities are read`(text: String, style: NumberStyle, expected: String?) {
        #expect(Quantity(parsing: text, style: style)?.description == expected)
    }
}
