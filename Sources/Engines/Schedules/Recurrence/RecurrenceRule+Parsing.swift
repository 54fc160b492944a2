extension RecurrenceRule {
    /// Reads a rule such as `FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0`; a prefix `RRULE:` is allowed.
    ///
    /// `excluded` are the walls of `EXDATE`, at most ``maxExcluded``. Throws ``ScheduleError`` of the kind `syntax`.
    package init(parsing text: String, start: WallTime, excluding excluded: [WallTime] = []) throws(ScheduleError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw ScheduleError(
                .syntax, "recurrence rule: expected at most \(Self.maxBytes) bytes, got \(text.utf8.count)")
        }
        guard excluded.count <= Self.maxExcluded else {
            throw ScheduleError(.syntax, "EXDATE: expected at most \(Self.maxExcluded) times, got \(excluded.count)")
        }
        var source = text.uppercased()[...]
        if source.hasPrefix("RRULE:") { source = source.dropFirst(6) }
        var parts: [Substring: Substring] = [:]
        for part in source.split(separator: ";", omittingEmptySubsequences: true) {
            guard let mark = part.firstIndex(of: "=") else {
                throw ScheduleError(.syntax, "recurrence rule, \"\(part)\": expected NAME=VALUE")
            }
            let name = part[..<mark]
            guard parts.updateValue(part[part.index(after: mark)...], forKey: name) == nil else {
                throw ScheduleError(.syntax, "recurrence rule: \(name) is there twice")
            }
        }
        guard let name = parts.removeValue(forKey: "FREQ"),
            let frequency = Frequency(rawValue: name.lowercased())
        else {
            throw ScheduleError(
                .syntax, "FREQ: expected YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY or MINUTELY")
        }
        self.init(start: start, frequency: frequency)
        self.excluded = Set(excluded)
        for (name, value) in parts.sorted(by: { $0.key < $1.key }) { try read(name, value) }
        try check()
        fillFromStart()
    }

    private mutating func read(_ name: Substring, _ value: Substring) throws(ScheduleError) {
        switch name {
        case "INTERVAL": interval = try Self.number(name, value, 1...Self.maxInterval)
        case "COUNT": count = try Self.number(name, value, 1...Self.maxCount)
        case "UNTIL": until = try Self.until(value)
        case "BYMONTH":
            months = try Self.bits(name, value, 1...12)
            hasMonths = true
        case "BYMONTHDAY":
            var days = MonthDays()
            for item in Self.items(value) {
                let day = try Self.signed(name, item, 1...31)
                if day > 0 { days.fromStart |= 1 << UInt64(day) } else { days.fromEnd |= 1 << UInt64(-day) }
            }
            monthDays = days
        case "BYDAY":
            var days: UInt64 = 0
            for item in Self.items(value) {
                let weekday = try Self.weekday(name, item.suffix(2))
                if item.count == 2 {
                    days |= 1 << UInt64(weekday)
                } else {
                    let position = try Self.signed(name, item.dropLast(2), 1...53)
                    nthWeekdays.append(NthWeekday(position: position, weekday: weekday))
                }
            }
            weekdays = days
        case "BYHOUR": hours = try Self.bits(name, value, 0...23)
        case "BYMINUTE": minutes = try Self.bits(name, value, 0...59)
        case "BYSETPOS":
            for item in Self.items(value) { positions.append(try Self.signed(name, item, 1...366)) }
        case "WKST": weekStart = try Self.weekday(name, value)
        default:
            throw ScheduleError(
                .syntax,
                "recurrence rule: \(name.prefix(32)) is not supported; expected FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, "
                    + "BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSETPOS or WKST")
        }
    }

    private func check() throws(ScheduleError) {
        if count != nil, until != nil {
            throw ScheduleError(.syntax, "recurrence rule: expected COUNT or UNTIL, got both")
        }
        if !nthWeekdays.isEmpty, frequency != .monthly, frequency != .yearly {
            throw ScheduleError(.syntax, "BYDAY: a count such as 2MO needs FREQ=MONTHLY or YEARLY")
        }
        if frequency == .weekly, monthDays != nil {
            throw ScheduleError(.syntax, "BYMONTHDAY is not valid with FREQ=WEEKLY")
        }
        let hasOther = hasMonths || monthDays != nil || weekdays != nil || hours != nil || minutes != nil
        if !positions.isEmpty, !hasOther {
            throw ScheduleError(.syntax, "BYSETPOS needs another BY… part to choose from")
        }
    }

    /// Fills in the days that the rule leaves open.
    private mutating func fillFromStart() {
        guard monthDays == nil, weekdays == nil else { return }
        let (_, month, day) = start.date
        switch frequency {
        case .yearly:
            if !hasMonths { months = 1 << UInt64(month) }
            monthDays = MonthDays(fromStart: 1 << UInt64(day))
        case .monthly: monthDays = MonthDays(fromStart: 1 << UInt64(day))
        case .weekly: weekdays = 1 << UInt64(start.weekday)
        case .daily, .hourly, .minutely: break
        }
    }

    // MARK: Values

    private static func items(_ value: Substring) -> [Substring] {
        value.split(separator: ",", omittingEmptySubsequences: false)
    }

    private static func number(
        _ name: Substring, _ text: Substring, _ range: ClosedRange<Int>
    ) throws(ScheduleError) -> Int {
        guard (1...7).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else {
            throw ScheduleError(
                .syntax, "\(name): expected \(range.lowerBound) to \(range.upperBound), got \"\(text.prefix(32))\"")
        }
        return number
    }

    /// A number of the range, or its negative.
    private static func signed(
        _ name: Substring, _ text: Substring, _ range: ClosedRange<Int>
    ) throws(ScheduleError) -> Int {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        let value = try number(name, digits, range)
        return isNegative ? -value : value
    }

    private static func bits(
        _ name: Substring, _ text: Substring, _ range: ClosedRange<Int>
    ) throws(ScheduleError) -> UInt64 {
        var bits: UInt64 = 0
        for item in items(text) { bits |= 1 << UInt64(try number(name, item, range)) }
        return bits
    }

    private static func weekday(_ name: Substring, _ text: Substring) throws(ScheduleError) -> Int {
        guard let weekday = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].firstIndex(of: String(text)) else {
            throw ScheduleError(.syntax, "\(name): expected SU, MO, TU, WE, TH, FR or SA, got \"\(text.prefix(32))\"")
        }
        return weekday
    }

    private static func until(_ text: Substring) throws(ScheduleError) -> Until {
        if text.hasSuffix("Z"), let wall = WallTime(parsing: text.dropLast()) {
            return .instant(Instant(seconds: wall.seconds))
        }
        if let wall = WallTime(parsing: text.utf8.count == 8 ? text + "T235959" : text) { return .wall(wall) }
        throw ScheduleError(
            .syntax, "UNTIL: expected a time such as 20261231T235959 or 20261231T225959Z, got \"\(text.prefix(32))\"")
    }
}
