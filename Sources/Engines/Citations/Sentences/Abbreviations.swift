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
        "dezember", "marz", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "okt", "nov", "dez",
    ]

    /// Whether a full stop belongs to an abbreviation, an initial or an ordinal number.
    ///
    /// - Parameters:
    ///   - stop: The place of the stop.
    ///   - next: The place of the next character that is not white space.
    static func belongs(_ text: ScalarText, stop: Int, next: Int) -> Bool {
        guard let following = text[next] else { return false }
        if following.isSmall { return true }
        var start = stop
        while start > 0, stop - start < 12, let previous = text[start - 1],
            previous == "." || previous.isLetter || previous.isNumeric
        {
            start -= 1
        }
        let word = text.scalars[start..<stop].filter { $0 != "." }
        guard let first = word.first, word.count <= 9 else { return false }
        if word.allSatisfy({ $0.isNumeric }) {
            return word.count <= 2 && isMonth(text, at: next)
        }
        // The initial of a name; `I` and `a` at the end of a sentence are rare.
        // The second letter of `z. B.` follows, too.
        if stop - start == 1 { return first.isCapital || text[next + 1] == "." }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: word)
        let folded = TextFolding.folded(String(view))
        if either.contains(folded) { return following.isNumeric }
        // `U.S. Army`, `z. B. Brot`
        if text.scalars[start..<stop].contains("."), word.count <= 3 { return true }
        guard open.contains(folded) else { return false }
        // These are words, too, unless a number or a name follows.
        if following.isNumeric { return true }
        if ["no", "am", "min", "max", "art", "ed"].contains(folded) { return false }
        return !["fig", "str", "st", "fr"].contains(folded) || first.isCapital
    }

    /// Whether a German month name starts at a place.
    static func isMonth(_ text: ScalarText, at start: Int) -> Bool {
        guard start < text.scalars.count else { return false }
        let word = text.scalars[start...].prefix(10).prefix { $0.isLetter }
        return months.contains(TextFolding.folded(text.string(start..<(start + word.count))))
    }
}
