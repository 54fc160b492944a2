package import Language

/// Reads utterances such as "ran 5 km in 28 min yesterday before work" without a model.
///
/// The same text on the same day gives the same draft. Each word is used once, in this order: goal hint, date, time,
/// activity, duration, amounts. Time is linear in the text up to a small factor.
package struct UtteranceParser: Sendable {
    /// UTF-8 bytes of an utterance that are read at most; longer ones are left to a model.
    package static let maxBytes = 4096

    /// The person's current day.
    package let today: LocalDay

    package init(today: LocalDay) { self.today = today }

    /// Reads an utterance; `language` nil detects it.
    package func parse(_ text: String, language: WrittenLanguage? = nil) -> ActionDraft {
        var draft = ActionDraft()
        guard text.utf8.count <= Self.maxBytes else {
            draft.rest = [text]
            return draft
        }
        var utterance = Utterance(text, language: language ?? WrittenLanguage(detecting: text))
        draft.goal = GoalHintReader.read(&utterance)
        let date = DateReader(today: today).read(&utterance)
        draft.day = date.day
        let time = TimeReader.read(&utterance, part: date.part)
        draft.time = time.time
        let activity = ActivityReader.read(&utterance)
        let isStill = activity.map { !ActivityLexicon.coversDistance($0) } ?? false
        let duration = DurationReader(readsMetresAsMinutes: isStill).read(&utterance)
        draft.minutes = time.minutes ?? duration.minutes
        let amounts = MeasureReader.read(&utterance, activity: activity)
        draft.measures = amounts.measures
        draft.activity = activity ?? ActivityReader.implied(by: amounts.measures)
        draft.refusals = date.refusals + time.refusals + (duration.refusal.map { [$0] } ?? []) + amounts.refusals
        draft.rest = utterance.tokens.filter { !$0.isUsed && $0.kind != .mark && !Self.fillers.contains($0.folded) }
            .map(\.text)
        return draft
    }

    /// Words without which the draft says the same.
    private static let fillers = Set(
        ComparisonWords.split(
            """
            a an the i my me did do done went go had have has got was were for of in on at to with and by about around roughly \
            under over up just some today's it that this then all ich habe bin war hatte mit und in im am an auf aus von vom \
            zum zur zu der die das den dem des ein eine einen einem einer mein meine meinen für gemacht gefahren lang etwa \
            ungefähr rund circa ca noch dann uhr
            """))
}
