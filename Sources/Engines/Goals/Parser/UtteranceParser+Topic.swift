import Language

extension UtteranceParser {
    /// Words for goals themselves, and for keeping what was done.
    private static let topics = WordList.folded(
        """
        goal goals habit habits milestone milestones target targets term terms resolution resolutions streak log logged logging \
        track tracked tracking undo ziel ziele zielen gewohnheit gewohnheiten meilenstein meilensteine etappe etappen vorsatz \
        vorsätze vorgenommen eintragen eingetragen notiere protokolliere rückgängig
        """)
    /// Words for what is done again and again.
    private static let repeats = WordList.folded(
        """
        daily weekly monthly yearly every each times often regularly täglich wöchentlich monatlich jährlich jeden jede jedes \
        mal oft öfter regelmäßig
        """
    ).union(RepeatReader.adverbs.keys)
    /// Words at the beginning of a question for what is known.
    private static let questions = WordList.folded(
        """
        what when where who whom whose which why how was wann wo wer wen wem wessen welche welcher welches welchen warum wieso \
        weshalb wie woher wohin
        """)
    private static let joins = WordList.folded("and so but und also aber")

    /// Whether a text may tell of a deed, a plan or a goal. In doubt it may.
    ///
    /// A single question that begins with a word such as `what` asks for what is known. It counts only with an amount, a duration
    /// or a word for goals.
    package func mayConcernGoals(_ text: String) -> Bool {
        guard text.utf8.count <= Self.maxBytes else { return true }
        let draft = parse(text)
        guard draft.goal == nil, draft.minutes == nil, draft.measures.isEmpty, draft.refusals.isEmpty else {
            return true
        }
        let words = ComparisonWords.split(text)
        if words.contains(where: Self.topics.contains) { return true }
        if Self.asks(text, words) { return false }
        return words.contains { Self.repeats.contains($0) || ActivityLexicon.entry(of: $0) != nil }
    }

    /// Whether a text is one question for what is known.
    private static func asks(_ text: String, _ words: [String]) -> Bool {
        guard let mark = text.lastIndex(where: { !$0.isWhitespace }), text[mark] == "?",
            !text[..<mark].contains(where: { ".!?;:".contains($0) || $0.isNewline })
        else { return false }
        return words.drop(while: joins.contains).first.map(questions.contains) ?? false
    }
}
