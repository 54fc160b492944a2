import Language

/// Reads numbers, times of day and dates from lexemes.
struct QuantityReader {
    private let lexemes: [Lexeme]
    private let language: WrittenLanguage

    init(_ lexemes: [Lexeme], _ language: WrittenLanguage) {
        self.lexemes = lexemes
        self.language = language
    }

    /// What begins at a lexeme: quantities, and the index behind them; nil when no number begins there.
    func read(at index: Int) -> (quantities: [ComparedQuantity], end: Int)? {
        guard let first = lexeme(index) else { return nil }
        switch first.kind {
        case .digits: return date(index) ?? clock(index) ?? decimal(index)
        case .word: return written(index)
        case .sign: return nil
        }
    }

    private func lexeme(_ index: Int) -> Lexeme? { lexemes.indices.contains(index) ? lexemes[index] : nil }

    /// The sign at an index, if no white space stands before it.
    private func sign(_ index: Int) -> String? {
        guard let lexeme = lexeme(index), lexeme.kind == .sign, !lexeme.hasSpace else { return nil }
        return lexeme.folded
    }

    private func digits(_ index: Int, touching: Bool = true) -> (text: String, value: Double)? {
        guard let lexeme = lexeme(index), lexeme.kind == .digits, !(touching && lexeme.hasSpace),
            lexeme.folded.utf8.count <= 15, let value = Double(lexeme.folded)
        else { return nil }
        return (lexeme.folded, value)
    }

    /// `2024-03-03`, `3.3.2024`, `3/3/2024`: year, month and day, each a number.
    private func date(_ index: Int) -> (quantities: [ComparedQuantity], end: Int)? {
        guard let separator = sign(index + 1), ["-", ".", "/"].contains(separator), sign(index + 3) == separator,
            let first = digits(index, touching: false), let second = digits(index + 2), let third = digits(index + 4),
            second.text.utf8.count <= 2
        else { return nil }
        guard first.text.utf8.count == 4 && separator == "-" || third.text.utf8.count == 4 && separator != "-" else {
            return nil
        }
        // `12/31/2024` has the month first.
        let isMonthFirst = separator == "/" && second.value > 12
        let month = isMonthFirst ? first.value : second.value
        guard (1...12).contains(month) else { return nil }
        let others = isMonthFirst ? [second.value, third.value] : [first.value, third.value]
        let quantities = others.map { ComparedQuantity(value: $0) } + [ComparedQuantity(value: month, isMonth: true)]
        return (quantities, index + 5)
    }

    /// `19:23`, `14 h 30`, `7.30 pm`: minutes since midnight.
    private func clock(_ index: Int) -> (quantities: [ComparedQuantity], end: Int)? {
        guard let hour = digits(index, touching: false), hour.value < 25, hour.text.utf8.count <= 2 else { return nil }
        var minute: (text: String, value: Double)?
        if sign(index + 1) == ":" {
            minute = digits(index + 2)
        } else if lexeme(index + 1)?.folded == "h" {
            minute = digits(index + 2, touching: false)
        } else if sign(index + 1) == ".", lexeme(index + 3)?.folded == "uhr" {
            minute = digits(index + 2)
        }
        guard let minute, minute.text.utf8.count == 2, minute.value < 60 else { return nil }
        let (shift, end) = half(of: hour.value, index + 3)
        return ([ComparedQuantity(value: (hour.value + shift) * 60 + minute.value, unit: Self.clockUnit)], end)
    }

    private static let clockUnit = ComparedUnit(dimension: .clock, factor: 1)

    /// The hours that `pm` adds, and the index behind it.
    private func half(of hour: Double, _ index: Int) -> (shift: Double, end: Int) {
        guard let word = lexeme(index)?.folded else { return (0, index) }
        if word == "pm" || word == "am" { return (word == "pm" && hour < 12 ? 12 : 0, index + 1) }
        if word == "uhr" || word == "o'clock" { return (0, index + 1) }
        return (0, index)
    }

    /// Digits with separators of thousands and decimals, a magnitude and a unit.
    private func decimal(_ index: Int) -> (quantities: [ComparedQuantity], end: Int)? {
        guard let first = digits(index, touching: false) else { return nil }
        var value = first.value
        var end = index + 1
        var isFraction = false
        while !isFraction, let (separator, next) = separator(end), let more = digits(next, touching: separator != " ") {
            let isGroup = more.text.utf8.count == 3 && first.text.utf8.count <= 3
            let isThousands = separator == "'" || separator == " " || separator == (language == .english ? "," : ".")
            if isGroup, isThousands {
                value = value * 1000 + more.value
            } else if separator == "." || separator == "," {
                value += more.value / Self.power(more.text.utf8.count)
                isFraction = true
            } else {
                break
            }
            end = next + 1
        }
        return measured(value, end, sign: currency(before: index))
    }

    /// What divides the digits before an index from digits at the second index. A space does in `1 200`.
    private func separator(_ index: Int) -> (sign: String, next: Int)? {
        if let sign = sign(index) { return (sign, index + 1) }
        return lexeme(index)?.kind == .digits ? (" ", index) : nil
    }

    private func currency(before index: Int) -> ComparedUnit? {
        guard let lexeme = lexeme(index - 1), lexeme.kind == .sign, let unit = ComparedUnit.named(lexeme.folded),
            unit.dimension != .percent
        else { return nil }
        return unit
    }

    /// Words for numbers: `twelve`, `sixty-two`.
    private func written(_ index: Int) -> (quantities: [ComparedQuantity], end: Int)? {
        guard let word = lexeme(index)?.folded, var value = SpokenNumber.value(word) else { return nil }
        // `requests per second`
        if word == "second", let before = lexeme(index - 1)?.folded, ["per", "a", "every"].contains(before) {
            return nil
        }
        var end = index + 1
        if SpokenNumber.isTens(word) {
            let next = sign(end) == "-" ? end + 1 : end
            if let one = lexeme(next)?.folded, let more = SpokenNumber.value(one), more >= 1, more < 10 {
                value += more
                end = next + 1
            }
        }
        guard var read = measured(value, end, sign: nil) else { return nil }
        for index in read.quantities.indices {
            read.quantities[index].isOrdinal = NumberWords.ordinals[word] != nil
            read.quantities[index].isWeak = SpokenNumber.isWeak(word) && read.end == end
        }
        return read
    }

    private static func power(_ digits: Int) -> Double { (0..<digits).reduce(1.0) { scale, _ in scale * 10 } }

    /// Adds the magnitude and the unit behind a number.
    private func measured(_ value: Double, _ start: Int, sign: ComparedUnit?) -> (
        quantities: [ComparedQuantity], end: Int
    )? {
        var value = value
        var end = start
        if let word = lexeme(end)?.folded, let magnitude = ComparedUnit.magnitude(word) {
            value *= magnitude
            end += 1
        } else if sign != nil, let word = lexeme(end), !word.hasSpace, ["m", "k"].contains(word.folded) {
            value *= word.folded == "m" ? 1e6 : 1e3
            end += 1
        }
        if let sign { return ([ComparedQuantity(value: value, unit: sign)], end) }
        // `five-year`
        let next = self.sign(end) == "-" ? end + 1 : end
        guard let word = lexeme(next)?.folded else { return ([ComparedQuantity(value: value)], end) }
        if word == "pm" || word == "am" || word == "uhr" || word == "o'clock", value < 25 {
            let (shift, behind) = half(of: value, next)
            return ([ComparedQuantity(value: (value + shift) * 60, unit: Self.clockUnit)], behind)
        }
        if word == "per" || word == "pour", lexeme(next + 1)?.folded == "cent" {
            return ([ComparedQuantity(value: value, unit: ComparedUnit.named("%"))], next + 2)
        }
        guard let unit = ComparedUnit.named(word) else { return ([ComparedQuantity(value: value)], end) }
        return ([ComparedQuantity(value: value, unit: unit)], next + 1)
    }
}
