/// What an utterance says about an action. Fields that it does not state are nil.
package struct ActionDraft: Equatable, Sendable {
    /// A time of day as people state it.
    package enum Time: Hashable, Sendable, CustomStringConvertible {
        /// Minutes after midnight, 0 to 1439.
        case minute(Int)
        case part(DayPart)

        /// `07:30`, or the part's name.
        package var description: String {
            switch self {
            case .minute(let minute):
                [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            case .part(let part): part.rawValue
            }
        }
    }

    /// The activity's key in English, such as `run`.
    package var activity: String?
    /// Amounts with exact units, in the order of the text. Durations are not among them.
    package var measures: [Quantity] = []
    /// How long it took, in minutes.
    package var minutes: Rational?
    /// The day; nil also if it was refused.
    package var day: LocalDay?
    /// The time of day.
    package var time: Time?
    /// Words that name a goal, in lower case.
    package var goal: String?
    /// Why the utterance cannot be logged as it is: a person has to say what was meant.
    package var refusals: [UtteranceRefusal] = []
    /// The words that no rule understood, in order, for a model to look at.
    package var rest: [String] = []
}
