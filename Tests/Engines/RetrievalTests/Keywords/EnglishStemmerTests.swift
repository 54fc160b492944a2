import TestSupport
import Testing

@testable import Retrieval

@Suite struct EnglishStems {
    /// Words and their stems: the sample of the algorithm's description, and a few for each of its rules.
    static let vocabulary = """
        consign consign, consigned consign, consigning consign, consignment consign, consist consist,
        consisted consist, consistency consist, consistent consist, consistently consist, consisting consist,
        consists consist, consolation consol, consolations consol, consolatory consolatori, console consol,
        consoled consol, consoles consol, consolidate consolid, consolidated consolid, consolidating consolid,
        consoling consol, consolingly consol, consols consol, consonant conson, consort consort, consorted consort,
        consorting consort, conspicuous conspicu, conspicuously conspicu, conspiracy conspiraci,
        conspirator conspir, conspirators conspir, conspire conspir, conspired conspir, conspiring conspir,
        constable constabl, constables constabl, constance constanc, constancy constanc, constant constant,
        knack knack, knackeries knackeri, knacks knack, knag knag, knave knave, knaves knave, knavish knavish,
        kneaded knead, kneading knead, knee knee, kneel kneel, kneeled kneel, kneeling kneel, kneels kneel,
        knees knee, knell knell, knelt knelt, knew knew, knick knick, knif knif, knife knife, knight knight,
        knightly knight, knights knight, knit knit, knits knit, knitted knit, knitting knit, knives knive,
        knob knob, knobs knob, knock knock, knocked knock, knocker knocker, knockers knocker, knocking knock,
        knocks knock, knopp knopp, knot knot, knots knot, generate generat, generous generous, generously generous,
        communism communism, community communiti, communication communic, arsenic arsenic, arsenal arsenal,
        skis ski, skies sky, dying die, lying lie, tying tie, idly idl, gently gentl, ugly ugli, early earli,
        only onli, singly singl, sky sky, news news, howe howe, atlas atlas, cosmos cosmos, bias bias, andes andes,
        inning inning, outing outing, canning canning, herring herring, earring earring, proceed proceed,
        exceed exceed, succeed succeed, proceeds proceed, exceeded exceed, succeeding succeed, caresses caress,
        ponies poni, ties tie, tie tie, cries cri, cats cat, gas gas, this this, kiwis kiwi, gaps gap, bus bus,
        class class, agreed agre, feed feed, proceeding proceed, bleed bleed, plastered plaster, bled bled,
        motoring motor, sing sing, hopping hop, hoping hope, luxuriated luxuri, tanned tan, falling fall,
        hissing hiss, fizzed fizz, failing fail, filing file, troubled troubl, sized size, cry cri, by by, say say,
        enjoy enjoy, dyed dy, yes yes, youth youth, boyish boyish, relational relat, conditional condit,
        rational ration, valenci valenc, hesitancy hesit, digitizer digit, conformably conform, radically radic,
        differently differ, vilely vile, analogously analog, vietnamization vietnam, predication predic,
        operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness callous,
        formality formal, sensitivity sensit, sensibility sensibl, apology apolog, geology geolog, hopefully hope,
        carelessly careless, quickly quick, triplicate triplic, formative format, formalize formal,
        electricity electr, electrical electr, hopeful hope, goodness good, revival reviv, allowance allow,
        inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust, defensible defens,
        irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, activate activ,
        angularity angular, homologous homolog, effective effect, bowdlerize bowdler, probate probat, rate rate,
        cease ceas, controll control, roll roll, argument argument, arguing argu, sees see, see see, as as, is is,
        us us, runs run, runner runner, waves wave, wave wave
        """

    @Test func `words have the stems of the published vocabulary`() throws {
        let pairs = Self.vocabulary.split { $0 == "," || $0 == "\n" }.map { $0.split(separator: " ") }
        #expect(pairs.count > 200)
        for pair in pairs {
            try #require(pair.count == 2)
            let stem = EnglishStemmer.stem(Array(pair[0].utf8))
            #expect(String(decoding: stem, as: UTF8.self) == pair[1], "\(pair[0])")
        }
    }

    @Test(arguments: ["", "a", "is", "café", "日本", "x86s", "cafe\u{301}s", "b2b", "1990s"])
    func `short words and words with other letters stay as they are`(word: String) {
        #expect(EnglishStemmer.stem(Array(word.utf8)) == Array(word.utf8))
    }

    @Test func `any letters have a stem, which is not longer`() {
        var random = SeededGenerator(5)
        let letters = Array("aeiouysdlngtbz".utf8)
        for _ in 0..<20_000 {
            let word = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0x61
            }
            let stem = EnglishStemmer.stem(word)
            #expect(stem.count <= word.count && !stem.isEmpty && stem.allSatisfy { $0 &- 0x61 < 26 })
        }
    }
}
