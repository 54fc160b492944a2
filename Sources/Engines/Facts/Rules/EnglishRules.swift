/// What English sentences say about the person who writes them. Earlier rules go first.
enum EnglishRules {
    static let all: [FactRule] = names + places + work + family + health + preferences + things + plans

    private static let names = [
        FactRule("my ?first|full name is|'s <name>", .name, "name", "Name: {v}", single: true, confidence: 0.95),
        FactRule("i am called|named <name>", .name, "name", "Name: {v}", single: true, confidence: 0.95),
        FactRule("i go by <name>", .name, "name", "Name: {v}", single: true, confidence: 0.9),
        FactRule("call me <name>", .name, "name", "Name: {v}", single: true, confidence: 0.9),
        FactRule("my birthday is ?on ?the <date>", .date, "birthday", "Birthday: {v}", single: true, confidence: 0.95),
        FactRule("i was born on ?the <date>", .date, "birthday", "Birthday: {v}", single: true, confidence: 0.95),
        FactRule(
            "our|my ?wedding anniversary is ?on ?the <date>", .date, "anniversary", "Anniversary: {v}", single: true),
        FactRule("i am <number> years old", .date, "age", "{v} years old", single: true, confidence: 0.9),
        FactRule("i turned <number>", .date, "age", "{v} years old", single: true),
    ]

    private static let places = [
        FactRule("i|we have moved from <place> to <place>", .place, "home", "Lives in {w}", value: "{w}", single: true),
        FactRule("i|we moved from <place> to <place>", .place, "home", "Lives in {w}", value: "{w}", single: true),
        FactRule(
            "i|we live|reside ?here in|near|outside <place>", .place, "home", "Lives in {v}", single: true,
            confidence: 0.9),
        FactRule("i|we have lived in <place>", .place, "home", "Lives in {v}", single: true),
        FactRule(
            "i|we have moved|relocated ?back to <place>", .place, "home", "Lives in {v}", single: true, confidence: 0.9),
        FactRule(
            "i|we moved|relocated ?back to <place>", .place, "home", "Lives in {v}", single: true, confidence: 0.9),
        FactRule("i|we am|are based in <place>", .place, "home", "Lives in {v}", single: true),
        FactRule("i am ?originally from <place>", .place, "origin", "Comes from {v}", single: true, confidence: 0.9),
        FactRule("i come ?originally from <place>", .place, "origin", "Comes from {v}", single: true, confidence: 0.9),
        FactRule("i grew up in|near <place>", .place, "origin", "Comes from {v}", single: true),
        FactRule("i was born in <place>", .place, "birthplace", "Born in {v}", single: true, confidence: 0.9),
        FactRule(
            "i was born and raised in <place>", .place, "birthplace", "Born in {v}", single: true, confidence: 0.9),
    ]

    private static let employer = FactRule("", .work, "employer", "Works at {w}", value: "{w}", single: true)
    private static let work = [
        FactRule(
            "i work ?part-time as ?a|an|the <phrase:4> at|for <org>", .work, "occupation", "Works as {v}", single: true,
            confidence: 0.9
        ).and(employer),
        FactRule(
            "i am a|an <ending:profession> at|for <org>", .work, "occupation", "Works as {v}", single: true,
            confidence: 0.9
        ).and(employer),
        FactRule(
            "i work|working ?part-time as ?a|an|the <phrase:4> at|for|in|with", .work, "occupation", "Works as {v}",
            single: true, confidence: 0.9),
        FactRule(
            "i work ?part-time as ?a|an|the <phrase:4>", .work, "occupation", "Works as {v}", single: true,
            confidence: 0.9),
        FactRule(
            "i am working as ?a|an|the <phrase:4>", .work, "occupation", "Works as {v}", single: true, confidence: 0.9),
        FactRule(
            "i am a|an ?retired|qualified|trained <ending:profession>", .work, "occupation", "Works as {v}",
            single: true, confidence: 0.9),
        FactRule("i became a|an <ending:profession>", .work, "occupation", "Works as {v}", single: true),
        FactRule("i am <in:employment>", .work, "employment", "Employment: {v}", single: true),
        FactRule("i have retired", .work, "employment", "Employment: retired", value: "retired", single: true),
        FactRule("i work at|for <org>", .work, "employer", "Works at {v}", single: true, confidence: 0.9),
        FactRule("i joined <name>", .work, "employer", "Works at {v}", single: true, confidence: 0.7),
        FactRule(
            "i have started|started ?working|work ?my ?a ?new ?job at <org>", .work, "employer", "Works at {v}",
            single: true),
        FactRule("my employer is <org>", .work, "employer", "Works at {v}", single: true, confidence: 0.9),
        FactRule("i left|quit <name>", .work, "employer", "Works at {v}", single: true, ended: true),
        FactRule("i quit|left my job at <org>", .work, "employer", "Works at {v}", single: true, ended: true),
        FactRule("i study <phrase:4> at|in|with", .work, "study", "Studies {v}", single: true),
        FactRule("i study <phrase:4>", .work, "study", "Studies {v}", single: true),
        FactRule("i am studying <phrase:4> at|in", .work, "study", "Studies {v}", single: true),
        FactRule("i am studying <phrase:4>", .work, "study", "Studies {v}", single: true),
    ]

    private static let family = [
        FactRule(
            "my|our ?younger|older|elder|little|big|late|new <in:relation> is|'s|was called|named <name>", .family,
            "family.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "my|our ?younger|older|elder|little|big <in:relation> 's name is <name>", .family, "family.{v}", "{v}: {w}",
            value: "{w}", confidence: 0.9),
        FactRule(
            "my ?younger|older|elder|little|big <in:relation> is <name>", .family, "family.{v}", "{v}: {w}",
            value: "{w}", confidence: 0.7),
        FactRule(
            "i have a|an ?younger|older|elder|little|big <in:relation> called|named <name>", .family, "family.{v}",
            "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "my|our ?new|old <in:pet> is|'s called|named <name>", .family, "pet.{v}", "{v}: {w}", value: "{w}",
            confidence: 0.9),
        FactRule("my|our <in:pet> 's name is <name>", .family, "pet.{v}", "{v}: {w}", value: "{w}", confidence: 0.9),
        FactRule(
            "i|we have|got a|an ?new|old|young <in:pet> called|named <name>", .family, "pet.{v}", "{v}: {w}",
            value: "{w}", confidence: 0.9),
        FactRule(
            "i|we have a|an ?new|old|young <in:pet> , her|his|whose name is <name>", .family, "pet.{v}", "{v}: {w}",
            value: "{w}"),
        FactRule(
            "my ?younger|older|elder|little|big <in:relation> <name>", .family, "family.{v}", "{v}: {w}", value: "{w}",
            confidence: 0.8),
        FactRule("my|our <in:pet> <name>", .family, "pet.{v}", "{v}: {w}", value: "{w}", confidence: 0.8),
        FactRule(
            "i|we have <number> ?small|grown|grown-up|adult|young <in:relations>", .family, "count.{w}", "Has {v} {w}",
            value: "{v}", single: true, confidence: 0.9),
        FactRule("i am married to <name>", .family, "family.spouse", "spouse: {v}", confidence: 0.9),
        FactRule(
            "i am ?happily|recently|newly <in:marital>", .family, "marital", "Marital status: {v}", single: true,
            confidence: 0.9),
        FactRule("i got <in:marital>", .family, "marital", "Marital status: {v}", single: true, confidence: 0.9),
    ]

    private static let health = [
        FactRule(
            "i am ?severely|badly|slightly|highly allergic to <phrase:4>", .health, "allergy", "Allergic to {v}",
            lists: true, confidence: 0.95),
        FactRule(
            "i have a|an ?severe|bad <phrase:2> allergy|intolerance", .health, "allergy", "Allergic to {v}",
            confidence: 0.9),
        FactRule(
            "i have ?chronic|mild|severe|bad <in:condition>", .health, "condition", "Health: {v}", lists: true,
            confidence: 0.9),
        FactRule(
            "i suffer from ?chronic|severe <phrase:3>", .health, "condition", "Health: {v}", lists: true,
            confidence: 0.9),
        FactRule("i am <in:condition>", .health, "condition", "Health: {v}", confidence: 0.9),
        FactRule("i was diagnosed with <phrase:4>", .health, "condition", "Health: {v}", confidence: 0.9),
        FactRule(
            "i am ?a ?strict|lifelong|mostly <in:diet>", .health, "diet", "Diet: {v}", single: true, confidence: 0.9),
        FactRule("i went <in:diet>", .health, "diet", "Diet: {v}", single: true),
        FactRule("i became ?a <in:diet>", .health, "diet", "Diet: {v}", single: true),
        FactRule("i do not eat|drink ?any <phrase:3>", .health, "avoids", "Avoids {v}", lists: true, confidence: 0.9),
        FactRule(
            "i can not eat|tolerate|have <phrase:3>", .health, "avoids", "Avoids {v}", lists: true, confidence: 0.9),
        FactRule("i never eat|drink <phrase:3>", .health, "avoids", "Avoids {v}", lists: true, confidence: 0.9),
        FactRule("i avoid <phrase:3>", .health, "avoids", "Avoids {v}", lists: true, confidence: 0.8),
        FactRule(
            "i take <phrase:3> for my|against <phrase:3>", .health, "medication", "Takes {v} for {w}", confidence: 0.85),
    ]

    private static let preferences = [
        FactRule(
            "i prefer <phrase:5> to|over <phrase:5>", .preference, "preference.{v}", "Prefers {v} to {w}",
            value: "like", single: true),
        FactRule("i prefer <phrase:5>", .preference, "preference.{v}", "Prefers {v}", value: "like", single: true),
        FactRule(
            "i like|love|enjoy|adore <phrase:5>", .preference, "preference.{v}", "Likes {v}", value: "like",
            single: true, lists: true),
        FactRule(
            "i am ?a ?big|huge fan of <phrase:5>", .preference, "preference.{v}", "Likes {v}", value: "like",
            single: true, lists: true),
        FactRule(
            "i am fond of <phrase:5>", .preference, "preference.{v}", "Likes {v}", value: "like", single: true,
            lists: true),
        FactRule(
            "i am ?very keen on <phrase:5>", .preference, "preference.{v}", "Likes {v}", value: "like", single: true,
            lists: true),
        FactRule(
            "i am into <phrase:4>", .preference, "preference.{v}", "Likes {v}", value: "like", single: true, lists: true
        ),
        FactRule(
            "i have come to like|love|enjoy <phrase:5>", .preference, "preference.{v}", "Likes {v}", value: "like",
            single: true),
        FactRule(
            "i hate|dislike|loathe|detest <phrase:5>", .preference, "preference.{v}", "Dislikes {v}", value: "dislike",
            single: true, lists: true),
        FactRule(
            "i can not stand|bear <phrase:5>", .preference, "preference.{v}", "Dislikes {v}", value: "dislike",
            single: true, lists: true),
        FactRule(
            "i do not ?really ?much like|enjoy <phrase:5>", .preference, "preference.{v}", "Dislikes {v}",
            value: "dislike", single: true, lists: true),
        FactRule(
            "i am not a ?big|huge fan of <phrase:5>", .preference, "preference.{v}", "Dislikes {v}", value: "dislike",
            single: true),
        FactRule(
            "my favourite|favorite <phrase:2> is|are ?by ?far <phrase:5>", .preference, "favourite.{v}",
            "Favourite {v}: {w}", value: "{w}", single: true, confidence: 0.9),
    ]

    private static let things = [
        FactRule("i switched|moved|changed from <phrase:3> to <phrase:3>", .tool, "tool", "Uses {w}", value: "{w}"),
        FactRule(
            "i have switched|moved|changed from <phrase:3> to <phrase:3>", .tool, "tool", "Uses {w}", value: "{w}"),
        FactRule("i have switched to <phrase:3>", .tool, "tool", "Uses {v}"),
        FactRule("i switched to <phrase:3>", .tool, "tool", "Uses {v}"),
        FactRule("i use <phrase:3> for|as|to|on|at", .tool, "tool", "Uses {v}", lists: false),
        FactRule("i use <phrase:3>", .tool, "tool", "Uses {v}", lists: true),
        FactRule("i drive a|an ?old|new <phrase:3>", .tool, "vehicle", "Drives {v}", single: true),
        FactRule("my ?new <in:device> is a|an <phrase:4>", .tool, "device.{v}", "{v}: {w}", value: "{w}", single: true),
        FactRule(
            "i speak ?fluent|some|good|a|little|bit|of <in:language>", .language, "language", "Speaks {v}", lists: true,
            confidence: 0.9),
        FactRule(
            "my native|first|mother language|tongue is <in:language>", .language, "native", "Native language: {v}",
            single: true, confidence: 0.95),
        FactRule(
            "i am a native <in:language> speaker", .language, "native", "Native language: {v}", single: true,
            confidence: 0.95),
        FactRule("i am learning ?to ?play|speak ?the <phrase:2>", .interest, "learning", "Learns {v}", lists: true),
        FactRule("i have started|started ?learning|learn <in:language>", .interest, "learning", "Learns {v}"),
        FactRule("i play ?the <phrase:2> in|with|every|on|at", .interest, "plays", "Plays {v}"),
        FactRule("i play ?the <phrase:2>", .interest, "plays", "Plays {v}", lists: true),
        FactRule("i collect <phrase:3>", .interest, "collects", "Collects {v}"),
        FactRule("i keep bees|hens|chickens", .interest, "keeps", "Keeps animals", value: "bees"),
    ]

    private static let plans = [
        FactRule("i plan|intend to <phrase:8>", .plan, "plan", "Plans to {v}", confidence: 0.75),
        FactRule("i plan on <phrase:8>", .plan, "plan", "Plans {v}", confidence: 0.75),
        FactRule("i|we am|are planning to|on <phrase:8>", .plan, "plan", "Plans to {v}", confidence: 0.75),
        FactRule("i|we am|are planning a|an|our|my <phrase:8>", .plan, "plan", "Plans {v}", confidence: 0.75),
        FactRule("i|we am|are moving to <place>", .plan, "plan", "Moves to {v}", value: "move to {v}", confidence: 0.8),
        FactRule("i|we have booked|booked ?a <phrase:7>", .plan, "plan", "Booked {v}", confidence: 0.75),
        FactRule("i have signed|signed up for <phrase:7>", .plan, "plan", "Signed up for {v}", confidence: 0.75),
        FactRule("i am training for <phrase:6>", .plan, "plan", "Trains for {v}", confidence: 0.75),
        FactRule("my goal|aim is to <phrase:8>", .plan, "plan", "Plans to {v}", confidence: 0.75),
        FactRule(
            "i want to learn <phrase:5>", .plan, "plan", "Wants to learn {v}", value: "learn {v}", confidence: 0.75),
        FactRule("remember|note that <rest>", .note, "note", "{v}", confidence: 0.9),
        FactRule("keep in mind that <rest>", .note, "note", "{v}", confidence: 0.9),
        FactRule("i usually|normally|regularly|often <phrase:8>", .habit, "habit", "Usually: {v}", confidence: 0.75),
        FactRule("every <phrase:1> i <phrase:6>", .habit, "habit", "Every {v}: {w}", value: "{w}", confidence: 0.75),
        FactRule("i <phrase:5> every <phrase:3>", .habit, "habit", "Every {w}: {v}", confidence: 0.75),
        FactRule("i get up|wake at <phrase:2>", .habit, "rises", "Gets up at {v}", single: true, confidence: 0.8),
    ]
}
