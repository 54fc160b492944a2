package import Language

extension UtteranceParser {
    /// Deeds of one utterance at most.
    package static let maxDeeds = 8
    /// Words and marks of an utterance of several deeds at most.
    static let maxTokens = 120

    /// A deed with its own words.
    package struct Deed: Equatable, Sendable {
        /// The words, as they were written up to spaces.
        package var text: String
        /// What they say.
        package var draft: ActionDraft
    }

    /// Reads an utterance that may tell of several deeds: "jogged 7 km on Monday and read 40 pages".
    ///
    /// The text is cut where both sides have an activity with an amount or a duration, and the activities differ. A day that one
    /// deed states holds for those behind it that state none, and the first one for those before it.
    package func deeds(_ text: String, language: WrittenLanguage? = nil) -> [Deed] {
        let whole = Deed(text: text, draft: parse(text, language: language))
        let language = language ?? WrittenLanguage(detecting: text)
        // What is refused as a whole must not get lost in a cut; each deed may have a day of its own, though.
        guard text.utf8.count <= Self.maxBytes,
            whole.draft.refusals.allSatisfy({ $0.reason == .contradiction })
        else { return [whole] }
        let utterance = Utterance(text, language: language)
        guard utterance.tokens.count <= Self.maxTokens else { return [whole] }
        var deeds = cut(utterance, utterance.indices, whole, Self.maxDeeds, language)
        guard deeds.count > 1 else {
            guard let words = other(utterance, whole.draft, language) else { return [whole] }
            deeds[0].draft.refusals.append(UtteranceRefusal(reason: .otherActivity, text: words))
            return deeds
        }
        var day: LocalDay? = deeds.lazy.compactMap(\.draft.day).first
        for index in deeds.indices {
            day = deeds[index].draft.day ?? day
            if deeds[index].draft.refusals.isEmpty { deeds[index].draft.day = day }
        }
        return deeds
    }

    /// Cuts a part into its deeds: at the last place that a word such as `and` marks, else at the last number or activity.
    private func cut(
        _ utterance: Utterance, _ part: Range<Int>, _ deed: Deed, _ most: Int, _ language: WrittenLanguage
    ) -> [Deed] {
        guard most > 1 else { return [deed] }
        for joins in [true, false] {
            for place in part.reversed() where place > part.lowerBound {
                let token = utterance.tokens[place]
                let isJoin = Self.joins.contains(token.folded)
                let isStart = !isJoin && (token.kind == .number || ActivityLexicon.entry(of: token.folded) != nil)
                let next = isJoin ? place + 1 : place
                guard joins ? isJoin : isStart, next < part.upperBound,
                    let second = self.deed(utterance.text(next..<part.upperBound), language),
                    let first = self.deed(utterance.text(part.lowerBound..<place), language),
                    first.draft.activity != second.draft.activity
                else { continue }
                let before = cut(utterance, part.lowerBound..<place, first, most - 1, language)
                return before + cut(utterance, next..<part.upperBound, second, most - before.count, language)
            }
        }
        return [deed]
    }

    /// A side of a comma or an `and` that has a duration with an unknown word right behind it, while the other side is a deed:
    /// the time is not that deed's.
    private func other(_ utterance: Utterance, _ draft: ActionDraft, _ language: WrittenLanguage) -> String? {
        guard draft.activity != nil, draft.minutes != nil, !draft.rest.isEmpty else { return nil }
        let all = utterance.indices
        for place in all where Self.joins.contains(utterance.tokens[place].folded) && place + 1 < all.upperBound {
            let sides = [all.lowerBound..<place, (place + 1)..<all.upperBound]
            for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                let own = parse(utterance.text(side), language: language)
                guard own.minutes != nil, own.activity == nil, own.measures.isEmpty, let word = own.rest.first,
                    deed(utterance.text(other), language) != nil
                else { continue }
                let isBehind = side.contains { index in
                    utterance.tokens[index].text == word && index > side.lowerBound
                        && MeasureReader.unit(utterance, at: index - 1)?.unit.dimension == Dimension(.time)
                }
                if isBehind { return utterance.text(side) }
            }
        }
        return nil
    }

    /// A text with an activity and how much of it was done; nil for any other.
    private func deed(_ text: String, _ language: WrittenLanguage) -> Deed? {
        let draft = parse(text, language: language)
        let isWhole = draft.activity != nil && (!draft.measures.isEmpty || draft.minutes != nil)
        return isWhole ? Deed(text: text, draft: draft) : nil
    }

    private static let joins = WordList.plain("and und , ; . then dann danach plus sowie + & also außerdem")
}
