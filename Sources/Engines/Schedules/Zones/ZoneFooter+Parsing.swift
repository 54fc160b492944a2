extension ZoneFooter {
    /// Reads the bytes of a footer; nil if they are not a rule with explicit changes.
    init?(parsing text: some Collection<UInt8>) {
        guard text.count <= 256 else { return nil }
        var scanner = Scanner(bytes: Array(text))
        guard scanner.name(), let west = scanner.time(hours: 24) else { return nil }
        standard = -west
        guard !scanner.isAtEnd else { return }
        guard scanner.name() else { return nil }
        var offset = standard + 3600
        if !scanner.isNext(",") {
            guard let west = scanner.time(hours: 24) else { return nil }
            offset = -west
        }
        guard scanner.skip(","), let start = scanner.change(), scanner.skip(","), let end = scanner.change(),
            scanner.isAtEnd
        else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    private struct Scanner {
        var bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        func isNext(_ mark: Unicode.Scalar) -> Bool {
            position < bytes.count && UInt32(bytes[position]) == mark.value
        }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard isNext(mark) else { return false }
            position += 1
            return true
        }

        /// An abbreviation: letters, or anything printable in angle brackets.
        mutating func name() -> Bool {
            let start = position
            if skip("<") {
                while position < bytes.count, !isNext(">") { position += 1 }
                return position > start + 1 && skip(">")
            }
            while position < bytes.count, (0x41...0x5A).contains(bytes[position] & 0xDF) { position += 1 }
            return position > start
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            var value: Int?
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                let next = (value ?? 0) * 10 + Int(bytes[position] - 0x30)
                guard next <= range.upperBound else { return nil }
                value = next
                position += 1
            }
            guard let value, range.contains(value) else { return nil }
            return value
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time(hours: Int) -> Int64? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hour = number(0...hours) else { return nil }
            var seconds = hour * 3600
            for unit in [60, 1] where skip(":") {
                guard let part = number(0...59) else { return nil }
                seconds += part * unit
            }
            return Int64(isNegative ? -seconds : seconds)
        }

        mutating func change() -> Change? {
            let day: Change.Day
            if skip("M") {
                guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
                    let weekday = number(0...6)
                else { return nil }
                day = .weekday(month: month, week: week, weekday: weekday)
            } else if skip("J") {
                guard let number = number(1...365) else { return nil }
                day = .withoutLeapDay(number)
            } else {
                guard let number = number(0...365) else { return nil }
                day = .withLeapDay(number)
            }
            guard skip("/") else { return Change(day: day, time: 7200) }
            guard let time = time(hours: 167) else { return nil }
            return Change(day: day, time: time)
        }
    }
}
