import Language

/// Words without a meaning of their own, in English, German and French, folded.
enum FunctionWords {
    /// By word: the languages in which it is frequent.
    fileprivate static let marks: [String: [WrittenLanguage]] = {
        var marks: [String: [WrittenLanguage]] = [:]
        for (language, words) in [
            (WrittenLanguage.english, englishMarks), (.german, germanMarks), (.french, frenchMarks),
        ] {
            for word in words { marks[word, default: []].append(language) }
        }
        return marks
    }()

    private static let englishMarks = WordList.folded(
        "the of and to is was were are that with for it at from by be he she they")
    private static let germanMarks = WordList.folded(
        "der die das und ist war den dem ein eine nicht mit für auf von zu im am sich wird bis")
    private static let frenchMarks = WordList.folded(
        "le la les et est des une un du que qui dans pour au en pas ne sur il elle avec l d")

    /// Words that say nothing by themselves: articles, pronouns, prepositions, auxiliaries, and what introduces a quotation.
    static let stopWords = WordList.folded(
        """
        the a an of and or to in on at for against from by with as is are was were be been being am it its he she they them his \
        her their theirs him this that these those there here who whom whose which what when where while how i you your \
        yours we our us me my mine do does did doing done has have had having will would can could shall should may might \
        must if then than so such also too very just even only about into onto upon over under out up down off again \
        once because since although though but yet still both each any some other another own same more most much many \
        few one ones itself himself herself themselves according note notes passage passages text source sources says \
        said say states stated mentions mentioned describes between per via within during through s t ll ve re d m \
        need needs after before until while unless whereas around roughly approximately almost nearly declares declared claims claimed explains explained \
        der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren sein wird werden wurde \
        wurden worden hat haben hatte hatten habe bin bist ich du er sie es wir ihr ihm ihn ihnen mich mir dich dir sich \
        uns euch mein meine dein deine seine seinen seiner seinem ihre ihren ihrer ihrem unser unsere zu zum zur im in an \
        am auf aus bei beim bis von vom vor nach mit für gegen durch über unter um als wie wenn dass ob so auch noch nur schon \
        da denn weil dort hier man was wer wo diese dieser dieses diesen jene kann können muss müssen soll sollen darf \
        dürfen will wollen möchte laut sagt sagte dafür dabei damit daran danach doch sehr etwa ja nachdem bevor während sondern rund ungefähr beinahe circa behauptet erklärt \
        le la les un une des du de d l et ou mais est sont était étaient être été a ont avait avaient avoir il elle ils \
        elles on je tu nous vous lui leur leurs son sa ses mon ma mes ton ta tes notre votre vos ce cet cette ces qui que \
        quoi dont où à au aux en dans sur sous par pour contre avec chez vers entre se s y si comme plus très aussi même tout \
        toute c j m n t qu afin selon dit fait faut il doit peut peuvent pouvez environ presque car mais parce lorsque quand donc puis sauf affirme déclare explique
        """)

    /// Words that turn a clause into its opposite.
    static let negations = WordList.folded(
        """
        not no never hardly barely rarely seldom none nobody nothing neither nor cannot without nowhere n't \
        nicht kaum selten kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder \
        ne n pas jamais aucun aucune sans rien ni non
        """)

    /// Words that deny by their meaning: what they stand in may be said with a negation, too.
    static let softNegations = WordList.folded(
        """
        unable unless except fail fails failed lack lacks lacking refuse refuses refused avoid avoids avoided deny denied \
        rather instead stop stops stopped prevent prevents off free exempt unchanged unaffected \
        impossible otherwise unlike harmless gone same stayed statt gleich außer bisher \
        verboten sondern aufgehört unverändert éviter évite déconseille sauf même gratuit gratuite refuse
        """)

    /// Words that begin another clause.
    static let conjunctions = WordList.folded(
        """
        and but because while although though since so if when unless whereas which who where or \
        und aber weil da denn obwohl wenn während sondern oder doch \
        et mais car parce quand lorsque si sauf puis ou donc
        """)
}

extension WrittenLanguage {
    /// The language with the most function words in a text; the default when no other has more than one.
    init(of words: some Sequence<String>, default language: WrittenLanguage = .english) {
        var counts: [WrittenLanguage: Int] = [language: 1]
        for word in words {
            for language in FunctionWords.marks[word] ?? [] { counts[language, default: 0] += 1 }
        }
        var best = language
        for language in Self.allCases where counts[language, default: 0] > counts[best, default: 0] { best = language }
        self = best
    }
}
