/// A unit with its names in English, German and French: the one table of units.
///
/// Factors are exact by definition: the international yard and pound of 1959 (1 yd = 0.9144 m, 1 lb = 0.45359237 kg), the
/// thermochemical calorie (4.184 J), the US customary fluid units (1 gal = 231 in³). A month and a year are means.
package struct NamedUnit: Sendable {
    /// What a unit measures. Amounts of two currencies do not convert.
    package enum Measure: String, Sendable {
        case time, length, mass, volume, energy, data, percent, clock, temperature
        case euro, pound, dollar, franc, cent, crown, guilder
        /// Things of the kind that the symbol names.
        case things

        /// Whether it is a currency.
        package var isMoney: Bool {
            switch self {
            case .euro, .pound, .dollar, .franc, .cent, .crown, .guilder: true
            default: false
            }
        }
    }

    /// The symbol that an amount is printed with; nil for a unit that no amount has, such as the month, which has no fixed
    /// length.
    package let symbol: String?
    /// What it measures.
    package let measure: Measure
    /// How many seconds, metres, kilograms, cubic metres, joules, bytes or single ones it is: a decimal, or a fraction.
    package let factor: String
    /// Names behind an amount that a person states, beside the symbol.
    package let amountNames: [Substring]
    /// Names behind a number in any text. Here `pound` is money.
    package let textNames: [Substring]

    /// ``factor`` as the nearest double.
    package var value: Double {
        let parts = factor.split(separator: "/").map { Double($0) ?? 1 }
        return parts.count == 2 ? parts[0] / parts[1] : parts.first ?? 1
    }

    package static let all: [NamedUnit] = table.split(separator: "\n").flatMap { line in
        let sides = line.split(separator: ":", maxSplits: 1)
        guard let last = sides.last, let measure = sides.first.flatMap({ Measure(rawValue: String($0)) }) else {
            return [NamedUnit]()
        }
        return last.split(separator: ";").map { NamedUnit(row: $0, measure) }
    }

    /// Reads a row of the table.
    private init(row: Substring, _ measure: Measure) {
        let columns = row.split(separator: "|", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
        func names(_ column: Int) -> [Substring] { columns.indices.contains(column) ? columns[column] : [] }
        let head = names(0)
        symbol = head.first.flatMap { $0 == "-" ? nil : String($0) }
        factor = head.count > 1 ? String(head[1]) : "1"
        self.measure = measure
        amountNames = names(1) + names(2)
        textNames = names(1) + names(3)
    }

    /// What is measured, and units: symbol (a dash for none), factor unless 1, names of both kinds, of amounts, in texts.
    private static let table = """
        length: mm 1/1000 | mm | millimetre millimetres millimeter millimeters
        length: cm 1/100 | cm | centimetre centimetres centimeter centimeters zentimeter zentimetern
        length: m | m metre metres meter meters metern || mètre mètres
        length: km 1000 | km kilometre kilometres kilometer kilometers | kilometern kms | kilomètres
        length: in 0.0254 || inch inches zoll; ft 0.3048 || foot feet fuß; yd 0.9144 || yard yards yds
        length: mi 1609.344 | mile miles meile meilen; nmi 1852 || nautical-mile nautical-miles seemeile seemeilen
        length: - 1.8288 ||| fathom fathoms
        mass: - 1/1000000000000 ||| ng; - 1/1000000000 ||| µg μg mcg microgram micrograms mikrogramm
        mass: mg 1/1000000 | mg | milligram milligrams milligramm; g 1/1000 | g gram grams gramm
        mass: kg | kg kilogram kilograms kilogramm kilo kilos | kgs; t 1000 || tonne tonnes tonnen
        mass: oz 0.028349523125 || ounce ounces unze unzen; lb 0.45359237 || lbs pound pounds
        mass: st 6.35029318 || stone stones
        time: ms 1/1000 | ms millisecond milliseconds millisekunde millisekunden
        time: s | s sec second seconds sekunde sekunden | secs sek | seconde secondes
        time: min 60 | min minute minutes minuten | mins
        time: h 3600 | h hour hours stunde stunden | hr hrs std | heure heures
        time: d 86400 | day days tag tage tagen || jour jours daily täglich
        time: wk 604800 | week weeks woche wochen || semaine semaines weekly
        time: - 2629800 ||| month months monat monate monaten mois monthly monatlich
        time: - 31557600 ||| year years jahr jahre jahren an ans année années annual yearly
        volume: ml 1/1000000 | ml | millilitre millilitres milliliter milliliters
        volume: cl 1/100000 || centilitre centilitres centiliter centiliters zentiliter
        volume: dl 1/10000 || decilitre decilitres deciliter deciliters deziliter
        volume: l 1/1000 | l litre litres liter liters | L litern
        volume: gal 0.003785411784 || gallon gallons gallone gallonen; pt 0.000473176473 || pint pints
        volume: floz 0.0000295735295625 || fluid-ounce fluid-ounces
        energy: J || joule joules; kJ 1000 || kilojoule kilojoules; cal 4.184 || calorie calories
        energy: kcal 4184 || kilocalorie kilocalories kilokalorie kilokalorien kalorien
        energy: kWh 3600000 || kilowatt-hour kilowatt-hours kilowattstunde kilowattstunden
        data: - 1000 ||| kb kib; - 1000000 ||| mb mib; - 1000000000 ||| gb gib; - 1000000000000 ||| tb
        percent: % 1/100 | % percent prozent || pourcent
        clock: - ||| o'clock uhr
        temperature: - ||| ° degree degrees grad degré degrés
        euro: EUR | € euro euros eur
        dollar: USD | $ dollar dollars usd
        pound: GBP | £ gbp | quid | pound pounds
        franc: CHF | chf franken | fränkli | franc francs
        cent: - ||| cent cents pence ct
        crown: - ||| crown crowns kronen
        guilder: - ||| guilder guilders gulden
        things: times || time× mal × x; pages || page pp seite seiten
        things: words || word wort wörter wörtern worte vokabel vokabeln; chapters || chapter kapitel kapiteln
        things: books || book buch bücher büchern; articles || article artikel artikeln
        things: steps || step schritt schritte schritten
        things: floors || floor stockwerk stockwerke stockwerken stairs flights
        things: laps || lap lengths bahn bahnen runde runden
        things: reps || rep repetition repetitions wiederholung wiederholungen wdh; sets || set satz sätze sätzen
        things: push-ups || push-up pushup pushups liegestütz liegestütze liegestützen
        things: pull-ups || pull-up pullup pullups chin-ups chinups klimmzug klimmzüge klimmzügen
        things: squats || squat kniebeuge kniebeugen; sit-ups || sit-up situp situps crunches; burpees || burpee
        things: glasses || glass glas gläser gläsern; cups || cup tasse tassen
        things: portions || portion serving servings portionen; meals || meal mahlzeit mahlzeiten
        things: lessons || lesson lektion lektionen unterrichtsstunde unterrichtsstunden
        things: sessions || session einheit einheiten sitzung sitzungen
        things: cards || card flashcard flashcards karte karten karteikarten
        things: problems || problem exercise exercises aufgabe aufgaben übung übungen; calls || call anruf anrufe
        things: emails || email e-mail e-mails mail mails; points || point punkt punkte punkten; commits || commit
        """
}
