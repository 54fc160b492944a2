import Text

/// The names of days, months and stretches of time, folded.
enum DateWords {
    /// Weekdays, 0 for Sunday: whole names and, behind a word such as "on", their abbreviations.
    static let weekdays = table("sunday monday tuesday wednesday thursday friday saturday")
        .merging(table("sonntag montag dienstag mittwoch donnerstag freitag samstag")) { a, _ in a }
        .merging(["sonnabend": 6]) { a, _ in a }
    static let shortWeekdays = table("sun mon tue wed thu fri sat").merging(table("so mo di mi do fr sa")) { a, _ in a }
        .merging(["tues": 2, "weds": 3, "thur": 4, "thurs": 4]) { a, _ in a }

    /// Months, 1 for January.
    static let months: [String: Int] = {
        let lists = [
            "january february march april may june july august september october november december",
            "jan feb mar apr may jun jul aug sep oct nov dec",
            "januar februar märz april mai juni juli august september oktober november dezember",
            "jänner feber mär apr mai jun jul aug sept okt nov dez",
        ]
        return lists.map(table).reduce(into: [:]) { months, list in
            for (name, index) in list { months[name] = index + 1 }
        }
    }()

    /// Days before today.
    static let relative = ["today": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2]
    /// Words for days that have not come.
    static let future: Set<String> = [
        "tomorrow", "übermorgen", "nachher", "später",
    ]
    /// Words for plans.
    static let plans: [[String]] = [
        ["i", "will"], ["we", "will"], ["i'll"], ["i’ll"], ["gonna"], ["i'm", "going", "to"], ["ich", "werde"],
        ["ich", "will"],
    ]
    /// Words for no day in particular.
    static let vague: [[String]] = [
        ["the", "other", "day"], ["the", "other", "week"], ["every", "day"], ["each", "day"], ["every", "morning"],
        ["every", "evening"], ["jeden", "tag"], ["jeden", "morgen"], ["jeden", "abend"], ["recently"], ["lately"],
        ["neulich"],
        ["kürzlich"], ["letztens"], ["daily"], ["täglich"],
    ]

    static let last: Set<String> = [
        "last", "past", "letzten", "letzter", "letzte", "letztes", "vergangenen", "vergangene",
    ]
    static let next: Set<String> = [
        "next", "coming", "nächsten", "nächste", "nächster", "nächstes", "kommenden", "kommende",
    ]
    static let on: Set<String> = ["on", "am", "this", "diesen", "dieser"]
    static let stretches: Set<String> = [
        "week", "month", "year", "weekend", "woche", "monat", "jahr", "wochenende", "summer", "winter", "sommer",
    ]

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

    private static func table(_ names: String) -> [String: Int] {
        var table: [String: Int] = [:]
        for (index, name) in names.split(separator: " ").enumerated() { table[String(name)] = index }
        return table
    }
}
