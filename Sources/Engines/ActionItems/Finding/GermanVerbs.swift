import Language

/// German verbs of things that people set out to do.
enum GermanVerbs {
    /// Verbs without a prefix that can be divided.
    private static let stems = WordList.plain(
        """
        antworten backen basteln bauen beantragen beantworten bearbeiten begleiten bemalen benachrichtigen beraten besorgen \
        besprechen besichtigen bestellen bestätigen besuchen bezahlen bitten bohren bringen buchen bügeln danken düngen \
        entkalken entlüften entscheiden entsorgen erinnern erledigen erneuern ersetzen erstellen fahren fegen fertigstellen \
        fragen füllen füttern geben gehen gießen gratulieren hängen heizen helfen hinterlegen holen impfen informieren \
        installieren kaufen kochen kontaktieren kontrollieren kopieren kümmern kündigen laden leeren legen leihen lesen \
        löschen machen mahnen malen melden messen mieten mähen nähen nehmen notieren öffnen ölen ordnen organisieren packen \
        pflanzen planen prüfen putzen räumen recherchieren regeln reinigen renovieren reparieren reservieren sagen \
        sammeln schalten scannen schenken schicken schleifen schließen schneiden schreiben sortieren spenden sprechen \
        spülen starten stellen streichen stutzen suchen tanken tapezieren tauschen teilen telefonieren testen tragen treffen \
        tun unterschreiben untersuchen vereinbaren vergleichen verkaufen verlängern verlegen verschicken verschieben \
        versenden versichern verstauen vorbereiten wählen warten waschen wechseln wischen werfen zahlen zeigen ziehen \
        übersetzen überweisen überprüfen überarbeiten veröffentlichen korrigieren formulieren bewerben begleichen \
        verabreden verbessern verpacken digitalisieren archivieren setzen sichern lassen kleben sägen klären mitteilen \
        verschenken umtopfen aktualisieren programmieren stornieren reklamieren
        """)
    /// Prefixes that are divided from a verb; the longer ones first.
    private static let prefixes = [
        "zurück", "zusammen", "heraus", "herunter", "vorbei", "weiter", "nieder", "fertig", "nach", "raus", "rein",
        "runter",
        "hoch", "frei", "fest", "aus", "auf", "ein", "mit", "vor", "weg", "her", "hin", "los", "bei", "ab", "an", "um",
        "zu",
        "ver", "be", "er", "ent",
    ]
    /// Verbs that stand for a state when `müssen` is before them.
    static let states = WordList.plain(
        """
        sagen zugeben gestehen leben sein werden denken glauben akzeptieren hoffen lernen schlafen verstehen wissen haben \
        bleiben lachen weinen warten aufhören können wollen fühlen ertragen aushalten gestanden lieben umgehen
        """)

    /// Whether a word in lower case is the infinitive of such a verb.
    static func isInfinitive(_ text: String) -> Bool {
        if stems.contains(text) { return true }
        return prefixes.contains { text.hasPrefix($0) && stems.contains(String(text.dropFirst($0.count))) }
    }

    /// The infinitive of `anzurufen`; nil for other words.
    static func infinitive(ofExtended text: String) -> String? {
        prefixes.lazy.compactMap { prefix in
            guard text.hasPrefix(prefix + "zu") else { return nil }
            let verb = prefix + text.dropFirst(prefix.count + 2)
            return isErrand(verb) ? verb : nil
        }.first
    }

    /// The verb that a form for `du`, `Sie` or `ich` belongs to; nil for other words.
    static func verb(ofForm text: String) -> String? {
        if let verb = shortForms[text] { return verb }
        guard !otherWords.contains(text) else { return nil }
        for ending in ["en", "n"] {
            let verb = text + ending
            if text.count > 2, stems.contains(verb) { return verb }
        }
        return nil
    }

    private static let shortForms: [String: String] = [
        "gib": "geben", "lies": "lesen", "nimm": "nehmen", "sprich": "sprechen", "triff": "treffen", "wirf": "werfen",
        "hilf": "helfen", "miss": "messen", "vergiss": "vergessen", "ruf": "rufen", "rufe": "rufen", "rufen": "rufen",
    ]

    /// Forms that are words of English, French, or nouns.
    private static let otherWords = WordList.plain("les plan test start stell mess back bau leg")

    private static let strong: [String: String] = [
        "gegeben": "geben", "geschrieben": "schreiben", "unterschrieben": "unterschreiben", "gesprochen": "sprechen",
        "besprochen": "besprechen", "getroffen": "treffen", "gerufen": "rufen", "genommen": "nehmen",
        "geschnitten": "schneiden", "gestrichen": "streichen", "gewaschen": "waschen", "gegossen": "gießen",
        "geschlossen": "schließen", "gebacken": "backen", "geladen": "laden", "gezogen": "ziehen",
        "verschoben": "verschieben", "überwiesen": "überweisen", "gemessen": "messen", "geliehen": "leihen",
        "gelesen": "lesen", "gebracht": "bringen", "getan": "tun", "getragen": "tragen", "geworfen": "werfen",
        "geschliffen": "schleifen", "entschieden": "entscheiden", "gehangen": "hängen", "beglichen": "begleichen",
        "verglichen": "vergleichen",
    ]

    /// The infinitive of a participle such as `abgegeben` or `repariert`; nil for other words.
    static func verb(ofParticiple text: String) -> String? {
        for prefix in [""] + prefixes where text.hasPrefix(prefix) {
            let rest = String(text.dropFirst(prefix.count))
            if let verb = strong[rest] { return prefix + verb }
            guard rest.hasSuffix("t") else { continue }
            let body = String(rest.dropLast())
            let bare = body.hasPrefix("ge") ? String(body.dropFirst(2)) : body
            for stem in [bare, bare.hasSuffix("e") ? String(bare.dropLast()) : bare] {
                for verb in [stem + "en", stem + "n"] where stems.contains(verb) { return prefix + verb }
            }
        }
        return nil
    }

    /// Verbs that need `an`, `ab`… beside `rufen`, which alone is no errand.
    static func isErrand(_ text: String) -> Bool { isInfinitive(text) || calls.contains(text) }

    private static let calls: Set<String> = ["anrufen", "zurückrufen", "abrufen", "aufrufen"]
}
