import Language

/// Reads amounts with units.
enum MeasureReader {
    /// A unit and the number of its tokens.
    struct UnitReading {
        let unit: Unit
        let count: Int
    }

    /// Names of units that are more often other words.
    private static let ambiguous = WordList.plain(
        "in x mal time times st d t pt set sets satz sätze sätzen lengths kilo")
    /// Words between a number and its unit that change neither.
    private static let adjectives = WordList.plain(
        "new more full big small large long short whole hard neue weitere volle ganze große grosse kleine lange")

    /// The unit at an index: one word (`min/km`), or two (`push ups`).
    static func unit(_ utterance: Utterance, at index: Int) -> UnitReading? {
        guard let token = utterance.token(index), token.kind != .number, !ambiguous.contains(token.folded) else {
            return nil
        }
        if utterance.tokens.indices.contains(index + 1),
            let unit = Unit(parsing: "\(token.text)-\(utterance.word(index + 1))")
        {
            return UnitReading(unit: unit, count: 2)
        }
        guard token.text != "*", token.text != "/", let unit = Unit(parsing: token.text) else { return nil }
        return UnitReading(unit: unit, count: 1)
    }

    /// All amounts in order, and those that were refused; marks the words as used.
    static func read(_ utterance: inout Utterance, activity: String?) -> (
        measures: [Quantity], refusals: [UtteranceRefusal]
    ) {
        var measures: [Quantity] = []
        var refusals: [UtteranceRefusal] = []
        for index in utterance.indices {
            guard let (quantity, range) = amount(utterance, at: index, activity) else {
                // "5-6 miles", "1.2.3 km", "$5.000": digits that are no number.
                let after = adjectives.contains(utterance.word(index + 1)) ? index + 2 : index + 1
                let end = unit(utterance, at: after).map { after + $0.count }
                let isPrice = currency(utterance, at: index - 1) != nil
                if utterance.number(index) != nil, NumberReader.read(utterance, at: index) == nil, isPrice || end != nil
                {
                    let start = isPrice ? index - 1 : WrittenNumber.beginning(utterance, of: index) ?? index
                    let range = start..<(end ?? index + 1)
                    refusals.append(UtteranceRefusal(reason: .unclearAmount, text: utterance.text(range)))
                    utterance.use(range)
                }
                continue
            }
            // "5 km to 6 km"
            var end = range.upperBound
            if WrittenNumber.rangeWords.contains(utterance.word(end)),
                let (other, place) = self.amount(utterance, at: end + 1, activity),
                other.unit.dimension == quantity.unit.dimension
            {
                end = place.upperBound
            }
            let start = WrittenNumber.beginning(utterance, of: range.lowerBound)
            if start != nil || end > range.upperBound {
                let whole = (start ?? range.lowerBound)..<end
                refusals.append(UtteranceRefusal(reason: .unclearAmount, text: utterance.text(whole)))
                utterance.use(whole)
                continue
            }
            let repeats =
                RepeatReader.before(utterance, range.lowerBound) ?? RepeatReader.after(utterance, range.upperBound)
            let text = utterance.text(range)
            utterance.use(range)
            if let repeats { utterance.use(repeats.range) }
            let value = repeats.flatMap { quantity.amount.multiplied(by: $0.factor) } ?? quantity.amount
            if value < .zero {
                refusals.append(UtteranceRefusal(reason: .negativeAmount, text: text))
            } else {
                measures.append(Quantity(value, quantity.unit))
            }
        }
        return (measures, refusals)
    }

    /// The currency whose mark is at an index.
    private static func currency(_ utterance: Utterance, at index: Int) -> BaseUnit? {
        guard utterance.token(index)?.kind == .mark, let unit = UnitTable.unit(named: utterance.word(index)),
            case .money = unit.dimension.powers.first?.base
        else { return nil }
        return unit
    }

    private static func amount(
        _ utterance: Utterance, at index: Int, _ activity: String?
    ) -> (Quantity, Range<Int>)? {
        if let currency = currency(utterance, at: index), let number = NumberReader.read(utterance, at: index + 1),
            let unit = Unit([Unit.Factor(unit: currency, exponent: 1)])
        {
            return (Quantity(number.value, unit), index..<(index + 1 + number.count))
        }
        if let pace = pace(utterance, at: index) { return pace }
        guard let number = NumberReader.read(utterance, at: index, thousands: true) else { return nil }
        var place = index + number.count
        if number.count == 1, utterance.word(place) == "k", unit(utterance, at: place + 1) == nil {
            return nil
        }
        if adjectives.contains(utterance.word(place)) { place += 1 }
        if let reading = unit(utterance, at: place) {
            // A second duration is left to a model.
            guard reading.unit.dimension != Dimension(.time) else { return nil }
            return (Quantity(number.value, reading.unit), index..<(place + reading.count))
        }
        if let sets = sets(utterance, at: index, number) { return sets }
        // "10k" of a runner are kilometres.
        if number.count > 1, utterance.word(place - 1) == "k", utterance.token(place - 1)?.isAttached == true,
            activity.map(ActivityLexicon.coversDistance) ?? false, let kilometre = Unit(parsing: "km"),
            let amount = number.value.divided(by: Rational(1000))
        {
            return (Quantity(amount, kilometre), index..<place)
        }
        return nil
    }

    /// `5x5`: sets of repetitions without a name.
    private static func sets(
        _ utterance: Utterance, at index: Int, _ number: NumberReader.Reading
    ) -> (Quantity, Range<Int>)? {
        guard number.count == 1, utterance.number(index) != nil, ["x", "×"].contains(utterance.word(index + 1)),
            utterance.number(index + 2) != nil, let second = NumberReader.read(utterance, at: index + 2),
            unit(utterance, at: index + 2 + second.count) == nil, let reps = Unit(parsing: "reps"),
            let product = number.value.multiplied(by: second.value)
        else { return nil }
        return (Quantity(product, reps), index..<(index + 2 + second.count))
    }

    /// `5:30 min/km`: minutes and seconds for each kilometre.
    private static func pace(_ utterance: Utterance, at index: Int) -> (Quantity, Range<Int>)? {
        guard let text = utterance.number(index), let reading = unit(utterance, at: index + 1),
            reading.unit.factors.first?.unit.symbol == "min"
        else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 4, parts[1].utf8.count == 2, let minutes = Int(parts[0]),
            let seconds = Int(parts[1]), (0..<60).contains(seconds), minutes >= 0,
            let amount = Rational(Int128(minutes * 60 + seconds), over: 60)
        else { return nil }
        return (Quantity(amount, reading.unit), index..<(index + 1 + reading.count))
    }
}
