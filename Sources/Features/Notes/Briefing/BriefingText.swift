import GatewayAPI

/// The sentences over a briefing's cards, made without a model. Each sentence ends with the numbers of the cards that it is
/// about.
enum BriefingText {
    /// The text over cards.
    static func text(of cards: [BriefingCard]) -> String {
        guard !cards.isEmpty else { return "Nothing new today." }
        return BriefingCard.Kind.allCases.compactMap { kind in
            let found = cards.filter { $0.kind == kind }
            return found.isEmpty ? nil : sentence(kind, found) + " " + found.map { "[\($0.number)]" }.joined()
        }.joined(separator: " ")
    }

    private static func sentence(_ kind: BriefingCard.Kind, _ cards: [BriefingCard]) -> String {
        let names = BriefingCards.list(cards.map { "\"\($0.title)\"" })
        switch kind {
        case .openTasks:
            let count = cards.first?.tasks?.count ?? 0
            let reason = cards.first?.reason ?? ""
            return "\(count == 1 ? "1 task is" : "\(count) tasks are") open: \(lowerFirst(reason))"
        case .goals:
            let names = BriefingCards.list((cards.first?.goals ?? []).map { "\"\(BriefingCards.short($0.title))\"" })
            return "\(cards.first?.goals?.count == 1 ? "This goal is" : "These goals are") due today: \(names)."
        case .newThread:
            return cards.count == 1 ? "There is a new thread, \(names)." : "There are new threads: \(names)."
        case .heatingThread:
            return cards.count == 1
                ? "The thread \(names) got more notes than usual." : "The threads \(names) got more notes than usual."
        case .nearPair:
            return cards.count == 1
                ? "Two notes are similar: \(names)." : "\(cards.count) pairs of notes are similar: \(names)."
        case .onThisDay: return "\(cards.first?.reason ?? "")"
        case .forgotten: return "Recent notes are close to what you wrote long ago: \(names)."
        case .book: return "You are reading \(names)."
        }
    }

    private static func lowerFirst(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}
