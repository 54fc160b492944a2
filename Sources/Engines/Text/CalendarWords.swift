/// The words of the calendar and small numbers in English and German, in lower case.
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

    /// Months, 1 for January.
    package static let months: [String: Int] = {
        let lists = [
            "january february march april may june july august september october november december",
            "jan feb mar apr may jun jul aug sep oct nov dec",
            "januar februar märz april mai juni juli august september oktober november dezember",
            "jänner feber maerz apr mai jun jul aug sept okt nov dez",
        ]
        return lists.reduce(into: [:]) { months, list in
            for (index, name) in list.split(separator: " ").enumerated() { months[String(name)] = index + 1 }
        }
    }()

    /// Numbers.
    package static let numbers: [String: Int] = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9, "ten": 10, "twelve": 12, "couple": 2,
        "ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
    ]
}
