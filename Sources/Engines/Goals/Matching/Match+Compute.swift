extension Match {
    /// Points of a thousand. Period, unit and keyword make 0.9, the confidence of the original app.
    private enum Points {
        static let period = 150
        static let unit = 250
        static let keyword = 500
        static let titleWords = 300
        static let meaning = 300
    }

    /// Compares an action with a goal.
    ///
    /// `meaning` is the similarity of their texts, 0 to 1; nil without a model. Period and unit are conditions: an action
    /// outside of the period, or without an amount that converts, never counts and nobody is asked.
    package init(_ action: ActionFacts, _ goal: GoalRule, meaning: Double? = nil) {
        let isInPeriod = goal.isOpen(on: action.day)
        let period = Share(
            component: .period, points: isInPeriod ? Points.period : 0,
            reason: "\(action.day) is \(isInPeriod ? "within" : "outside of") \(goal.start) to \(goal.end)")
        let (unit, amount) = Self.unit(action, goal)
        shares = [period, unit, Self.words(action, goal), Self.meaning(meaning)]
        self.amount = amount
        if !isInPeriod || amount == nil {
            verdict = .no
        } else {
            let confidence = Self.confidence(of: shares)
            verdict =
                confidence >= Self.countingConfidence ? .counts : confidence >= Self.askingConfidence ? .asks : .no
        }
    }

    /// Whether period and unit fit: without them an action never counts for a goal.
    package static func mayCount(_ action: ActionFacts, _ goal: GoalRule) -> Bool {
        goal.isOpen(on: action.day) && unit(action, goal).1 != nil
    }

    private static func unit(_ action: ActionFacts, _ goal: GoalRule) -> (Share, Rational?) {
        guard let unit = goal.unit else {
            let fits = goal.hints.isEmpty || goal.hints.contains { action.amount(in: $0) != nil }
            let names = goal.hints.map(\.description).joined(separator: ", ")
            let reason =
                goal.hints.isEmpty
                ? "the goal counts actions" : "\(fits ? "an" : "no") amount converts to \(names)"
            return (Share(component: .unit, points: fits ? Points.unit : 0, reason: reason), fits ? .one : nil)
        }
        let amount = action.amount(in: unit)
        let reason = amount.map { "adds \($0) \(unit)" } ?? "no amount converts to \(unit)"
        return (Share(component: .unit, points: amount == nil ? 0 : Points.unit, reason: reason), amount)
    }

    private static func words(_ action: ActionFacts, _ goal: GoalRule) -> Share {
        if let keyword = goal.keywords.first(where: { action.words.has($0) }) {
            let reason = "the title has \"\(keyword.joined(separator: " "))\""
            return Share(component: .words, points: Points.keyword, reason: reason)
        }
        let shared = goal.titleWords.intersection(action.words).sorted()
        guard !shared.isEmpty else { return Share(component: .words, points: 0, reason: "no word in common") }
        return Share(
            component: .words, points: Points.titleWords * shared.count / goal.titleWords.count,
            reason: "the titles share \(shared.map { "\"\($0)\"" }.joined(separator: ", "))")
    }

    private static func meaning(_ similarity: Double?) -> Share {
        guard let similarity, similarity.isFinite else {
            return Share(component: .meaning, points: 0, reason: "the meanings were not compared")
        }
        let points = Int(Double(Points.meaning) * min(max(similarity, 0), 1))
        return Share(
            component: .meaning, points: points, reason: "the meanings are \(points * 100 / Points.meaning) % alike")
    }
}

extension [String] {
    /// Whether the words stand here one after the other.
    fileprivate func has(_ words: [String]) -> Bool {
        guard let first = words.first, count >= words.count else { return false }
        return (0...(count - words.count)).contains { start in
            self[start] == first && self[start..<(start + words.count)].elementsEqual(words)
        }
    }
}
