/// The units with fixed factors and their names in English and German.
///
/// Factors are exact by definition: the international yard and pound of 1959 (1 yd = 0.9144 m, 1 lb = 0.45359237 kg), the
/// thermochemical calorie (4.184 J), the US customary fluid units (1 gal = 231 in³).
enum UnitTable {
    /// Looks up a whole name. Upper and lower case differ only in names of one letter.
    static func unit(named name: some StringProtocol) -> BaseUnit? {
        let name = String(name)
        return names[name] ?? (name.count > 1 ? names[name.lowercased()] : nil)
    }

    private static let names: [String: BaseUnit] = {
        var names: [String: BaseUnit] = [:]
        func add(_ symbol: String, _ dimension: Dimension, _ factor: String, _ aliases: String) {
            guard let factor = Rational(parsing: factor) else { return }
            let unit = BaseUnit(symbol: symbol, dimension: dimension, factor: factor)
            names[symbol] = unit
            names[symbol.lowercased()] = unit
            for alias in aliases.split(separator: " ") { names[String(alias)] = unit }
        }
        for (symbol, factor, aliases) in lengths { add(symbol, Dimension(.length), factor, aliases) }
        for (symbol, factor, aliases) in masses { add(symbol, Dimension(.mass), factor, aliases) }
        for (symbol, factor, aliases) in times { add(symbol, Dimension(.time), factor, aliases) }
        for (symbol, factor, aliases) in volumes { add(symbol, Dimension(.length, 3), factor, aliases) }
        let energy = Dimension(.length, 2).multiplied(by: Dimension(.mass))?.multiplied(by: Dimension(.time, -2))
        for (symbol, factor, aliases) in energies { add(symbol, energy ?? .none, factor, aliases) }
        for (symbol, aliases) in currencies { add(symbol, Dimension(.money(symbol)), "1", aliases) }
        for (symbol, aliases) in things { add(symbol, Dimension(.counted(symbol)), "1", aliases) }
        add("%", .none, "1/100", "percent prozent")
        return names
    }()

    private static let lengths = [
        ("mm", "1/1000", "millimetre millimetres millimeter millimeters"),
        ("cm", "1/100", "centimetre centimetres centimeter centimeters zentimeter zentimetern"),
        ("m", "1", "metre metres meter meters metern"),
        ("km", "1000", "kilometre kilometres kilometer kilometers kilometern kms"),
        ("in", "0.0254", "inch inches zoll"), ("ft", "0.3048", "foot feet fuß"), ("yd", "0.9144", "yard yards yds"),
        ("mi", "1609.344", "mile miles meile meilen"),
        ("nmi", "1852", "nautical-mile nautical-miles seemeile seemeilen"),
    ]
    private static let masses = [
        ("mg", "1/1000000", "milligram milligrams milligramm"), ("g", "1/1000", "gram grams gramm"),
        ("kg", "1", "kilogram kilograms kilogramm kilo kilos kgs"), ("t", "1000", "tonne tonnes tonnen"),
        ("oz", "0.028349523125", "ounce ounces unze unzen"), ("lb", "0.45359237", "lbs pound pounds"),
        ("st", "6.35029318", "stone stones"),
    ]
    private static let times = [
        ("ms", "1/1000", "millisecond milliseconds millisekunde millisekunden"),
        ("s", "1", "sec secs second seconds sek sekunde sekunden"),
        ("min", "60", "mins minute minutes minuten"), ("h", "3600", "hr hrs hour hours std stunde stunden"),
        ("d", "86400", "day days tag tage tagen"), ("wk", "604800", "week weeks woche wochen"),
    ]
    private static let volumes = [
        ("ml", "1/1000000", "millilitre millilitres milliliter milliliters"),
        ("cl", "1/100000", "centilitre centilitres centiliter centiliters zentiliter"),
        ("dl", "1/10000", "decilitre decilitres deciliter deciliters deziliter"),
        ("l", "1/1000", "L litre litres liter liters litern"),
        ("gal", "0.003785411784", "gallon gallons gallone gallonen"), ("pt", "0.000473176473", "pint pints"),
        ("floz", "0.0000295735295625", "fluid-ounce fluid-ounces"),
    ]
    private static let energies = [
        ("J", "1", "joule joules"), ("kJ", "1000", "kilojoule kilojoules"), ("cal", "4.184", "calorie calories"),
        ("kcal", "4184", "kilocalorie kilocalories kilokalorie kilokalorien kalorien"),
        ("kWh", "3600000", "kilowatt-hour kilowatt-hours kilowattstunde kilowattstunden"),
    ]
    private static let currencies = [
        ("EUR", "€ euro euros"), ("USD", "$ dollar dollars"), ("GBP", "£ quid"), ("CHF", "franken fränkli"),
    ]
    private static let things = [
        ("times", "time× mal × x"), ("pages", "page pp seite seiten"),
        ("words", "word wort wörter wörtern worte vokabel vokabeln"),
        ("chapters", "chapter kapitel kapiteln"), ("books", "book buch bücher büchern"),
        ("articles", "article artikel artikeln"), ("steps", "step schritt schritte schritten"),
        ("floors", "floor stockwerk stockwerke stockwerken stairs flights"),
        ("laps", "lap lengths bahn bahnen runde runden"),
        ("reps", "rep repetition repetitions wiederholung wiederholungen wdh"), ("sets", "set satz sätze sätzen"),
        ("push-ups", "push-up pushup pushups liegestütz liegestütze liegestützen"),
        ("pull-ups", "pull-up pullup pullups chin-ups chinups klimmzug klimmzüge klimmzügen"),
        ("squats", "squat kniebeuge kniebeugen"), ("sit-ups", "sit-up situp situps crunches"),
        ("burpees", "burpee"), ("glasses", "glass glas gläser gläsern"), ("cups", "cup tasse tassen"),
        ("portions", "portion serving servings portionen"), ("meals", "meal mahlzeit mahlzeiten"),
        ("lessons", "lesson lektion lektionen unterrichtsstunde unterrichtsstunden"),
        ("sessions", "session einheit einheiten sitzung sitzungen"),
        ("cards", "card flashcard flashcards karte karten karteikarten"),
        ("problems", "problem exercise exercises aufgabe aufgaben übung übungen"),
        ("calls", "call anruf anrufe"), ("emails", "email e-mail e-mails mail mails"),
        ("points", "point punkt punkte punkten"), ("commits", "commit"),
    ]
}
