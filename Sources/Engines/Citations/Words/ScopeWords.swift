import Language

/// Words that set the scope of a statement: exclusion, exception, condition and doubt.
enum ScopeWords {
    /// A claim with one of these excludes everything else.
    static let exclusive = WordList.folded(
        "only solely exclusively nur lediglich ausschließlich einzig seul seule seulement uniquement")

    /// Words of a passage that may exclude as much as those of ``exclusive``.
    static let exclusiveHints = WordList.folded(
        """
        except but no not none n't nobody nothing never alone just other others apart without unless otherwise \
        einzige einzigen kein keine keinen nicht niemand nichts nie außer allein sonst erst ohne andere anderen \
        sauf aucun aucune pas personne rien que autre autres hors
        """)

    /// Words before what is left out.
    static let exceptions = WordList.folded("except excluding apart außer ausgenommen ausser sauf excepté hormis")

    static let prepositions = WordList.folded(
        """
        by from to of with than for against into onto over under between through during without about via at in on \
        von aus nach zu zum zur mit als für gegen über unter zwischen durch während ohne bei beim in im ins an am auf vor \
        par de du des à au aux avec pour contre entre dans sur sous sans chez vers
        """)

    /// Words that begin a condition.
    static let conditions = WordList.folded("if unless provided whether falls sofern wenn ob si")

    /// Words that leave open whether a statement holds.
    static let hedges = WordList.folded(
        """
        probably perhaps maybe might possibly presumably allegedly reportedly supposedly unclear uncertain \
        wahrscheinlich vielleicht vermutlich möglicherweise angeblich womöglich wohl unklar \
        probablement peut-être sans-doute
        """)

    /// Words of a claim that may leave as much open as those of ``hedges``.
    static let hedgeHints = WordList.folded(
        """
        may could would can likely think thinks thought believe believes believed suspect suspects suggest suggests \
        assume assumes estimate estimates according possible seem seems appear appears expect expected if whether not \
        könnte könnten dürfte soll sollen scheint glaubt glauben vermutet meint möglich wenn ob nicht laut \
        pourrait semble pense croit si possible selon
        """)
}
