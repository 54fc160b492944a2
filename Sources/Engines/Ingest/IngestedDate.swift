import Foundation

/// Reads dates as people and programs write them.
enum IngestedDate {
    /// A date that was read.
    struct Found: Equatable {
        /// `YYYY-MM-DD`, perhaps with a time.
        var text: String
        /// Whether the text was not in the documented form.
        var isRead: Bool
    }

    /// Reads a date; nil for an ambiguous or impossible one, such as 03/04/2024 or 30 February.
    static func read(_ text: String) -> Found? {
        let text = text.trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "[" || $0 == "]" }
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        if isDocumented(text) { return Found(text: text, isRead: false) }
        if let seconds = epoch(text) { return Found(text: seconds, isRead: true) }
        guard let day = day(tokens(text)) else { return nil }
        return Found(text: day, isRead: true)
    }

    /// Whether a text is `YYYY-MM-DD` with a date that exists, alone or with a time as ISO 8601 has it.
    private static func isDocumented(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Int(text.prefix(4)), let month = Int(text.dropFirst(5).prefix(2)),
            let day = Int(text.dropFirst(8).prefix(2)), exists(year, month, day)
        else { return false }
        let rest = text.dropFirst(10)
        guard let first = rest.first else { return true }
        guard first == "T" || first == "t" || first == " " else { return false }
        let parts = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ":") }
            .split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? 99 }
        guard parts.count >= 2, parts.count <= 3, parts[0] < 24, parts[1] < 60, parts.count < 3 || parts[2] <= 60
        else { return false }
        // Each number of a time has two digits.
        let time = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ":") }
        guard time.utf8.count == (parts.count == 2 ? 5 : 8) else { return false }
        let zone = rest.dropFirst(1 + time.count).drop { $0 == "." || $0 == "," || ($0.isASCII && $0.isNumber) }
            .drop { $0 == " " }
        if zone.isEmpty || zone == "Z" || zone == "z" { return true }
        guard zone.first == "+" || zone.first == "-" else { return false }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard digits.count == 2 || digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let hours = Int(digits.prefix(2)), let minutes = Int("0" + digits.dropFirst(2))
        else { return false }
        return hours < 24 && minutes < 60
    }

    /// A time in ISO 8601; nil outside of the years 1 to 9999.
    ///
    /// - Parameter seconds: Seconds since 1970.
    static func text(_ seconds: Double) -> String? {
        guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
        return Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601)
    }

    /// Seconds or milliseconds since 1970.
    private static func epoch(_ text: String) -> String? {
        let digits = text.prefix { $0 != "." }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), digits.count == 10 || digits.count == 13,
            text.dropFirst(digits.count).dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int(digits)
        else { return nil }
        let days = (digits.count == 13 ? number / 1000 : number) / 86_400
        let seconds = (digits.count == 13 ? number / 1000 : number) % 86_400
        // Days to a date by Howard Hinnant's algorithm, for days after 1970.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return iso(year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
            + " \(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    private enum Token: Equatable {
        case number(Int, digits: Int)
        case month(Int)
        case mark(Character)
    }

    /// Numbers, names of months, and the marks between them. Other words, such as days of the week, are left out.
    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(text.lowercased())
        while let first = rest.first {
            if first.isASCII, first.isNumber {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(digits.count)
                tokens.append(.number(Int(digits) ?? -1, digits: digits.count))
            } else if first.isLetter {
                let word = rest.prefix { $0.isLetter }
                rest = rest.dropFirst(word.count)
                if let month = months.firstIndex(where: { names in names.contains { matches(word, $0) } }) {
                    tokens.append(.month(month + 1))
                } else if word == "t" {
                    tokens.append(.mark("t"))
                }
            } else {
                if !first.isWhitespace { tokens.append(.mark(first)) }
                rest = rest.dropFirst()
            }
        }
        return tokens
    }

    /// The months in English, German, French, Spanish, Italian and Portuguese; a word is a month by its first three letters or
    /// more. Days of the week have no such beginnings.
    private static let months = [
        ["january", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro"],
        ["february", "februar", "feber", "février", "febrero", "febbraio", "fevereiro"],
        ["march", "märz", "maerz", "mars", "marzo", "março"], ["april", "avril", "abril", "aprile"],
        ["may", "mai", "mayo", "maggio", "maio"], ["june", "juni", "juin", "junio", "giugno", "junho"],
        ["july", "juli", "juillet", "julio", "luglio", "julho"], ["august", "août", "agosto"],
        ["september", "septembre", "septiembre", "setiembre", "settembre", "setembro"],
        ["october", "oktober", "octobre", "octubre", "ottobre", "outubro"],
        ["november", "novembre", "noviembre", "novembro"],
        ["december", "dezember", "décembre", "diciembre", "dicembre", "dezembro"],
    ]

    private static func matches(_ word: Substring, _ month: String) -> Bool {
        word.count >= 3 && month.hasPrefix(word) || word == "sept" && month == "september"
    }

    /// The day that tokens begin with.
    private static func day(_ all: [Token]) -> String? {
        // 20240115, perhaps with a time behind it.
        if case .number(let number, digits: 8)? = all.first {
            return exists(number / 10_000, number / 100 % 100, number % 100)
                ? iso(number / 10_000, number / 100 % 100, number % 100) : nil
        }
        if let named = namedDay(all) { return named }
        guard all.count >= 5, case .number(let first, let digits) = all[0], case .mark(let mark) = all[1],
            case .number(let second, digits: ...2) = all[2], all[3] == .mark(mark),
            case .number(let third, let lastDigits) = all[4], "-/.".contains(mark)
        else { return nil }
        if digits == 4, lastDigits <= 2 { return exists(first, second, third) ? iso(first, second, third) : nil }
        guard digits <= 2, lastDigits == 4 else { return nil }
        let isDayFirst = exists(third, second, first)
        let isMonthFirst = exists(third, first, second)
        // Dots are between day and month; with other marks both orders are in use.
        if mark == "." { return isDayFirst ? iso(third, second, first) : nil }
        if isDayFirst, isMonthFirst, first != second { return nil }
        return isDayFirst ? iso(third, second, first) : isMonthFirst ? iso(third, first, second) : nil
    }

    /// A day whose month is a name: 15 January 2024, January 15, 2024, 2024 Jan 15.
    private static func namedDay(_ all: [Token]) -> String? {
        guard let place = all.firstIndex(where: { if case .month = $0 { true } else { false } }),
            case .month(let month) = all[place]
        else { return nil }
        let before = all[..<place].compactMap(Self.number)
        let after = all[(place + 1)...].compactMap(Self.number)
        if let day = before.last, day.digits <= 2, let year = after.first, year.digits == 4 {
            return exists(year.value, month, day.value) ? iso(year.value, month, day.value) : nil
        }
        if let year = before.last, year.digits == 4, let day = after.first, day.digits <= 2 {
            return exists(year.value, month, day.value) ? iso(year.value, month, day.value) : nil
        }
        if before.isEmpty, let day = after.first, day.digits <= 2, after.count > 1,
            let year = after.dropFirst().first(where: { $0.digits == 4 })
        {
            return exists(year.value, month, day.value) ? iso(year.value, month, day.value) : nil
        }
        return nil
    }

    private static func number(_ token: Token) -> (value: Int, digits: Int)? {
        if case .number(let value, let digits) = token { (value, digits) } else { nil }
    }

    private static func exists(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func iso(_ year: Int, _ month: Int, _ day: Int) -> String {
        String(repeating: "0", count: max(0, 4 - String(year).count)) + "\(year)-\(two(month))-\(two(day))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}

extension StringProtocol {
    /// The text without characters of a kind at both ends.
    func trimming(_ isDropped: (Character) -> Bool) -> String {
        var rest = self[...].drop(while: isDropped)
        while let last = rest.last, isDropped(last) { rest = rest.dropLast() }
        return String(rest)
    }
}
