/// What German sentences say about the person who writes them. Earlier rules go first.
enum GermanRules {
    static let all: [FactRule] = names + places + work + family + health + preferences + things + plans

    private static let names = [
        FactRule("ich heiße <name>", .name, "name", "Name: {v}", single: true, confidence: 0.95),
        FactRule(
            "mein ?vollständiger name ist|lautet <name>", .name, "name", "Name: {v}", single: true, confidence: 0.95),
        FactRule(
            "nenn|nenne|nennt mich ?bitte ?einfach <name>", .name, "name", "Name: {v}", single: true, confidence: 0.9),
        FactRule(
            "mein geburtstag ist ?am <date>", .date, "birthday", "Geburtstag: {v}", single: true, confidence: 0.95),
        FactRule("ich habe am <date> geburtstag", .date, "birthday", "Geburtstag: {v}", single: true, confidence: 0.95),
        FactRule(
            "ich bin|wurde am <date> geboren", .date, "birthday", "Geburtstag: {v}", single: true, confidence: 0.95),
        FactRule("unser|mein hochzeitstag ist ?am <date>", .date, "anniversary", "Hochzeitstag: {v}", single: true),
        FactRule("ich bin <number> jahre ?alt", .date, "age", "{v} Jahre alt", single: true, confidence: 0.9),
        FactRule("ich bin <number> geworden", .date, "age", "{v} Jahre alt", single: true),
    ]

    private static let places = [
        FactRule(
            "ich|wir bin|sind von|aus <place> nach <place> gezogen|umgezogen", .place, "home", "Wohnt in {w}",
            value: "{w}", single: true),
        FactRule(
            "ich|wir wohne|wohnen|lebe|leben in|bei|nahe <place>", .place, "home", "Wohnt in {v}", single: true,
            confidence: 0.9),
        FactRule(
            "ich|wir bin|sind ?letztes|dieses|letzten|im ?jahr|monat ?zurück nach <place> ?zurück gezogen|umgezogen|zurückgezogen",
            .place, "home", "Wohnt in {v}", single: true, confidence: 0.9),
        FactRule(
            "ich|wir bin|sind ?im <phrase:1> nach <place> gezogen|umgezogen", .place, "home", "Wohnt in {w}",
            value: "{w}", single: true),
        FactRule("ich|wir zog|zogen nach <place>", .place, "home", "Wohnt in {v}", single: true),
        FactRule(
            "ich komme|stamme ?ursprünglich aus <place>", .place, "origin", "Kommt aus {v}", single: true,
            confidence: 0.9),
        FactRule("ich bin in|bei <place> aufgewachsen", .place, "origin", "Kommt aus {v}", single: true),
        FactRule(
            "ich bin|wurde in <place> geboren", .place, "birthplace", "Geboren in {v}", single: true, confidence: 0.9),
    ]

    private static let employer = FactRule("", .work, "employer", "Arbeitet bei {w}", value: "{w}", single: true)
    private static let work = [
        FactRule(
            "ich arbeite als <phrase:3> bei|beim|für ?der|die|dem|den <org>", .work, "occupation", "Arbeitet als {v}",
            single: true, confidence: 0.9
        ).and(employer),
        FactRule(
            "ich arbeite als <phrase:3> bei|beim|in|im|für|an|am", .work, "occupation", "Arbeitet als {v}",
            single: true, confidence: 0.9),
        FactRule("ich arbeite als <phrase:3>", .work, "occupation", "Arbeitet als {v}", single: true, confidence: 0.9),
        FactRule(
            "ich bin ?gelernter|gelernte|freie|freier|angestellte|angestellter|ein|eine ?von ?beruf <ending:profession>",
            .work, "occupation", "Arbeitet als {v}", single: true, confidence: 0.9),
        FactRule(
            "von beruf ich bin <ending:profession>", .work, "occupation", "Arbeitet als {v}", single: true,
            confidence: 0.9),
        FactRule("ich bin ?in <in:employment>", .work, "employment", "Beruf: {v}", single: true),
        FactRule("ich habe mich <in:employment> gemacht", .work, "employment", "Beruf: {v}", single: true),
        FactRule(
            "ich arbeite bei|beim|für ?der|die|dem|den <org>", .work, "employer", "Arbeitet bei {v}", single: true,
            confidence: 0.9),
        FactRule(
            "mein arbeitgeber ist ?die|der|das <org>", .work, "employer", "Arbeitet bei {v}", single: true,
            confidence: 0.9),
        FactRule(
            "ich habe ?im|letzten|letzte|diesen ?monat|woche bei|beim ?der <org> angefangen", .work, "employer",
            "Arbeitet bei {v}", single: true),
        FactRule(
            "ich habe bei|beim ?der <org> gekündigt|aufgehört", .work, "employer", "Arbeitet bei {v}", single: true,
            ended: true),
        FactRule("ich studiere <phrase:3> an|in|im|bei", .work, "study", "Studiert {v}", single: true),
        FactRule("ich studiere <phrase:3>", .work, "study", "Studiert {v}", single: true),
    ]

    private static let family = [
        FactRule(
            "mein|meine|unser|unsere ?kleine|kleiner|große|großer|jüngere|jüngerer|ältere|älterer|älteste|jüngste <in:relation> heißt <name>",
            .family, "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "mein|meine ?kleine|kleiner|große|großer|jüngere|jüngerer|ältere|älterer <in:relation> ist ?der|die <name>",
            .family, "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.7),
        FactRule(
            "ich habe einen|eine|ein ?kleinen|kleine|großen|große|jüngere|jüngeren|ältere|älteren <in:relation> namens <name>",
            .family, "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "ich habe einen|eine|ein ?kleinen|kleine|großen|große|jüngere|jüngeren|ältere|älteren <in:relation> der|die|das <name> heißt",
            .family, "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "mein|meine|unser|unsere ?alter|alte|neuer|neue <in:pet> heißt <name>", .family, "pet.{v}", "{v}: {w}",
            value: "{w}", confidence: 0.9),
        FactRule(
            "ich|wir habe|haben einen|eine|ein ?alten|alte|neuen|neue <in:pet> namens <name>", .family, "pet.{v}",
            "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "ich|wir habe|haben einen|eine|ein ?alten|alte|neuen|neue <in:pet> der|die|das <name> heißt", .family,
            "pet.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "mein|meine|meiner|meinem|meinen ?kleine|kleiner|große|großer|jüngere|jüngerer|ältere|älterer <in:relation> <name>",
            .family, "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.8),
        FactRule(
            "mein|meine|unser|unsere <in:pet> <name>", .family, "pet.{v}", "{v}: {w}", value: "{w}", confidence: 0.8),
        FactRule(
            "ich|wir habe|haben <number> ?kleine|große|erwachsene <in:relations>", .family, "count.{w}", "{v} {w}",
            value: "{v}", single: true, confidence: 0.9),
        FactRule("ich bin mit <name> verheiratet", .family, "family.spouse", "Verheiratet mit {v}", confidence: 0.9),
        FactRule(
            "ich bin ?glücklich|frisch <in:marital>", .family, "marital", "Familienstand: {v}", single: true,
            confidence: 0.9),
    ]

    private static let health = [
        FactRule(
            "ich bin ?stark|leicht allergisch gegen|auf <phrase:3>", .health, "allergy", "Allergisch gegen {v}",
            lists: true, confidence: 0.95),
        FactRule("ich bin gegen <phrase:3> allergisch", .health, "allergy", "Allergisch gegen {v}", confidence: 0.95),
        FactRule(
            "ich habe eine ?starke|leichte <stem:*allergie>", .health, "allergy", "Allergisch gegen {v}",
            confidence: 0.9),
        FactRule(
            "ich habe eine ?starke|leichte <stem:*intoleranz>", .health, "allergy", "Unverträglich: {v}",
            confidence: 0.9),
        FactRule(
            "ich vertrage kein|keine|keinen <phrase:3>", .health, "avoids", "Meidet {v}", lists: true, confidence: 0.9),
        FactRule(
            "ich esse|trinke kein|keine|keinen <phrase:3>", .health, "avoids", "Meidet {v}", lists: true,
            confidence: 0.9),
        FactRule("ich esse|trinke nie <phrase:3>", .health, "avoids", "Meidet {v}", confidence: 0.9),
        FactRule(
            "ich habe ?leichtes|starkes|chronische|leider <in:condition>", .health, "condition", "Gesundheit: {v}",
            lists: true, confidence: 0.9),
        FactRule(
            "ich leide an|unter ?chronischer|chronischen|starker <phrase:3>", .health, "condition", "Gesundheit: {v}",
            lists: true, confidence: 0.9),
        FactRule("ich bin <in:condition>", .health, "condition", "Gesundheit: {v}", confidence: 0.9),
        FactRule(
            "ich bin ?überzeugte|überzeugter <in:diet>", .health, "diet", "Ernährung: {v}", single: true,
            confidence: 0.9),
        FactRule(
            "ich esse|lebe ?mich ?rein|strikt <in:diet>", .health, "diet", "Ernährung: {v}", single: true,
            confidence: 0.9),
        FactRule(
            "ich ernähre mich ?rein|strikt <in:diet>", .health, "diet", "Ernährung: {v}", single: true, confidence: 0.9),
        FactRule(
            "ich nehme <phrase:3> gegen ?meine|meinen|mein <phrase:3>", .health, "medication", "Nimmt {v} gegen {w}"),
    ]

    private static let preferences = [
        FactRule(
            "am liebsten ich trinke|esse|höre|lese|mag|spiele|koche <phrase:5>", .preference, "preference.{v}",
            "Mag {v}", value: "like", single: true),
        FactRule(
            "ich mag|liebe <phrase:4> ?gar|überhaupt nicht", .preference, "preference.{v}", "Mag nicht: {v}",
            value: "dislike", single: true),
        FactRule(
            "ich mag kein|keine|keinen <phrase:4>", .preference, "preference.{v}", "Mag nicht: {v}", value: "dislike",
            single: true, lists: true),
        FactRule(
            "ich kann <phrase:3> ?gar|überhaupt nicht leiden|ausstehen", .preference, "preference.{v}",
            "Mag nicht: {v}", value: "dislike", single: true),
        FactRule(
            "ich hasse|verabscheue <phrase:5>", .preference, "preference.{v}", "Mag nicht: {v}", value: "dislike",
            single: true, lists: true),
        FactRule(
            "ich mag|liebe|bevorzuge <phrase:5> lieber", .preference, "preference.{v}", "Mag {v}", value: "like",
            single: true),
        FactRule(
            "ich mag|liebe|bevorzuge <phrase:5>", .preference, "preference.{v}", "Mag {v}", value: "like", single: true,
            lists: true),
        FactRule(
            "ich trinke|esse|höre|lese|sehe|spiele|koche gern|gerne|lieber|besonders ?gern|gerne <phrase:5>",
            .preference, "preference.{v}", "Mag {v}", value: "like", single: true, lists: true),
        FactRule(
            "ich bin ?ein ?großer|riesiger fan von <phrase:5>", .preference, "preference.{v}", "Mag {v}", value: "like",
            single: true),
        FactRule(
            "mein|meine <stem:lieblings*> ist|sind ?der|die|das <phrase:5>", .preference, "favourite.{v}",
            "Lieblings{v}: {w}", value: "{w}", single: true, confidence: 0.9),
    ]

    private static let things = [
        FactRule(
            "ich bin ?letztes|dieses ?jahr von <phrase:3> auf|zu <phrase:3> umgestiegen|gewechselt", .tool, "tool",
            "Benutzt {w}", value: "{w}"),
        FactRule("ich bin auf|zu <phrase:3> umgestiegen|gewechselt", .tool, "tool", "Benutzt {v}"),
        FactRule("ich benutze|nutze|verwende <phrase:3> für|als|zum|am|auf", .tool, "tool", "Benutzt {v}"),
        FactRule("ich benutze|nutze|verwende <phrase:3>", .tool, "tool", "Benutzt {v}", lists: true),
        FactRule(
            "ich fahre einen|eine|ein ?alten|alte|neuen|neue <phrase:3>", .tool, "vehicle", "Fährt {v}", single: true),
        FactRule(
            "mein|meine ?neues|neue|neuer <in:device> ist ein|eine <phrase:4>", .tool, "device.{v}", "{v}: {w}",
            value: "{w}", single: true),
        FactRule(
            "ich spreche ?fließend|etwas|gut|ein|bisschen <in:language>", .language, "language", "Spricht {v}",
            lists: true, confidence: 0.9),
        FactRule(
            "meine muttersprache ist <in:language>", .language, "native", "Muttersprache: {v}", single: true,
            confidence: 0.95),
        FactRule("ich lerne <phrase:2> ?an|in|mit|seit|für", .interest, "learning", "Lernt {v}", lists: true),
        FactRule("ich spiele <phrase:2> in|im|bei|mit", .interest, "plays", "Spielt {v}"),
        FactRule("ich spiele <phrase:2>", .interest, "plays", "Spielt {v}", lists: true),
        FactRule("ich sammle|sammele <phrase:3>", .interest, "collects", "Sammelt {v}"),
    ]

    private static let plans = [
        FactRule("ich|wir plane|planen <phrase:8>", .plan, "plan", "Plant: {v}", confidence: 0.75),
        FactRule("ich|wir habe|haben vor <rest>", .plan, "plan", "Plant: {v}", confidence: 0.75),
        FactRule(
            "ich|wir ziehe|ziehen ?im|nächstes|nächsten|bald ?jahr|monat|sommer|herbst|frühjahr|winter|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember nach <place>",
            .plan, "plan", "Zieht nach {v}", value: "move to {v}", confidence: 0.8),
        FactRule(
            "ich|wir will|wollen|möchte|möchten nächstes|nächsten|nächste|im <phrase:8>", .plan, "plan", "Plant: {v}",
            confidence: 0.75),
        FactRule("ich habe mich für|zu|zum <phrase:6> angemeldet", .plan, "plan", "Angemeldet: {v}", confidence: 0.75),
        FactRule("ich trainiere für <phrase:6>", .plan, "plan", "Trainiert für {v}", confidence: 0.75),
        FactRule("mein ziel ist es <phrase:8>", .plan, "plan", "Ziel: {v}", confidence: 0.75),
        FactRule(
            "ich will|möchte <phrase:3> lernen", .plan, "plan", "Will {v} lernen", value: "learn {v}", confidence: 0.75),
        FactRule("merk|merke dir ?bitte dass <rest>", .note, "note", "{v}", confidence: 0.9),
        FactRule("merk|merke dir bitte <rest>", .note, "note", "{v}", confidence: 0.9),
        FactRule(
            "jeden|jede|jedes <phrase:1> ich <phrase:6>", .habit, "habit", "Jeden {v}: {w}", value: "{w}",
            confidence: 0.75),
        FactRule("ich <phrase:5> jeden|jede|jedes <phrase:3>", .habit, "habit", "Jeden {w}: {v}", confidence: 0.75),
        FactRule(
            "ich meistens|meist|gewöhnlich|normalerweise <phrase:8>", .habit, "habit", "Meistens: {v}", confidence: 0.75
        ),
        FactRule("ich stehe ?um <phrase:2> auf", .habit, "rises", "Steht um {v} auf", single: true, confidence: 0.8),
    ]
}
