/// Meanings of which a sentence may name only one in a place. Each line is a set; `|` divides its meanings, `/` the
/// English, German and French words of one.
enum Opposites {
    /// Whether one of a line's meanings in a clause keeps out the others. Relatives do not: a clause may name several.
    static func keepOut(_ line: Int) -> Bool { line != 6 }

    /// Whether a line holds values, such as weekdays and colours, rather than words for what something is or does.
    static func areValues(_ line: Int) -> Bool { line < 7 }

    static let lines = """
        north northern/nord nördlich norden/nord | south southern/süd südlich süden/sud \
        | east eastern/ost östlich osten/est | west western/westlich westen/ouest
        monday/montag/lundi | tuesday/dienstag/mardi | wednesday/mittwoch/mercredi | thursday/donnerstag/jeudi \
        | friday/freitag/vendredi | saturday/samstag sonnabend/samedi | sunday/sonntag/dimanche
        january/januar/janvier | february/februar/février | march/märz/mars | april/april/avril | may-month/mai/mai \
        | june/juni/juin | july/juli/juillet | august/august/août | september/september/septembre \
        | october/oktober/octobre | november/november/novembre | december/dezember/décembre
        spring/frühling frühjahr/printemps | summer/sommer/été | autumn/herbst/automne | winter/winter/hiver
        morning/morgen vormittag/matin | noon midday/mittag/midi | afternoon/nachmittag/après-midi \
        | evening/abend/soir soirée | night/nacht/nuit
        red/rot/rouge | blue/blau/bleu | green/grün/vert | yellow/gelb/jaune | black/schwarz/noir | white/weiß/blanc | grey gray/grau/gris | brown/braun/brun
        mother/mutter/mère | father/vater/père | brother/bruder/frère | sister/schwester/sœur | son/sohn/fils \
        | daughter/tochter/fille | uncle/onkel/oncle | aunt/tante/tante | grandfather/großvater/ \
        | grandmother/großmutter/ | cousin/cousin/cousin | niece/nichte/nièce | nephew/neffe/neveu \
        | husband/ehemann/mari | wife/ehefrau/épouse
        rise rose risen increase grow grew grown raise climb/steigen steigt stieg erhöhen zunehmen/monter augmenter \
        | fall fell fallen decrease drop decline reduce lower shrink/sinken sinkt fallen fiel senken/baisser diminuer
        open/öffnen/ouvrir | close shut/schließen geschlossen/fermer
        buy bought purchase/kaufen kauft kaufte/acheter acheta | sell sold/verkaufen verkauft verkaufte/vendre vendu vend
        cheap/billig günstig/ | expensive/teuer teurer/cher
        warm/warm/ | cold/kalt/froid | hot/heiß/chaud
        accept approve agree/annehmen zustimmen genehmigen/accepter | reject decline/ablehnen/refuser
        allow permit permitted/erlauben erlaubt/permettre | forbid prohibit ban/verbieten untersagen/interdire interdit
        minimum/minimal/minimum | maximum//maximum
        fast quick/schnell/rapide | slow/langsam/lent
        always/immer/toujours | sometimes/manchmal/parfois
        left/links/gauche | right/rechts/droite
        keep kept retain/behalten behält/garder conserver | discard/wegwerfen/jeter
        arrive arrival reach/ankommen ankunft/arriver arrivée | leave depart departure/abfahren abfahrt/partir départ
        early/früh/tôt | late/spät/tard
        win won gain/gewinnen gewann/gagner | lose lost/verlieren verlor/perdre
        begin begun began start launch commence/beginnen beginnt begann anfangen starten/commencer \
        | end finish final over conclude/enden endet beenden/finir
        wet/nass/mouillé | dry/trocken/sec
        full/voll/plein | empty/leer/vide
        high/hoch hohe/haut | low/niedrig tief/bas
        long/lang/long | short/kurz/court
        strong/stark/fort | weak/schwach/faible
        bright/hell/clair | dark/dunkel/sombre
        heavy/schwer/lourd | light/leicht/léger
        wide/breit/large | narrow/schmal eng/étroit
        deep/tief/profond | shallow/flach/
        young/jung/jeune | old/alt/vieux
        better/besser/mieux meilleur | worse/schlechter/pire
        many/viele/ | few/wenige/
        front/vorn vorne/avant | back rear/hinten/arrière
        top upper/oben obere/haut | bottom lower/unten untere/bas
        optional/freiwillig/facultatif | mandatory compulsory obligatory/verpflichtend pflicht/obligatoire
        internal/intern/interne | external/extern/externe
        include/inklusive enthalten/inclure inclus | exclude/exklusive ausschließen/exclure exclu
        inside indoor indoors/innen drinnen/ | outside outdoor outdoors/außen draußen/
        enable activate/aktivieren einschalten/activer | disable deactivate/deaktivieren ausschalten/désactiver
        lend lent/leihen lieh/prêter | borrow/ausleihen/emprunter
        same/gleich/même | different/verschieden/différent
        true/wahr/vrai | false/falsch/faux
        alive live survive/leben überleben/vivre | die died dead death/sterben tot tod starb gestorben/mourir mort
        large big great/groß/grand | small little/klein/petit
        """
}
