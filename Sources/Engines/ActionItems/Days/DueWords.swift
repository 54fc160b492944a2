/// The words of days to come, in English and German.
enum DueWords {
    static let weekdays: [String: Int] = [
        "sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
        "sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6,
        "sonnabend": 6,
    ]
    static let months: [String: Int] = [
        "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
        "september": 9, "october": 10, "november": 11, "december": 12,
        "januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "okt": 10,
        "nov": 11, "dec": 12, "dez": 12,
    ]
    static let numbers: [String: Int] = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9,
        "ten": 10, "ein": 1, "eine": 1, "einer": 1, "einem": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    ]

    /// A stretch of the calendar that a due day can be counted in.
    enum Unit { case day, week, month, year }

    static let units: [String: Unit] = [
        "day": .day, "days": .day, "tag": .day, "tage": .day, "tagen": .day,
        "week": .week, "weeks": .week, "woche": .week, "wochen": .week,
        "month": .month, "months": .month, "monat": .month, "monate": .month, "monaten": .month, "monats": .month,
        "year": .year, "years": .year, "jahr": .year, "jahre": .year, "jahren": .year, "jahres": .year,
    ]
    static let weekends: Set<String> = ["weekend", "wochenende"]
    static let next: Set<String> = [
        "next", "coming", "nächste", "nächsten", "nächster", "nächstes", "nächstem", "kommende", "kommenden",
        "kommender",
        "kommendes",
    ]
    static let this: Set<String> = ["this", "diese", "diesen", "dieser", "dieses", "diesem"]
    /// Words that name a deadline.
    static let by: Set<String> = ["by", "until", "till", "bis", "due", "spätestens"]
    static let before: Set<String> = ["before", "vor"]
    static let on: Set<String> = ["on", "am", "for", "für", "over", "zum", "at"]
    static let articles: Set<String> = [
        "the", "zum", "zur", "dem", "den", "der", "des", "das", "am", "spätestens", "latest",
    ]
    /// Words before a day that name another day, or many.
    static let others: Set<String> = [
        "every", "each", "last", "since", "jeden", "jede", "jedes", "letzten", "letzte", "letztes", "seit", "previous",
        "vergangenen",
    ]
    static let partsOfDay: Set<String> = [
        "morning", "evening", "afternoon", "night", "noon", "früh", "abend", "nachmittag", "mittag", "vormittag",
        "noch",
    ]
}
