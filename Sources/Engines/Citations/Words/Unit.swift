import Language

/// What a number counts, for comparing `14 days` with `two weeks` and telling `200 ms` from `200 s`.
struct Unit: Equatable {
    enum Dimension: Equatable {
        case time, length, mass, volume, data, percent, clock, temperature
        case euro, pound, dollar, franc, cent, crown, guilder

        var isMoney: Bool {
            switch self {
            case .euro, .pound, .dollar, .franc, .cent, .crown, .guilder: true
            default: false
            }
        }
    }

    var dimension: Dimension
    /// How many of the dimension's base unit this is.
    var factor: Double

    /// The unit that a folded word or sign names.
    static func named(_ word: String) -> Unit? { table[word] }

    /// What a folded word multiplies the number before it by.
    static func magnitude(_ word: String) -> Double? { magnitudes[word] }

    private static let magnitudes = NumberWords.scales.mapValues(Double.init).merging([
        "millions": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "mio": 1e6, "millionen": 1e6, "milliarde": 1e9,
        "milliarden": 1e9, "mille": 1e3, "milliard": 1e9, "milliards": 1e9,
    ]) { shared, _ in shared }

    private static let table: [String: Unit] = {
        var table: [String: Unit] = [:]
        func add(_ dimension: Dimension, _ factor: Double, _ names: String) {
            for name in names.split(separator: " ") {
                table[String(name)] = Unit(dimension: dimension, factor: factor)
            }
        }
        add(.time, 0.001, "ms millisecond milliseconds millisekunde millisekunden")
        add(.time, 1, "s sec second seconds sekunde sekunden seconde secondes")
        add(.time, 60, "min minute minutes minuten")
        add(.time, 3600, "h hour hours stunde stunden heure heures")
        add(.time, 86400, "day days tag tage tagen jour jours daily täglich")
        add(.time, 604_800, "week weeks woche wochen semaine semaines weekly")
        add(.time, 2_629_800, "month months monat monate monaten mois monthly monatlich")
        add(.time, 31_557_600, "year years jahr jahre jahren an ans année années annual yearly")
        add(.length, 0.001, "mm")
        add(.length, 0.01, "cm")
        add(.length, 1, "m metre metres meter meters mètre mètres metern")
        add(.length, 1000, "km kilometre kilometres kilometer kilometers kilomètres")
        add(.length, 1609.344, "mile miles meile meilen")
        add(.length, 1.8288, "fathom fathoms")
        add(.mass, 1e-9, "ng")
        add(.mass, 1e-6, "µg μg mcg microgram micrograms mikrogramm")
        add(.mass, 0.001, "mg")
        add(.mass, 1, "g gram grams gramm")
        add(.mass, 1000, "kg kilo kilos kilogram kilograms kilogramm")
        add(.volume, 0.001, "ml")
        add(.volume, 1, "l litre litres liter liters")
        add(.data, 1e3, "kb kib")
        add(.data, 1e6, "mb mib")
        add(.data, 1e9, "gb gib")
        add(.data, 1e12, "tb")
        add(.percent, 1, "% percent prozent pourcent")
        add(.clock, 1, "o'clock uhr")
        add(.temperature, 1, "° degree degrees grad degré degrés")
        add(.euro, 1, "€ euro euros eur")
        add(.pound, 1, "£ pound pounds gbp")
        add(.dollar, 1, "$ dollar dollars usd")
        add(.franc, 1, "chf franc francs franken")
        add(.cent, 1, "cent cents pence ct")
        add(.crown, 1, "crown crowns kronen")
        add(.guilder, 1, "guilder guilders gulden")
        return table
    }()
}
