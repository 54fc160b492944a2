import Language

/// English verbs of things that people set out to do.
enum EnglishVerbs {
    /// Verbs that are no nouns or adjectives in the same form: with an object they begin a task.
    static let plain = WordList.plain(
        """
        add adjust apologise apologize apply arrange ask assemble attach attend borrow bring buy choose collect compare \
        complete confirm congratulate contact create decide defrost deliver descale discuss dispose donate download empty \
        enrol enroll explain fetch figure fill find finish forward gather get give hand hang hire inform insert inspect \
        install introduce invite invoice learn lend load make meet negotiate notify obtain oil organise organize pack pay \
        pick practise prepare prune publish register remove renew replace research reserve rewrite scan schedule \
        sell send settle sew share sharpen show sign solve sort speak submit subscribe switch take tell thank throw tidy \
        translate try turn type unpack unsubscribe upload wash write cancel fix cook bake
        """)
    /// Verbs that are also nouns or adjectives: the next word decides.
    static let ambiguous = WordList.plain(
        """
        answer back book bill call charge check clean clear copy draft dry e-mail email file follow grease help iron list \
        lock mail measure mend message mow move name note open order paint phone plan plant post print process promise \
        record repair reply report respond request rest return review ring save search ship shop start stop store study \
        sweep talk test text trim update vacuum visit water wrap transfer look go come feed change move walk close
        """)
    /// Verbs whose past has the same form.
    static let unchanging = WordList.plain("cut put read set shut let")

    static let all = plain.union(ambiguous).union(unchanging)

    /// Words behind a verb that make it a noun or the sentence a report.
    static let notObjects = WordList.plain(
        """
        with from of about was were is are and or arrived came went had has failed says said between among against \
        than but did does will would
        """)
    /// Words that begin an object.
    static let objectStarts = WordList.plain(
        """
        the a an my our your his her their its this that these those me him them us some all both every each another \
        out up back
        """)
    /// Prepositions that some of the ambiguous verbs take.
    static let prepositions: [String: Set<String>] = [
        "reply": ["to"], "respond": ["to"], "talk": ["to", "with"], "look": ["for", "into", "up", "at"],
        "search": ["for"], "shop": ["for"],
        "go": ["to", "through", "and"], "come": ["back"], "follow": ["up"],
        "check": ["in", "on", "with", "whether", "if"],
        "plan": ["for"], "study": ["for"], "move": ["to"], "help": ["with"], "email": ["about"],
    ]

    /// Verbs of states and of saying: what a person must be or admit is no task.
    static let states = WordList.plain(
        """
        admit say confess accept believe understand think know live sleep feel hope remember rest see stop trust learn \
        wait agree disagree suppose like love deal cope stay keep laugh cry smile grow forgive relax forget go wonder \
        start
        """)

    private static let participles: [String: String] = [
        "bought": "buy", "brought": "bring", "paid": "pay", "sent": "send", "sold": "sell", "told": "tell",
        "written": "write", "taken": "take", "made": "make", "done": "do", "found": "find", "given": "give",
        "chosen": "choose", "thrown": "throw", "mown": "mow", "hung": "hang", "lent": "lend", "met": "meet",
        "put": "put", "read": "read", "set": "set", "cut": "cut", "shut": "shut", "rewritten": "rewrite",
        "submitted": "submit", "trimmed": "trim", "planned": "plan", "wrapped": "wrap", "stopped": "stop",
        "shipped": "ship", "cancelled": "cancel", "canceled": "cancel", "transferred": "transfer", "shown": "show",
    ]

    /// The verb of a participle; nil for other words.
    static func verb(ofParticiple text: String) -> String? {
        if let verb = participles[text] { return verb }
        guard text.hasSuffix("ed") else { return nil }
        if text.hasSuffix("ied") {
            let verb = text.dropLast(3) + "y"
            if all.contains(String(verb)) { return String(verb) }
        }
        for cut in [2, 1] {
            let verb = String(text.dropLast(cut))
            if all.contains(verb) { return verb }
        }
        return nil
    }
}
