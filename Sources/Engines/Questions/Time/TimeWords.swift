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
    /// Words before a time to come.
    static let next: Set<String> = [
        "next", "coming", "upcoming", "following", "nächste", "nächsten", "nächster", "nächstes", "nächstem",
        "naechste",
        "naechsten", "kommende", "kommenden", "kommender", "kommendes", "kommendem", "folgende", "folgenden",
        "folgender",
        "übernächste", "übernächsten", "übernächster", "übernächstes", "darauffolgenden",
    ]
    /// Words of what is to come, and those that say that it is past.
    static let pending: Set<String> = [
        "due", "planned", "scheduled", "upcoming", "fällig", "geplant", "ansteht", "anstehen", "bevorsteht",
    ]
    static let past: Set<String> = ["was", "were", "did", "had", "war", "waren", "hatte", "hatten", "wurde", "wurden"]
    static let tomorrow: Set<String> = ["tomorrow", "tmrw", "übermorgen"]
    /// Whole phrases of a time to come, longest first.
    static let ahead: [[String]] = [
        ["the", "day", "after", "tomorrow"], ["day", "after", "tomorrow"], ["morgen", "früh"], ["morgen", "abend"],
        ["tomorrow", "morning"], ["tomorrow", "night"], ["ab", "morgen"], ["bis", "morgen"], ["tomorrow"], ["tmrw"],
        ["übermorgen"], ["later", "today"], ["later", "this", "week"], ["later", "this", "month"],
        ["from", "now", "on"], ["in", "future"], ["in", "the", "future"], ["in", "zukunft"], ["künftig"],
    ]
    /// Words that may stand before those for a time to come.
    static let intoAhead: Set<String> = [
        "on", "by", "until", "till", "before", "for", "from", "am", "bis", "zum", "im", "in", "vor", "ab", "während",
        "during", "over", "at", "since",
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
