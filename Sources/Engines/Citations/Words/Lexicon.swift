import Text

/// Words that mean nearly the same, and words that exclude each other.
///
/// Each line of ``synonyms`` is one meaning. Each line of ``opposites`` lists meanings, divided by `|`, of which a claim may
/// name only one: directions, weekdays, months, rises and falls.
struct Lexicon {
    static let shared = Lexicon()

    /// By language: the name of the meaning of a stem.
    private var meanings: [Language: [String: String]] = [:]
    /// The line of ``opposites`` that a meaning stands in.
    private var groups: [String: Int] = [:]

    private init() {
        for language in Language.allCases { meanings[language] = [:] }
        for (number, line) in Self.lines(Self.opposites).enumerated() {
            for member in line.split(separator: "|") {
                if let meaning = add(member) { groups[meaning] = number }
            }
        }
        for line in Self.lines(Self.synonyms) { _ = add(line) }
    }

    /// What a folded word means: the name of its meaning, else its stem.
    func meaning(of word: String, _ language: Language) -> String {
        let stem = Stemmer.stem(word, language)
        return meanings[language]?[stem] ?? stem
    }

    /// Which of several meanings that exclude each other this is; nil for other meanings.
    func group(of meaning: String) -> Int? { groups[meaning] }

    /// Adds words of one meaning. A stem keeps its first meaning.
    private mutating func add(_ words: Substring) -> String? {
        let words = words.split(whereSeparator: \.isWhitespace).map { TextFolding.folded(String($0)) }
        guard let first = words.first else { return nil }
        let meaning = "=" + first
        for language in Language.allCases {
            for word in words {
                let stem = Stemmer.stem(word, language)
                if meanings[language]?[stem] == nil { meanings[language]?[stem] = meaning }
            }
        }
        return meaning
    }

    private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    private static let opposites = """
        north northern nord nördlich | south southern süd südlich sud | east eastern ost östlich est | west western \
        westlich ouest
        monday montag lundi | tuesday dienstag mardi | wednesday mittwoch mercredi | thursday donnerstag jeudi \
        | friday freitag vendredi | saturday samstag sonnabend samedi | sunday sonntag dimanche
        january januar janvier | february februar février | march märz mars | april avril | may-month | june juni juin | july juli \
        juillet | august août | september septembre | october oktober octobre | november novembre | december dezember \
        décembre
        spring frühling frühjahr printemps | summer sommer été | autumn herbst automne | winter hiver
        morning morgen vormittag matin | noon midday mittag midi | afternoon nachmittag | evening abend soir soirée | night \
        nacht nuit
        red rot rouge | blue blau bleu | green grün vert | yellow gelb jaune | black schwarz noir | white weiß blanc
        mother mutter mère | father vater père | brother bruder frère | sister schwester sœur | son sohn fils | daughter \
        tochter fille | uncle onkel oncle | aunt tante | grandfather großvater | grandmother großmutter | cousin | \
        niece nichte nièce | nephew neffe neveu | husband ehemann mari | wife ehefrau épouse
        rise increase grow raise climb steigen erhöhen zunehmen anheben monter augmenter grew rose risen grown \
        | fall decrease drop decline reduce lower shrink sinken fallen abnehmen senken fell dropped baisser diminuer \
        reduction
        more mehr | fewer weniger
        before prior vor avant | after nach nachdem après
        open öffnen öffnet ouvrir | close closed shut schließen schließt geschlossen fermer
        buy bought purchase kaufen kauft kaufte acheter | sell sold verkaufen verkauft verkaufte vendre vendu vend
        cheap cheaper billig günstig moins-cher | expensive teuer cher dearer
        warm warmer | cold colder kalt froid | hot heiß chaud
        accept approve agree annehmen zustimmen genehmigt accepter | reject refuse decline ablehnen refuser
        allow permit permitted erlauben erlaubt permettre | forbid prohibit ban verboten verbieten interdire interdit
        minimum least mindestens minimal | maximum höchstens maximal
        fast faster quick quickly schnell rapide | slow slower slowly langsam lent
        always immer toujours | sometimes manchmal parfois
        left links gauche | right rechts droite
        keep retain behalten garder conserver | discard
        arrive arrival reach ankommen arriver arrives | leave depart departure departs abfahren verlassen partir
        early earlier früh tôt | late later spät tard
        win won gewinnen | lose lost verlieren verloren
        """

    private static let synonyms = """
        begin begun began start started startet beginnen beginnt commence anfangen commencer commencé launch
        end finish final over conclude enden endet beenden finir
        get receive obtain bekommen erhalten bekommt erhält got recevoir bonus-get given granted gave give
        show display zeigen montrer
        use employ verwenden benutzen utiliser utilise
        repair fix fixed reparieren réparer
        buy-ticket ticket fahrkarte billet
        big large groß grand
        small little klein petit
        bike bicycle bicycles fahrrad rad vélo
        fridge refrigerator kühlschrank
        petrol fuel gas benzin essence
        flat apartment wohnung appartement
        home house haus maison
        live wohnen habiter
        doctor physician arzt ärztin médecin
        illness disease krankheit maladie
        medicine drug medication medikament
        tablet pill tabletten comprimé
        job work arbeit arbeiten travail travailler
        boss chief head leiter chef
        car auto wagen voiture
        letter brief lettre
        child children kind kinder enfant
        money geld argent
        pay paid zahlen bezahlen payer payé
        cost costs price kosten kostet preis coûter coûte prix
        charge verlangen demand demanded berechnen
        need require required brauchen benötigen nécessaire
        help assist helfen aider
        try attempt versuchen essayer
        ask request fragen bitten demander
        answer reply respond antworten répondre
        tell told inform informed erzählen mitteilen
        speak talk sprechen parler
        call named nennen genannt heißen heißt appeler
        write wrote written schreiben schrieb écrire
        read las lesen gelesen lire
        see saw seen sehen sah voir
        find found discover discovered finden fand trouver
        know knew known wissen wusste savoir savait
        think believe believed glauben glaubt denken croire
        make made produce create herstellen machen faire
        build built construct construction bauen gebaut construire reconstruire rebuild
        destroy destroyed zerstören détruire
        move moved relocate umziehen ziehen zog déménager
        go went gone gehen ging aller
        travel trip journey reise reisen voyage
        drive drove driven fahren fährt fuhr verkehren conduire
        carry transport tragen transportieren porter
        take took taken nehmen nahm prendre
        bring brought bringen brachte apporter
        send sent schicken senden envoyer
        change changed alter ändern geändert changer
        replace swap exchange tauschen tauschte getauscht ersetzen remplacer
        remove removed delete deleted drop-support entfernen löschen supprimer
        add added hinzufügen ajouter
        avoid vermeiden éviter
        postpone postponed delay delayed verschieben verschoben reporter
        cancel cancelled canceled absagen kündigen annuler call-off
        plan intend planen beabsichtigen prévoir
        responsible owner own charge-of zuständig verantwortlich responsable
        important wichtig
        often frequent frequently häufig oft souvent common
        weekly wöchentlich
        about around roughly approximately almost nearly ungefähr etwa rund environ presque beinahe fast-nahezu
        enough sufficient genug
        error mistake fault fehler erreur
        crash failure fail failed outage incident ausfall ausfallen ausgefallen fiel-aus panne break
        cause caused reason grund ursache raison
        result outcome ergebnis résultat
        test trial versuch essai
        document file datei dokument fichier
        limit maximum-limit grenze limite
        customer client shopper kunde kundin
        staff employee employees mitarbeiter personnel
        company firm firma unternehmen entreprise
        meeting sitzung réunion
        appointment termin rendez-vous
        deadline frist abgabefrist délai
        lunch mittagessen
        breakfast frühstück petit-déjeuner
        food meal essen nourriture
        drink drank trinken boire
        sleep slept schlafen dormir dort
        die died dead death drown tod starb gestorben mourir mort
        marry married heiraten épouser
        town city stadt ville
        village dorf
        street road straße rue route
        sea ocean meer mer
        boat ship schiff boot bateau navire
        train zug
        hall saal salle
        rock stone basalt stein pierre
        rain regen regnen pluie
        storm sturm tempête
        wind vent
        snow schnee neige
        money-back refund refunded erstatten rembourser
        insure cover covered versichern assurer insurance
        include included enthalten inklusive inclus
        contain holds hold enthalten-in
        room space raum
        seat seated sitzplatz
        harm damage damaged schaden dommage
        danger dangerous gefährlich dangereux
        safe secure sicher sûr
        disappear vanish
        happen occur occurred passieren geschehen
        choose chose chosen select wählen choisir
        collect collected gather sammeln
        follow followed folgen suivre
        recommend recommended advise advised advice empfehlen empfiehlt recommander conseiller conseille
        suspect assume vermuten
        confirm confirmed bestätigen
        promise promised versprechen
        stay remain remained bleiben bleibt blieb rester reste
        switch turn turned switched schalten
        enable enabled activate
        disable disabled deactivate
        process processing processed verarbeiten
        store save speichern
        query poll querying abfragen
        record log recorded protokollieren
        watch watched observe
        rival competitor
        poor bad badly poorly schlecht mauvais
        good well gut bien
        better besser mieux
        soon bald bientôt
        quiet still ruhig calme
        people persons leute gens
        rest remaining
        resume restart recommencer reprise
        """
}
