/// An amount in the currency of the price list, exact to a billionth. Amounts of other signs than plus do not exist.
package struct Money: Sendable, Hashable, Comparable {
    /// Billionths in one unit of the currency.
    private static let unit: Int64 = 1_000_000_000
    /// The largest amount that a person may enter, in units of the currency.
    package static let most = 1_000_000.0

    /// The amount in billionths of a unit; at least 0.
    package let billionths: Int64

    package static let zero = Money(billionths: 0)

    /// Creates an amount; a negative one counts as 0.
    package init(billionths: Int64) { self.billionths = max(0, billionths) }

    /// The amount next to a number of units; nil for one that is no number, is negative or is above ``most``.
    package init?(units: Double) {
        guard units >= 0, units <= Self.most else { return nil }
        self.init(billionths: Int64((units * Double(Self.unit)).rounded()))
    }

    /// Reads digits with an optional point, such as `5` or `0.25`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }),
            let units = Double(text)
        else { return nil }
        self.init(units: units)
    }

    /// The amount in units of the currency.
    package var units: Double { Double(billionths) / Double(Self.unit) }

    /// The amount with two digits behind the point, or with up to six below one unit.
    package var text: String {
        let digits = billionths >= Self.unit ? 2 : 6
        let scale: Int64 = digits == 2 ? 10_000_000 : 1000
        let rounded = billionths / scale + (billionths % scale >= scale / 2 ? 1 : 0)
        let perUnit = Self.unit / scale
        let rest = String(rounded % perUnit)
        var behind = Substring(String(repeating: "0", count: max(0, digits - rest.utf8.count)) + rest)
        while behind.utf8.count > 2, behind.last == "0" { behind.removeLast() }
        return "\(rounded / perUnit).\(behind)"
    }

    package static func < (one: Money, other: Money) -> Bool { one.billionths < other.billionths }

    /// The sum; the largest amount that can be stored in place of an overflow.
    package static func + (one: Money, other: Money) -> Money {
        let (sum, overflow) = one.billionths.addingReportingOverflow(other.billionths)
        return Money(billionths: overflow ? .max : sum)
    }

    package static func += (one: inout Money, other: Money) { one = one + other }
}
