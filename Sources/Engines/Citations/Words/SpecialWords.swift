import Language

/// Words that change how much a sentence claims, and verbs that a particle gives another meaning.
enum SpecialWords {
    /// A claim with one of these says more than a source without any.
    static let sweeping = WordList.folded(
        """
        all every always everyone everybody everything anybody anyone whenever nobody completely entirely \
        guaranteed everywhere anywhere wherever proven proves prove worst best most cures impossible certainly definitely \
        alle allen aller überall immer jeder jede jedes jeden niemand dauerhaft vollständig garantiert sämtliche \
        tous toutes toujours chaque personne entièrement garanti
        """)

    /// Words of a passage that may say as much as those of ``sweeping``.
    static let sweepingHints = WordList.folded(
        "each any both mostly mainly largely none no entire whole total jeweils meist meistens beide kein keine ganz aucun entier tout toute"
    )

    /// Words that make one thing the cause of another.
    static let causal = WordList.folded(
        """
        because cause causes caused causing due reason reasons therefore owing thus hence leads led \
        weil wegen deshalb daher grund ursache darum sodass aufgrund verursacht \
        parce raison
        """)

    /// Words that may express a cause in a passage.
    static let causalHints = WordList.folded(
        """
        since so as for from after by when if thanks result results resulted with \
        denn da um damit dank nach durch damals wenn \
        car cause donc grâce afin pour si
        """)

    /// Words before a noun: articles, possessives and prepositions.
    static let beforeNouns = WordList.folded(
        """
        a an the his her its their your our my of by with in on at from for into called no \
        le la les l un une des du de d au aux en dans sur par pour avec son sa ses votre notre leur mon ma
        """)

    /// Words that make a limit of `no`: no more than, nicht später als.
    static let comparatives = WordList.folded(
        "more less later earlier fewer mehr weniger später länger höher plus moins")

    /// Words between a part and its whole.
    static let partitives = WordList.folded("of out from von der des sur de parmi")

    /// Words behind ``comparatives`` that make a limit.
    static let limits = WordList.folded("than als que de of")

    /// Words for where something comes from, and for where it goes to.
    static let origins = WordList.folded("from von aus depuis")
    static let goals = WordList.folded("to into nach zum zur vers jusqu")

    /// Words between the members of an enumeration.
    static let alternatives = WordList.folded("or nor oder noch ou ni")

    static let articles = WordList.folded("the a an der die das ein eine le la les un une l")

    /// Words before a predicate.
    static let copulas = WordList.folded("is are was were ist sind war waren est sont était étaient")

    /// By a verb's meaning and the word behind it: the meaning of both.
    static let phrases: [String: String] = [
        "=charge of": "=responsible", "=take over": "=responsible",
        "=go up": "=rise", "=go down": "=fall", "=call off": "=cancel", "check out": "checkout",
        "check in": "checkin", "log in": "login", "log out": "logout", "back up": "backup", "set up": "setup",
        "set out": "=begin",
        "=go on": "continu", "carri on": "continu", "ruled out": "exclud", "rul out": "exclud",
    ]

    /// Verbs that fit nearly every sentence count half.
    static let vague = WordList.plain(
        """
        =make =take =get =go =use =show =plan =bring =call =need thing way kind part abl like want put let also =job \
        =people time year annual daili month week day jahr monat woch tag mois jour old less new =stay =happen \
        =include becom becam place take run serv involv consist contain meant mean consider set keep =keep =carry \
        current additional additionali total amount person togeth exist present actual final later certain each \
        possibl remainder number hold held come came turn =find =get found =see =say betrag gelt gilt lieg lag steh \
        stand gehor geb gibt gab weiterhin insgesamt jeweil bereit komm kam lass lasst find statt einzig zudem \
        ausserdem neu
        """)

    /// Function words for what the author owns.
    static let authors: Set<String> = [".my", ".our", ".mein", ".meine", ".unser", ".unsere", ".mon", ".notre"]

    /// Whether a function word makes the author the subject of its clause.
    static func isFirstPerson(_ meaning: String) -> Bool {
        [".i", ".we", ".ich", ".wir", ".je", ".nous"].contains(meaning)
    }

    /// The meaning of a month, 1 to 12.
    static func month(_ number: Int) -> String {
        months.indices.contains(number - 1) ? months[number - 1] : "=january"
    }

    private static let months = [
        "=january", "=february", "=march", "=april", "=may-month", "=june", "=july", "=august", "=september",
        "=october",
        "=november", "=december",
    ]

    /// Whether a meaning is a month or a weekday.
    static func isDate(_ meaning: String) -> Bool { months.contains(meaning) || weekdays.contains(meaning) }

    static func isMonth(_ meaning: String) -> Bool { months.contains(meaning) }

    private static let weekdays = WordList.plain("=monday =tuesday =wednesday =thursday =friday =saturday =sunday")
}
