/// Parses and formats the dates of the API and of the notes database, in UTC unless a date has an offset.
package enum Timestamp {
    /// Parses `YYYY-MM-DD`, `YYYY-MM-DD HH:MM[:SS[.fff]]` or ISO 8601 with `T` and `Z` or an offset.
    ///
    /// - Returns: Seconds since 1970 in UTC, fractions dropped; nil for anything else.
    package static func unixSeconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        var scanner = Scanner(text: Array(text.utf8))
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), (1...12).contains(month),
            (1...daysIn(month: month, year: year)).contains(day)
        else { return nil }
        var seconds = daysSince1970(year: year, month: month, day: day) * 86_400
        if scanner.isAtEnd { return Int64(seconds) }
        guard scanner.skip("T") || scanner.skip(" ") || scanner.skip("t") else { return nil }
        guard let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), hour < 24, minute < 60
        else { return nil }
        var second = 0
        if scanner.skip(":") {
            guard let value = scanner.digits(2), value <= 60 else { return nil }
            second = value
            if scanner.skip(".") || scanner.skip(",") { scanner.skipDigits() }
        }
        seconds += hour * 3600 + minute * 60 + second
        _ = scanner.skip(" ")
        if scanner.isAtEnd || ((scanner.skip("Z") || scanner.skip("z")) && scanner.isAtEnd) { return Int64(seconds) }
        let sign = scanner.skip("+") ? -1 : scanner.skip("-") ? 1 : 0
        guard sign != 0, let offsetHours = scanner.digits(2) else { return nil }
        _ = scanner.skip(":")
        let offsetMinutes = scanner.digits(2) ?? 0
        guard scanner.isAtEnd, offsetHours < 24, offsetMinutes < 60 else { return nil }
        return Int64(seconds + sign * (offsetHours * 3600 + offsetMinutes * 60))
    }

    /// The seconds since 1970 that a four-digit year can express: 0000-01-01 00:00:00 to 9999-12-31 23:59:59.
    package static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC, in the proleptic Gregorian calendar that ``unixSeconds(_:)``
    /// reads. Clamps times to the years 0000 to 9999.
    package static func text(_ unixSeconds: Int64) -> String {
        let seconds = min(max(unixSeconds, range.lowerBound), range.upperBound)
        // Counts from the year 0000, so that no division has a negative operand.
        let (days, rest) = Int(seconds - range.lowerBound).quotientAndRemainder(dividingBy: 86_400)
        // Years begin in March, so that leap days come last; day 0 is 0000-03-01, a whole cycle earlier.
        let day = days - 60 + daysInCycle
        let dayOfCycle = day % daysInCycle
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + (day / daysInCycle - 1) * 400 + (month <= 2 ? 1 : 0)
        var text: [UInt8] = []
        text.reserveCapacity(19)
        func add(_ number: Int, _ end: Unicode.Scalar?) {
            text.append(UInt8(ascii: "0") + UInt8(number / 10))
            text.append(UInt8(ascii: "0") + UInt8(number % 10))
            if let end { text.append(UInt8(ascii: end)) }
        }
        add(year / 100, nil)
        add(year % 100, "-")
        add(month, "-")
        add(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, " ")
        add(rest / 3600, ":")
        add(rest / 60 % 60, ":")
        add(rest % 60, nil)
        return String(decoding: text, as: UTF8.self)
    }

    /// Formats a time as ISO 8601 in UTC, `YYYY-MM-DDTHH:MM:SSZ`. Clamps like ``text(_:)``.
    package static func iso8601(_ unixSeconds: Int64) -> String {
        let text = text(unixSeconds)
        return "\(text.prefix(10))T\(text.suffix(8))Z"
    }

    /// Formats milliseconds since 1970 as ISO 8601 in UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`. Clamps like ``text(_:)``.
    package static func milliseconds(_ time: Int64) -> String {
        let rest = (time % 1000 + 1000) % 1000
        let text = iso8601((time &- rest) / 1000)
        return "\(text.dropLast()).\(padded(Int(rest), 3))Z"
    }

    /// Days of 400 years, after which the calendar repeats.
    private static let daysInCycle = 146_097

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private static func daysIn(month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns days in the proleptic Gregorian calendar, counted in years that begin in March so that leap days come
    /// last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        // A whole cycle later, so that no division has a negative operand.
        let shifted = (month <= 2 ? year - 1 : year) + 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - daysInCycle
    }

    private struct Scanner {
        let text: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func digits(_ count: Int) -> Int? {
            guard position + count <= text.count else { return nil }
            var value = 0
            for byte in text[position..<position + count] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            position += count
            return value
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func skipDigits() {
            while position < text.count, text[position] >= 0x30, text[position] <= 0x39 { position += 1 }
        }
    }
}
