import Language
import Text

/// The words of days that are over, folded; those of ``CalendarWords`` count as well.
enum DateWords {
    /// Months, 1 for January.
    static let months = CalendarWords.months(andMarch: "mär")

    /// Days before today.
    static let relative = ["today": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2]
    /// Words for days that have not come.
    static let future = WordList.plain("tomorrow übermorgen nachher später")
    static let plans = WordList.phrases(
        "i will; we will; i'll; i’ll; gonna; i'm going to; ich werde; ich will")
    /// Words for no day in particular.
    static let vague = WordList.phrases(
        """
        the other day; the other week; every day; each day; every morning; every evening; jeden tag; jeden morgen; \
        jeden abend; recently; lately; neulich; kürzlich; letztens; daily; täglich
        """)

    static let on: Set<String> = ["on", "am", "this", "diesen", "dieser"]
    static let stretches = WordList.plain("week month year weekend woche monat jahr wochenende summer winter sommer")

    /// Days in a unit of "3 days ago".
    static let daysAgo = ["day": 1, "days": 1, "tag": 1, "tagen": 1, "week": 7, "weeks": 7, "woche": 7, "wochen": 7]

    /// A day word, also with one letter wrong, missing or too many if it is long enough.
    static func relativeDay(_ word: String) -> Int? {
        if let days = relative[word] { return days }
        guard (6...11).contains(word.count) else { return nil }
        return ["yesterday", "gestern", "vorgestern"].first { name in
            EditDistance(from: name.unicodeScalars.map(\.value)).distance(to: word.unicodeScalars.map(\.value)) == 1
        }.flatMap { relative[$0] }
    }
}
