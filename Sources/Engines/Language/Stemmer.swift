/// Cuts the endings of inflection, so that forms of a word compare equal. Light: rather two stems for one word than one
/// for two.
package enum Stemmer {
    /// The stem of a folded word.
    package static func stem(_ word: String, _ language: WrittenLanguage) -> String {
        var bytes = Array(word.utf8)
        switch language {
        case .english: english(&bytes)
        case .german: german(&bytes)
        case .french: french(&bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The plain form of what may be an English or German comparative or superlative; nil for other words.
    package static func compared(_ word: String, _ language: WrittenLanguage) -> String? {
        let endings = language == .english ? ["er", "est"] : ["sten", "ste", "eren", "ere", "er"]
        guard language != .french, let ending = endings.first(where: word.hasSuffix),
            word.utf8.count >= ending.utf8.count + 3
        else { return nil }
        let plain = Array(word.utf8.dropLast(ending.utf8.count))
        if language == .german { return String(decoding: plain, as: UTF8.self) }
        if plain.last == UInt8(ascii: "i") { return String(decoding: plain.dropLast(), as: UTF8.self) + "y" }
        let isDoubled = plain.count > 3 && plain[plain.count - 1] == plain[plain.count - 2]
        return String(decoding: isDoubled ? Array(plain.dropLast()) : plain, as: UTF8.self)
    }

    private static func english(_ word: inout [UInt8]) {
        if !cut(&word, "ies", leaving: 2, with: "y") {
            if has(word, "sses") || has(word, "xes") || has(word, "ches") || has(word, "shes") {
                _ = cut(&word, "es", leaving: 3)
            } else if !has(word, "ss"), !has(word, "us"), !has(word, "is") {
                _ = cut(&word, "s", leaving: 3)
            }
        }
        if cut(&word, "ied", leaving: 2, with: "y") {
        } else if !has(word, "eed"), cut(&word, "ed", leaving: 3) || cut(&word, "ing", leaving: 3) {
            // `stopped`, but not `filled`
            if word.count > 3, let last = word.last, word[word.count - 2] == last, !"lsz".utf8.contains(last) {
                word.removeLast()
            }
        } else {
            _ = cut(&word, "ly", leaving: 4)
        }
        _ = cut(&word, "e", leaving: 3)
        if word.count > 3, has(word, "y") { word[word.count - 1] = UInt8(ascii: "i") }
    }

    private static func german(_ word: inout [UInt8]) {
        for (letter, plain) in [("ä", "a"), ("ö", "o"), ("ü", "u")] where word.contains(0xC3) {
            word = Array(String(decoding: word, as: UTF8.self).replacing(letter, with: plain).utf8)
        }
        // `gereinigt`, `reinigte`
        if has(word, "t"), word.starts(with: "ge".utf8), word.count > 6 { word.removeFirst(2) }
        for ending in [
            "erten", "ungen", "ern", "est", "ten", "tet", "te", "ens", "em", "er", "en", "es", "st", "e", "n", "s", "t",
        ]
        where cut(&word, ending, leaving: 4) {
            break
        }
    }

    private static func french(_ word: inout [UInt8]) {
        for ending in [
            "issaient", "eraient", "issent", "aient", "erait", "erent", "èrent", "ées", "ait", "ant", "era", "ent",
            "ée",
            "és", "er", "ez", "ir", "é", "es", "e", "s", "a", "x",
        ] where cut(&word, ending, leaving: 4) {
            break
        }
    }

    private static func has(_ word: [UInt8], _ ending: String) -> Bool {
        word.count >= ending.utf8.count && word.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    /// Cuts an ending when enough bytes remain; true when it did.
    private static func cut(_ word: inout [UInt8], _ ending: String, leaving: Int, with other: String = "") -> Bool {
        guard has(word, ending), word.count - ending.utf8.count >= leaving else { return false }
        word.removeLast(ending.utf8.count)
        word.append(contentsOf: other.utf8)
        return true
    }
}
