import Text

/// Activities and the words that name them, in English and German.
enum ActivityLexicon {
    /// How much a word says about the activity; the highest rank in an utterance counts.
    enum Rank: Int, Comparable {
        /// A verb of many uses: practise, spend.
        case vague
        /// An activity.
        case plain
        /// A word that makes a plain one more exact: in "wrote in my journal", journal.
        case exact

        static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
    }

    /// What a word means.
    struct Entry {
        let key: String
        let rank: Rank
    }

    /// Whether an activity covers a distance, so that `m` means metres.
    static func coversDistance(_ key: String) -> Bool { distances.contains(key) }

    /// The activity of a folded word, also of a German compound with one: `Klavierstunde`, `Abendspaziergang`.
    static func entry(of word: String) -> Entry? {
        if let entry = entries[word] { return entry }
        guard (8...40).contains(word.count) else { return nil }
        let stem = compounds.first { word.hasPrefix($0) || word.hasSuffix($0) }
        return stem.flatMap { entries[$0] }
    }

    /// Words that keep their meaning in compounds.
    private static let compounds = [
        "klavier", "gitarre", "geige", "spaziergang", "wanderung", "radtour", "gymnastik", "training", "meditation",
        "tagebuch",
    ]

    /// The activity that an amount suggests when no word names one.
    static func key(impliedBy unit: String) -> String? { implied[unit] }

    private static let distances: Set<String> = [
        "run", "walk", "cycle", "swim", "hike", "row", "ski", "climb", "skate", "paddle",
    ]

    private static let implied = [
        "steps": "walk", "pages": "read", "chapters": "read", "books": "read", "articles": "read", "glasses": "drink",
        "cups": "drink", "l": "drink", "ml": "drink", "push-ups": "push-ups", "pull-ups": "pull-ups",
        "squats": "squats",
        "sit-ups": "sit-ups", "burpees": "burpees", "floors": "climb", "cards": "study", "lessons": "study",
        "problems": "study", "kg": "weigh", "lb": "weigh", "calls": "call", "emails": "email", "commits": "code",
    ]

    private static let entries: [String: Entry] = {
        var entries: [String: Entry] = [:]
        for (rank, table) in [(Rank.vague, vague), (.plain, plain), (.exact, exact)] {
            for (key, words) in table {
                for word in "\(key) \(words)".split(separator: " ") {
                    entries[TextFolding.folded(String(word))] = Entry(key: key, rank: rank)
                }
            }
        }
        return entries
    }()

    private static let vague = [
        ("study", "practise practised practising practice practiced practicing geübt üben übte"),
        ("spend", "spent spending paid ausgegeben bezahlt"),
        ("save", "saved saving gespart sparen"),
        ("drink", "drank drunk drinking getrunken trinken trank"),
        ("play", "played playing gespielt spielen"), ("work", "worked working gearbeitet arbeiten"),
        ("rest", "rested resting ausgeruht geruht ruhetag"),
    ]

    private static let plain = [
        (
            "run",
            "marathon halbmarathon half-marathon ran running runs jog jogged jogging lauf laufen lief gelaufen gerannt rannte joggen gejoggt joggte"
        ),
        ("walk", "foot fuß walked walking walks stroll strolled gegangen spaziert spazieren spaziergang gehen ging"),
        ("cycle", "cycled cycling bike biked biking bicycle rad radfahren geradelt radeln fahrrad radtour"),
        ("swim", "pool schwimmbad swam swum swimming geschwommen schwimmen schwamm"),
        ("hike", "hiked hiking gewandert wandern wanderung wanderte"),
        ("row", "rowed rowing gerudert rudern"), ("ski", "skied skiing skis langlauf"),
        ("skate", "skated skating geskatet"), ("paddle", "paddled kayaked kayaking gepaddelt paddeln"),
        ("climb", "climbed climbing bouldered bouldering geklettert klettern gestiegen gebouldert bouldern"),
        ("dance", "danced dancing getanzt tanzen"), ("stretch", "stretched stretching gedehnt dehnen"),
        ("meditate", "meditated meditating meditation meditiert meditieren"),
        ("read", "reading reads gelesen lesen las"), ("write", "wrote written writing geschrieben schreiben schrieb"),
        ("study", "studied studying duolingo learn learned learnt learning solved gelernt lernen studiert gelöst"),
        ("code", "coded coding programmed programming programmiert programmieren"),
        ("paint", "painted painting drew drawn draw drawing gemalt malen gezeichnet zeichnen"),
        ("sing", "sang sung singing gesungen singen"), ("cook", "cooked cooking baked gekocht kochen gebacken"),
        (
            "clean",
            "cleaned cleaning tidied dishes hoovered vacuumed geputzt putzen aufgeräumt aufräumen abgespült gesaugt"
        ),
        ("sleep", "slept sleeping nap napped bed geschlafen schlafen mittagsschlaf bett"),
        ("wake", "woke woken aufgestanden aufgewacht"), ("call", "called phoned telefoniert angerufen"),
        ("teach", "taught teaching unterrichtet unterrichten"), ("email", "emailed mailed gemailt"),
        ("weigh", "weighed gewogen gewicht"),
    ]

    private static let exact = [
        ("yoga", ""), ("pilates", ""), ("gymnastics", "gymnastik"),
        ("physio", "physiotherapy physiotherapie krankengymnastik"),
        (
            "gym",
            "weights lifted lifting hiit workout crossfit bench deadlift deadlifts bankdrücken kreuzheben training fitnessstudio krafttraining fitness"
        ),
        ("plank", "planks planked planking unterarmstütz"),
        ("push-ups", "push-up pushup pushups liegestütz liegestütze liegestützen"),
        ("pull-ups", "pull-up pullup pullups chin-ups klimmzug klimmzüge klimmzügen"),
        ("squats", "squat kniebeuge kniebeugen"), ("sit-ups", "sit-up situp situps crunches"), ("burpees", "burpee"),
        ("piano", "klavier"), ("guitar", "gitarre"), ("violin", "geige violine"), ("cello", ""), ("flute", "flöte"),
        ("trumpet", "trompete"), ("drums", "schlagzeug"),
        ("journal", "journaled journalled journaling journalling diary tagebuch"),
        ("garden", "gardened gardening garten gegärtnert"), ("football", "soccer fußball"), ("tennis", ""),
        ("basketball", ""), ("volleyball", ""), ("badminton", ""), ("chess", "schach"),
    ]
}
