/// The words of the calendar in English and German, in lower case, which is how they fold, too.
package enum CalendarWords {
    /// A stretch of the calendar.
    package enum Unit: Sendable {
        case day, week, month, year
    }

    /// Stretches of the calendar.
    package static let units: [String: Unit] = [
        "day": .day, "days": .day, "tag": .day, "tage": .day, "tagen": .day, "tages": .day,
        "week": .week, "weeks": .week, "woche": .week, "wochen": .week,
        "month": .month, "months": .month, "monat": .month, "monate": .month, "monaten": .month, "monats": .month,
        "year": .year, "years": .year, "jahr": .year, "jahre": .year, "jahren": .year, "jahres": .year,
    ]

    /// Weekdays, 0 for Sunday.
    package static let weekdays: [String: Int] = [
        "sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
        "sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6,
        "sonnabend": 6,
    ]

    /// Abbreviations of weekdays, most of which are other words, too.
    package static let shortWeekdays: [String: Int] = [
        "sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5,
        "sat": 6,
        "so": 0, "mo": 1, "di": 2, "mi": 3, "do": 4, "fr": 5, "sa": 6,
    ]

    /// Months, 1 for January.
    package static let months = months(andMarch: "maerz")

    /// Months, 1 for January.
    ///
    /// - Parameter march: A third German name of March, beside `märz` and `mar`.
    package static func months(andMarch march: String) -> [String: Int] {
        let lists = [
            "january february march april may june july august september october november december",
            "jan feb mar apr may jun jul aug sep oct nov dec",
            "januar februar märz april mai juni juli august september oktober november dezember",
            "jänner feber \(march) apr mai jun jul aug sept okt nov dez",
        ]
        return lists.reduce(into: [:]) { months, list in
            for (index, name) in list.split(separator: " ").enumerated() { months[String(name)] = index + 1 }
        }
    }

    /// The first month of a season.
    package static let seasons: [String: Int] = [
        "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
        "frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9,
    ]

    /// Words before a stretch of time that is over. Readers add what else they take for it.
    package static let last = WordList.plain("last past letzten letzter letzte letztes vergangenen vergangene")
    /// Words before a stretch of time to come.
    package static let next = WordList.plain(
        "next coming nächsten nächste nächster nächstes kommenden kommende")
    /// Words before the stretch of time that is not over.
    package static let this = WordList.plain("this diese diesen dieser dieses diesem")
}
