import Text

/// Words behind which a full stop does not end a sentence.
enum Abbreviations {
    /// A name or a number follows: the stop never ends a sentence.
    private static let open: Set<String> = [
        "dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "rev", "gen", "col", "capt", "lt", "sgt", "fig", "no", "nr",
        "vol", "vgl", "bzw", "bspw", "ca", "approx", "eg", "ie", "vs", "cf", "hr", "fr", "mme", "mlle", "dipl", "ing",
        "abs", "art", "kap", "zb", "dh", "ua", "evtl", "ggf", "inkl", "zzgl", "max", "min", "tel", "str", "jan", "feb",
        "apr", "aug", "sept", "sep", "oct", "okt", "nov", "dec", "dez", "pp", "ed", "eds", "env",
    ]
    /// The stop ends a sentence when a capital letter follows.
    private static let either: Set<String> = ["etc", "usw", "am", "pm", "inc", "ltd", "co", "corp", "bn", "al", "uvm"]

    private static let months: Set<String> = [
        "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
        "dezember",
    ]

    /// Whether a full stop belongs to an abbreviation, an initial or an ordinal number.
    ///
    /// - Parameters:
    ///   - stop: The place of the stop.
    ///   - next: The place of the next character that is not white space.
    static func belongs(_ text: ScalarText, stop: Int, next: Int) -> Bool {
        guard let following = text[next] else { return false }
        if following.properties.isLowercase { return true }
        var start = stop
        while start > 0, stop - start < 12, let previous = text[start - 1],
            previous == "." || previous.properties.isAlphabetic || previous.properties.numericType != nil
        {
            start -= 1
        }
        let word = text.scalars[start..<stop].filter { $0 != "." }
        guard let first = word.first, word.count <= 9 else { return false }
        if word.allSatisfy({ $0.properties.numericType != nil }) {
            return word.count <= 2 && isMonth(text, at: next)
        }
        // The initial of a name; `I` and `a` at the end of a sentence are rare.
        if stop - start == 1 { return first.properties.isUppercase }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: word)
        let folded = TextFolding.folded(String(view))
        if either.contains(folded) { return following.properties.numericType != nil }
        // `U.S. Army`, `z. B. Brot`
        if text.scalars[start..<stop].contains("."), word.count <= 3 { return true }
        guard open.contains(folded) else { return false }
        // These are words, too, unless a number follows.
        let needsNumber = ["no", "am", "min", "max", "art", "ed", "fig", "str", "st", "fr"].contains(folded)
        return !needsNumber || following.properties.numericType != nil || first.properties.isUppercase
    }

    /// Whether a German name of a month stands at a place.
    static func isMonth(_ text: ScalarText, at start: Int) -> Bool {
        guard start < text.scalars.count else { return false }
        let word = text.scalars[start...].prefix(10).prefix { $0.properties.isAlphabetic }
        return months.contains(TextFolding.folded(text.string(start..<(start + word.count))))
    }
}
