import Language

/// Finds the words that carry a question.
enum Keywords {
    /// The most keywords of a question.
    private static let maxWords = 32

    private static let stopWords = WordList.plain(
        """
        a about above after again all also am an and any anything are as ask at be because been before being below between \
        both but by can could did do does doing done down during each ever every everything few find for from further gave \
        get give going had has have having he her here hers him his how i i'd i'm i've if in into is it it's its just know last \
        let list long look many may me mention mentioned more most much my no nor not note noted notes nothing now of off \
        often on once only or other our out over own please previous put read record recorded said same say saying search \
        she should show so some something still such sum summarise summarize summary tell than that that's the their \
        them then there these they thing things think this those through time to too under until up us very was we wednesday \
        went were what what's when where which while who whom whose why will with would write writing written wrote you your \
        compare comparison difference differences differ overview recap usually explain mean means entry entries \
        ab aber alle alles als also am an ander andere auch auf aus außer bei beim bin bis bitte da damit dann das dass dein \
        dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer \
        eines einmal er erzähl erzähle es etwas euch fasse finde für gab gegen geht gesagt geschrieben getan gemacht gewesen \
        gib gibt habe haben hat hatte hatten hier ich ihr ihm ihn ihre im in ins ist ja jede jeden jeder jetzt kann kein keine \
        man mehr mein meine meinem meinen meiner mich mir mit muss nach nicht nichts noch notiz notizen notiert nun nur ob oder \
        oft ohne passiert schon sehr sein seine seit sich sie sind so soll sollte steht stand such suche über um und uns unser \
        unter vergleiche viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher welches wenn wer \
        wie wieder wieso wir wird wo worüber wurde wurden zeig zeige zu zum zur zusammen zusammenfassung zwischen überblick \
        unterschied unterschiede erkläre bedeutet happen happened happens day days week weeks tag tage woche wochen
        """)

    /// The words that are no stop words, in order, each once.
    static func find(in words: [TextWord], without used: Set<Int>) -> [String] {
        var seen: Set<String> = []
        var found: [String] = []
        for (index, word) in words.enumerated() where !used.contains(index) && found.count < maxWords {
            guard !stopWords.contains(word.text), word.text.count > 1, seen.insert(word.text).inserted else { continue }
            found.append(word.text)
        }
        return found
    }
}
