import Language

/// The words of time in English and German, in lower case.
enum TimeScopeWords {
    static let last = CalendarWords.last.union(
        WordList.plain("previous letztem vergangener vergangenes vorige vorigen voriger voriges"))
    static let this = CalendarWords.this.union(["current", "aktuelle", "aktuellen"])
    /// Words before a time to come.
    static let next = CalendarWords.next.union(
        WordList.plain(
            """
            upcoming following nächstem naechste naechsten kommender kommendes kommendem folgende folgenden folgender \
            übernächste übernächsten übernächster übernächstes darauffolgenden
            """))
    /// Words of what is to come, and those that say that it is past.
    static let pending = WordList.plain("due planned scheduled upcoming fällig geplant ansteht anstehen bevorsteht")
    static let past: Set<String> = ["was", "were", "did", "had", "war", "waren", "hatte", "hatten", "wurde", "wurden"]
    static let tomorrow: Set<String> = ["tomorrow", "tmrw", "übermorgen"]
    /// Whole phrases of a time to come, longest first.
    static let ahead = WordList.phrases(
        """
        the day after tomorrow; day after tomorrow; morgen früh; morgen abend; tomorrow morning; tomorrow night; \
        ab morgen; bis morgen; tomorrow; tmrw; übermorgen; later today; later this week; later this month; \
        from now on; in future; in the future; in zukunft; künftig
        """)
    /// Words that may stand before those for a time to come.
    static let intoAhead = WordList.plain(
        "on by until till before for from am bis zum im in vor ab während during over at since")
    static let articles: Set<String> = ["the", "den", "der", "dem", "des", "die", "das"]

    /// Words behind which a month, a season or a year is meant as time.
    static let into = WordList.plain("in im during of from vom von within throughout for aus auf")
    static let since: Set<String> = ["since", "seit", "ab"]
    static let before: Set<String> = ["before", "vor"]
    static let until: Set<String> = ["until", "till", "by", "bis"]
    static let after: Set<String> = ["after", "nach"]
}
