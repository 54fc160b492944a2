/// The words of time in English and German, in lower case.
enum TimeWords {
    /// The first month of a season.
    static let seasons: [String: Int] = [
        "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
        "frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9,
    ]

    static let last: Set<String> = [
        "last", "past", "previous", "letzte", "letzten", "letzter", "letztes", "letztem", "vergangene", "vergangenen",
        "vergangener", "vergangenes", "vorige", "vorigen", "voriger", "voriges",
    ]
    static let this: Set<String> = [
        "this", "current", "diese", "diesen", "dieser", "dieses", "diesem", "aktuelle", "aktuellen",
    ]
    static let articles: Set<String> = ["the", "den", "der", "dem", "des", "die", "das"]

    /// Words behind which a month, a season or a year is meant as time.
    static let into: Set<String> = [
        "in", "im", "during", "of", "from", "vom", "von", "within", "throughout", "for", "aus", "auf",
    ]
    static let since: Set<String> = ["since", "seit", "ab"]
    static let before: Set<String> = ["before", "vor"]
    static let until: Set<String> = ["until", "till", "by", "bis"]
    static let after: Set<String> = ["after", "nach"]
}
