package import Language

extension WrittenLanguage {
    /// How the numbers of an utterance are written.
    var numbers: NumberStyle { self == .english ? .english : .german }

    /// The language of which more words are present; English if neither is.
    package init(detecting text: String) {
        let words = ComparisonWords.split(text)
        let german = words.count { Self.germanWords.contains($0) || $0.contains { "äöü".contains($0) } }
        let english = words.count { Self.englishWords.contains($0) }
        self = german > english ? .german : .english
    }

    private static let germanWords = WordList.folded(
        """
        am um von bis für heute gestern vorgestern morgen morgens abend abends mittag nacht letzte letzten nächsten und mit \
        im der die das den dem ein eine einen einer halbe stunde stunden minuten sekunden tagen tag uhr nach vor bei zu auf \
        aus ist ich habe bin war gemacht gelaufen gegangen gefahren gelesen geschrieben getrunken geübt gespielt gelernt \
        geschwommen geschlafen gekocht geputzt meditiert seiten schritte wörter kapitel liter gläser tassen klavier gitarre \
        rad laufen kein keine mal je lang montag dienstag mittwoch donnerstag freitag samstag sonntag zwei drei vier fünf \
        sechs sieben acht neun zehn kilometer ungefähr ziel sport satz sätze euro spaziergang anderthalb
        """)

    private static let englishWords = WordList.folded(
        """
        the a an at on in for from to of and with my i did went this last yesterday today tomorrow morning evening night \
        afternoon hour hours minutes minute miles steps pages ran run walked read wrote swam cycled before after work lunch \
        breakfast dinner bed ago day week next no monday tuesday wednesday thursday friday saturday sunday one two three four \
        five six seven eight nine ten half quarter glasses cups words
        """)
}
