import Language

/// The words of days to come, in English and German.
enum DueWords {
    static let weekends: Set<String> = ["weekend", "wochenende"]
    static let next = CalendarWords.next.union(["nächstem", "kommender", "kommendes"])
    /// Words that name a deadline.
    static let by: Set<String> = ["by", "until", "till", "bis", "due", "spätestens"]
    static let before: Set<String> = ["before", "vor"]
    static let on: Set<String> = ["on", "am", "for", "für", "over", "zum", "at"]
    static let articles = WordList.plain("the zum zur dem den der des das am spätestens latest")
    /// Words before a day that name another day, or many.
    static let others = WordList.plain(
        "every each last since jeden jede jedes letzten letzte letztes seit previous vergangenen")
    static let partsOfDay = WordList.plain(
        "morning evening afternoon night noon früh abend nachmittag mittag vormittag noch")
}
