/// Numbers that are written as words, in English, German and French.
enum NumberWords {
    /// The value of a folded word; nil when it is no number.
    static func value(_ word: String) -> Double? { values[word] }

    /// Whether a word is rather an article or a pronoun than a number: it may equal a number, never contradict one.
    static func isWeak(_ word: String) -> Bool { ["one", "once", "half", "single"].contains(word) }

    /// Whether a word is a multiple of ten, which the next word may add to: `sixty-two`.
    static func isTens(_ word: String) -> Bool { word.hasSuffix("ty") && values[word] != nil }

    /// Whether a word gives a place in an order: `third`.
    static func isOrdinal(_ word: String) -> Bool { ordinals.contains(word) }

    private static let ordinals = Language.words(ordinalList.replacing("/", with: " "))

    private static let ordinalList = """
        first/erste/ersten/erster/premier/première second/zweite/zweiten/zweiter/deuxième \
        third/dritte/dritten/dritter/troisième fourth/vierte/vierten/quatrième fifth/fünfte/fünften/cinquième \
        sixth/sechste/sechsten seventh/siebte/siebten eighth/achte/achten ninth/neunte/neunten tenth/zehnte/zehnten \
        eleventh/elfte twelfth/zwölfte thirteenth fourteenth/vierzehnte fifteenth
        """

    private static let values: [String: Double] = {
        var values: [String: Double] = [:]
        func add(from first: Double, by step: Double = 1, _ list: String) {
            for (index, words) in list.split(separator: " ").enumerated() {
                for word in words.split(separator: "/") { values[String(word)] = first + Double(index) * step }
            }
        }
        add(
            from: 0,
            """
            zero/null/zéro one/eins two/zwei/deux/twice/zweimal three/drei/trois four/vier/quatre five/fünf/cinq \
            six/sechs seven/sieben/sept eight/acht/huit nine/neun/neuf ten/zehn/dix eleven/elf/onze twelve/zwölf/douze \
            thirteen/dreizehn/treize fourteen/vierzehn/quatorze fifteen/fünfzehn/quinze sixteen/sechzehn/seize \
            seventeen/siebzehn eighteen/achtzehn nineteen/neunzehn
            """)
        add(
            from: 20, by: 10,
            """
            twenty/zwanzig/vingt thirty/dreißig/dreissig/trente forty/vierzig/quarante fifty/fünfzig/cinquante \
            sixty/sechzig/soixante seventy/siebzig eighty/achtzig ninety/neunzig
            """)
        add(from: 1, ordinalList)
        for word in ["once", "single"] { values[word] = 1 }
        values["half"] = 0.5
        return values
    }()
}
