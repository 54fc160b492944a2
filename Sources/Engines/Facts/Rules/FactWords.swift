/// Lists of words that values may be, with their common form for both languages.
enum FactWords {
    /// A list by its name in a pattern.
    static func list(_ name: String) -> [String: String] { lists[name] ?? [:] }

    /// A value in the form that both languages share.
    static func canonical(_ value: String) -> String { shared[value] ?? value }

    private static let shared: [String: String] = {
        var shared: [String: String] = [:]
        for name in ["language", "diet", "marital", "condition", "employment"] {
            shared.merge(lists[name] ?? [:]) { first, _ in first }
        }
        return shared
    }()

    private static func same(_ words: String) -> [String: String] {
        words.split(separator: " ").reduce(into: [:]) { $0[String($1)] = String($1) }
    }

    /// Reads `common=other,other` by spaces; `_` stands for a space.
    private static func groups(_ text: String) -> [String: String] {
        text.split(whereSeparator: \.isWhitespace).reduce(into: [String: String]()) { list, group in
            let parts = group.split(separator: "=").map { String($0).replacing("_", with: " ") }
            guard let common = parts.first else { return }
            list[common] = common
            for other in (parts.dropFirst().first ?? "").split(separator: ",") { list[String(other)] = common }
        }
    }

    private static let lists: [String: [String: String]] = [
        "language": groups(
            """
            english=englisch german=deutsch french=französisch spanish=spanisch italian=italienisch portuguese=portugiesisch
            dutch=niederländisch,holländisch polish=polnisch russian=russisch ukrainian=ukrainisch turkish=türkisch
            arabic=arabisch hebrew=hebräisch greek=griechisch latin=latein swedish=schwedisch norwegian=norwegisch
            danish=dänisch finnish=finnisch czech=tschechisch hungarian=ungarisch japanese=japanisch korean=koreanisch
            mandarin chinese=chinesisch hindi welsh=walisisch irish=irisch catalan=katalanisch croatian=kroatisch
            romanian=rumänisch persian=persisch,farsi vietnamese=vietnamesisch esperanto
            """),
        "diet": groups(
            """
            vegetarian=vegetarisch,vegetarier,vegetarierin,a_vegetarian vegan=veganer,veganerin,a_vegan
            pescatarian=a_pescatarian,pescetarier,pescetarierin
            """),
        "marital": groups(
            """
            married=verheiratet divorced=geschieden single=ledig widowed=verwitwet,witwe,witwer engaged=verlobt
            separated=getrennt
            """),
        "employment": groups(
            """
            retired=rentner,rentnerin,pensioniert,in_rente,pensionär,pensionärin self-employed=selbstständig,selbständig
            freelance=freiberuflich,freiberufler,freiberuflerin,freelancer,a_freelancer unemployed=arbeitslos,arbeitssuchend
            """),
        "condition": groups(
            """
            asthma diabetes=diabetic,diabetiker,diabetikerin,a_diabetic migraine=migraines,migräne hay_fever=heuschnupfen
            coeliac_disease=celiac_disease,zöliakie high_blood_pressure=bluthochdruck epilepsy=epilepsie arthritis=arthrose,rheuma
            adhd=adhs insomnia=schlafstörungen depression=depressionen tinnitus psoriasis=schuppenflechte
            eczema=neurodermitis type_1_diabetes type_2_diabetes=typ-2-diabetes lactose_intolerant=laktoseintolerant
            left-handed=linkshänder,linkshänderin colour-blind=color-blind,colorblind,farbenblind sleep_apnoea=schlafapnoe
            a_bad_back scoliosis=skoliose crohn's_disease endometriosis=endometriose
            """),
        "profession": same(
            """
            teacher nurse doctor physician surgeon dentist engineer developer programmer designer architect lawyer solicitor
            accountant journalist editor writer author translator scientist researcher physicist chemist biologist historian
            librarian electrician plumber carpenter joiner mechanic chef cook baker farmer gardener musician cellist pianist
            photographer painter artist actor director consultant analyst manager administrator secretary paramedic midwife
            pharmacist therapist psychologist psychotherapist physiotherapist veterinarian vet professor lecturer student
            apprentice driver pilot sailor police-officer firefighter soldier social-worker salesperson cashier barista waiter
            waitress hairdresser tailor optician surveyor geologist geographer statistician mathematician economist banker
            broker potter luthier bookseller beekeeper conductor postman tutor
            lehrer lehrerin krankenschwester krankenpfleger pfleger pflegerin arzt ärztin zahnarzt zahnärztin hausarzt
            hausärztin ingenieur ingenieurin entwickler entwicklerin softwareentwickler softwareentwicklerin programmierer
            programmiererin informatiker informatikerin designer designerin grafiker grafikerin architekt architektin anwalt
            anwältin jurist juristin buchhalter buchhalterin journalist journalistin autor autorin schriftsteller
            schriftstellerin übersetzer übersetzerin wissenschaftler wissenschaftlerin physiker physikerin chemiker chemikerin
            biologe biologin historiker historikerin bibliothekar bibliothekarin elektriker elektrikerin tischler tischlerin
            schreiner schreinerin mechaniker mechanikerin koch köchin bäcker bäckerin landwirt landwirtin gärtner gärtnerin
            musiker musikerin cellist cellistin fotograf fotografin maler malerin künstler künstlerin schauspieler
            schauspielerin berater beraterin hebamme apotheker apothekerin therapeut therapeutin psychologe psychologin
            tierarzt tierärztin professor professorin student studentin azubi pilot pilotin erzieher erzieherin verkäufer
            verkäuferin friseur friseurin optiker optikerin geologe geologin mathematiker mathematikerin imker imkerin
            sozialarbeiter sozialarbeiterin physiotherapeut physiotherapeutin buchhändler buchhändlerin steuerberater
            steuerberaterin grundschullehrer grundschullehrerin
            """),
        "relation": groups(
            """
            spouse=wife,husband,frau,mann,ehefrau,ehemann,ehepartner partner=girlfriend,boyfriend,fiancé,fiancée,partnerin,freundin,lebensgefährte,lebensgefährtin,verlobte,verlobter
            mother=mum,mom,mutter,mama father=dad,vater,papa sister=schwester brother=bruder daughter=tochter son=sohn
            grandmother=grandma,oma,großmutter grandfather=grandpa,opa,großvater granddaughter=enkelin grandson=enkel
            aunt=tante uncle=onkel niece=nichte nephew=neffe cousin=cousine baby
            """),
        "relations": groups(
            """
            children=kids,child,kind,kinder sons=son,söhne,sohn daughters=daughter,töchter,tochter brothers=brother,brüder,bruder
            sisters=sister,schwestern,schwester siblings=geschwister cats=cat,katzen,katze,kater dogs=dog,hunde,hund
            grandchildren=enkelkinder,enkel horses=pferde hens=chickens,hühner
            """),
        "pet": groups(
            "dog=hund,hündin,puppy,welpe cat=katze,kater,kitten horse=pferd,pony rabbit=kaninchen parrot=papagei tortoise=schildkröte"
        ),
        "device": same(
            """
            car bike bicycle laptop computer phone camera editor keyboard telescope cello guitar piano violin
            auto fahrrad rad rechner handy telefon kamera tastatur teleskop gitarre klavier geige
            """),
    ]
}
