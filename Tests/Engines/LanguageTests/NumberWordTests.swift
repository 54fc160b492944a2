import Language
import Testing

/// Numbers in words have one table, of which readers take their part.
@Suite struct NumbersInWords {
    @Test(arguments: [
        ("zero", 0), ("eins", 1), ("an", 1), ("einen", 1), ("twelve", 12), ("zwölf", 12), ("dreissig", 30),
        ("forty-five", 45),
        ("fünfundvierzig", 45), ("einundzwanzig", 21), ("neunundneunzig", 99),
    ])
    func `a word is a whole number`(word: String, value: Int) {
        #expect(NumberWords.whole(word) == value)
    }

    @Test(arguments: ["", "und", "zwanzigundeins", "ten-five", "five-forty", "hundred", "vingt", "undund", "-"])
    func `another word is none`(word: String) {
        #expect(NumberWords.whole(word) == nil)
    }

    @Test func `languages are taken apart`() {
        #expect(NumberWords.cardinals([.french])["quinze"] == 15 && NumberWords.cardinals([.french])["quinzig"] == nil)
        #expect(NumberWords.cardinals([.english])["quinze"] == nil && NumberWords.cardinals([.german])["-"] == nil)
        #expect(NumberWords.cardinals([.english, .german]).count == 56)
    }

    @Test func `what counts days leaves out what is another word`() {
        #expect(NumberWords.counts["elf"] == nil && NumberWords.counts["eins"] == nil)
        #expect(
            NumberWords.counts["couple"] == 2 && NumberWords.counts["einem"] == 1 && NumberWords.counts["zwölf"] == 12)
    }

    @Test func `March has the short name that a reader takes`() {
        #expect(CalendarWords.months["maerz"] == 3 && CalendarWords.months["mär"] == nil)
        #expect(CalendarWords.months(andMarch: "mär")["mär"] == 3 && CalendarWords.months(andMarch: "mär")["apr"] == 4)
    }
}
