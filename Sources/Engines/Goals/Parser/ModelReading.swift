package import Language

/// What a model read from an utterance, unchecked. ``ActionDraft/complete(with:of:language:today:)`` takes over what holds.
package struct ModelReading: Equatable, Sendable {
    /// A field that a model can be asked for.
    package enum Field: String, Sendable, CaseIterable {
        /// What was done, in a word.
        case activity
        /// Amounts with units.
        case amounts
        /// The duration.
        case minutes
        case day
        /// The time of day.
        case time
        /// Words that name a goal.
        case goal
    }

    /// An amount with its unit.
    package struct Amount: Equatable, Sendable {
        package let amount: Double
        package let unit: String

        package init(amount: Double, unit: String) {
            self.amount = amount
            self.unit = unit
        }
    }

    /// A word such as `run`.
    package var activity: String?
    /// In the order of the text.
    package var amounts: [Amount] = []
    /// How long it took.
    package var minutes: Double?
    /// A date such as `2026-11-22`.
    package var day: String?
    /// A time such as `07:30`, or a part of the day.
    package var time: String?
    /// Words of the utterance that name a goal.
    package var goal: String?

    /// Creates a reading without fields.
    package init() {}
}

extension ActionDraft {
    /// Minutes that a model may state: ten days, as for actions.
    private static let maxMinutes = 14_400.0
    /// Characters of an activity or a goal's name from a model.
    private static let maxCharacters = 60

    /// The fields to ask a model for: those that are open while words are left. A field that was refused is not open: only the
    /// person knows what was meant.
    package var missing: [ModelReading.Field] {
        guard !rest.isEmpty else { return [] }
        let dates: Set<UtteranceRefusal.Reason> = [.noSuchDate, .future, .ambiguousDate, .contradiction, .notADay]
        let reasons = Set(refusals.map(\.reason))
        return ModelReading.Field.allCases.filter { field in
            switch field {
            case .activity: activity == nil
            case .amounts: measures.isEmpty && reasons.isDisjoint(with: [.negativeAmount, .unclearAmount])
            case .minutes: minutes == nil && !reasons.contains(.unclearAmount)
            case .day: day == nil && reasons.isDisjoint(with: dates)
            case .time: time == nil && !reasons.contains(.noSuchTime)
            case .goal: goal == nil
            }
        }
    }

    /// Takes over the fields of a model that were open and that hold: amounts whose number and unit the text states, a
    /// duration where it states a number or a unit of time, names of words that are left. A date that does not exist or has not come, a
    /// time that no clock shows and an amount below 0 are refused, not dropped.
    ///
    /// - Returns: The fields that were taken over.
    package mutating func complete(
        with reading: ModelReading, of text: String, language: WrittenLanguage? = nil, today: LocalDay
    ) -> [ModelReading.Field] {
        let stated = StatedWords(text, language: language ?? WrittenLanguage(detecting: text))
        var taken: [ModelReading.Field] = []
        for field in missing {
            let isTaken =
                switch field {
                case .activity: take(activity: reading.activity)
                case .amounts: take(amounts: reading.amounts, stated)
                case .minutes: take(minutes: reading.minutes, stated)
                case .day: take(day: reading.day, today)
                case .time: take(time: reading.time)
                case .goal: take(goal: reading.goal)
                }
            if isTaken { taken.append(field) }
        }
        return taken
    }

    /// Whether words are among those that the parser left.
    private func isLeft(_ words: [String]) -> Bool {
        let left = Set(rest.flatMap { ComparisonWords.split($0) })
        return words.allSatisfy(left.contains)
    }

    private mutating func take(activity name: String?) -> Bool {
        let words = ComparisonWords.split(name ?? "")
        guard !words.isEmpty, words.joined(separator: " ").count <= Self.maxCharacters else { return false }
        if let known = words.lazy.compactMap({ ActivityLexicon.entry(of: $0) }).first {
            activity = known.key
        } else {
            guard isLeft(words) else { return false }
            activity = words.joined(separator: " ")
        }
        return true
    }

    private mutating func take(amounts: [ModelReading.Amount], _ stated: StatedWords) -> Bool {
        var found: [Quantity] = []
        for one in amounts.prefix(Action.maxAmounts) {
            if one.amount < 0 {
                refusals.append(UtteranceRefusal(reason: .negativeAmount, text: "\(one.amount) \(one.unit)"))
                continue
            }
            guard let amount = Rational(one.amount), stated.numbers.contains(amount),
                let unit = Unit(parsing: one.unit)
                    ?? (stated.has(ComparisonWords.split(one.unit))
                        ? Unit(parsing: one.unit, custom: true) : nil),
                unit.dimension != Unit(parsing: "min")?.dimension
            else { continue }
            found.append(Quantity(amount, unit))
        }
        measures = found
        return !found.isEmpty
    }

    private mutating func take(minutes value: Double?, _ stated: StatedWords) -> Bool {
        guard let value, value > 0, value <= Self.maxMinutes, stated.hasTime, let amount = Rational(value) else {
            return false
        }
        minutes = amount
        return true
    }

    private mutating func take(day text: String?, _ today: LocalDay) -> Bool {
        guard let text else { return false }
        guard let found = LocalDay(parsing: text) else {
            refusals.append(UtteranceRefusal(reason: .noSuchDate, text: String(text.prefix(Self.maxCharacters))))
            return false
        }
        guard found <= today else {
            refusals.append(UtteranceRefusal(reason: .future, text: found.description))
            return false
        }
        // Without a day an action is of today.
        guard found < today else { return false }
        day = found
        return true
    }

    private mutating func take(time text: String?) -> Bool {
        guard let text else { return false }
        if let part = DayPart(rawValue: text) {
            time = .part(part)
            return true
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ part in
                (1...2).contains(part.utf8.count) && part.utf8.allSatisfy { byte in byte >= 0x30 && byte <= 0x39 }
            }),
            let hour = UInt8(parts[0]),
            let minute = UInt8(parts[1]), hour < 24, minute < 60
        else {
            refusals.append(UtteranceRefusal(reason: .noSuchTime, text: String(text.prefix(Self.maxCharacters))))
            return false
        }
        time = .minute(Int(hour) * 60 + Int(minute))
        return true
    }

    private mutating func take(goal name: String?) -> Bool {
        let words = ComparisonWords.split(name ?? "")
        guard !words.isEmpty, words.joined(separator: " ").count <= Self.maxCharacters, isLeft(words) else {
            return false
        }
        goal = words.joined(separator: " ")
        return true
    }
}

/// The words and numbers that an utterance states.
private struct StatedWords {
    /// The numbers, in digits and words.
    let numbers: Set<Rational>
    /// Whether it states a number or a unit of time, so that it may state a duration.
    let hasTime: Bool
    private let words: Set<String>

    private static let timeWords = Set(
        ComparisonWords.split(
            """
            second seconds minute minutes min mins hour hours hr hrs quarter half sekunde sekunden minuten stunde stunden \
            viertelstunde dreiviertelstunde halbe
            """))

    init(_ text: String, language: WrittenLanguage) {
        let utterance = Utterance(text, language: language)
        var numbers: Set<Rational> = []
        for index in utterance.indices {
            for thousands in [false, true] {
                if let found = NumberReader.read(utterance, at: index, thousands: thousands) {
                    numbers.insert(found.value)
                }
            }
        }
        let words = Set(ComparisonWords.split(text))
        self.numbers = numbers
        self.words = words
        let hasNumber = utterance.tokens.contains { $0.kind == .number }
        hasTime = hasNumber || !words.isDisjoint(with: Self.timeWords)
    }

    func has(_ wanted: [String]) -> Bool { !wanted.isEmpty && wanted.allSatisfy(words.contains) }
}
