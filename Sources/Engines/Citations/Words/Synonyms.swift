/// Words of nearly one meaning. Each line is a meaning; `/` divides its English, German and French words.
enum Synonyms {
    static let lines = """
        get got receive obtain give gave given grant/bekommen bekommt erhalten erhält/recevoir reçu
        show display/zeigen/montrer
        use employ/verwenden benutzen/utiliser
        repair fix/reparieren/réparer
        bike bicycle/fahrrad rad/vélo bicyclette
        fridge refrigerator/kühlschrank/
        petrol fuel gasoline/benzin/essence
        flat apartment/wohnung/appartement
        home house/haus/maison
        reside/wohnen/habiter
        doctor physician/arzt ärztin/médecin docteur
        illness disease/krankheit/maladie
        medicine drug medication/medikament/médicament
        tablet pill/tablette/comprimé
        job work/arbeit arbeiten/travail travailler
        boss chief head/leiter chef/chef
        car automobile/auto wagen/voiture
        letter/brief/lettre
        child children kid/kind kinder/enfant
        money/geld/argent
        pay paid/zahlen bezahlen zahlt/payer
        cost price/kosten kostet preis/coûter prix
        charge demand/verlangen verlangt berechnen/demander
        need require/brauchen benötigen/nécessaire
        help assist/helfen hilft/aider
        try attempt/versuchen/essayer
        ask request/fragen bitten/
        answer reply respond/antworten/répondre
        tell told inform/erzählen mitteilen/raconter
        speak spoke talk/sprechen reden/parler
        call named/nennen nannte heißen heißt/appeler
        write wrote written/schreiben schrieb/écrire écrit
        read/lesen las gelesen/lire
        see saw seen/sehen sah/voir
        find found discover/finden fand gefunden/trouver
        know knew known/wissen weiß wusste/savoir savait
        think thought believe/glauben denken/croire penser
        make made produce create/herstellen machen/faire
        build built construct/bauen gebaut/construire
        destroy/zerstören/détruire
        move relocate/umziehen zog/déménager
        go went gone/gehen ging/aller
        travel trip journey/reise reisen/voyage
        drive drove driven/fahren fährt fuhr verkehren/conduire
        carry transport/tragen/transporter porter
        take took taken/nehmen nahm/prendre pris
        bring brought/bringen brachte/apporter
        send sent/schicken senden/envoyer
        change alter/ändern geändert/changer
        replace swap exchange/tauschen getauscht ersetzen/remplacer
        remove delete/entfernen löschen/supprimer
        add/hinzufügen/ajouter
        postpone delay/verschieben verschoben/reporter
        cancel/absagen/annuler
        plan intend/planen beabsichtigen/prévoir
        responsible owner own/zuständig verantwortlich/responsable
        important/wichtig/important
        common frequent often/häufig oft/fréquent souvent
        enough sufficient/genug ausreichend/assez suffisant
        error mistake fault/fehler/erreur
        crash failure fail outage incident/ausfall ausfallen ausgefallen/panne
        cause reason/grund ursache/raison cause
        result outcome/ergebnis/résultat
        test trial/versuch test/essai
        document file/dokument datei/document fichier
        customer client shopper/kunde kundin/client
        staff employee/mitarbeiter/personnel employé
        company firm/firma unternehmen/entreprise société
        meeting/sitzung treffen/réunion
        appointment/termin/rendez-vous
        deadline/frist/délai
        food meal/essen mahlzeit/repas nourriture
        drink drank/trinken trank/boire
        sleep slept/schlafen schlief/dormir dort
        marry wed/heiraten/épouser marier
        town city/stadt/ville
        street road/straße/rue route
        sea ocean/meer/mer
        boat ship/boot schiff/bateau navire
        rock stone/stein/pierre
        rain/regen regnen/pluie
        storm tempest/sturm/tempête
        refund reimburse/erstatten/rembourser
        insure insurance cover/versichern versicherung/assurer assurance
        room space/raum platz/salle place
        harm damage/schaden/dommage
        danger dangerous/gefahr gefährlich/danger dangereux
        safe secure/sicher/sûr
        happen occur/passieren geschehen/arriver
        choose chose chosen select/wählen/choisir
        collect gather/sammeln/collecter
        follow/folgen/suivre
        recommend advise advice/empfehlen empfiehlt raten/recommander conseiller
        suspect assume/vermuten/soupçonner
        confirm/bestätigen/confirmer
        promise/versprechen/promettre
        stay remain/bleiben bleibt blieb/rester
        switch turn/schalten/
        process handle/verarbeiten/traiter
        store save/speichern/enregistrer
        query poll/abfragen/
        record log/protokollieren/
        watch observe/beobachten/observer
        rival competitor/konkurrent/rival concurrent
        bad poor/schlecht/mauvais
        good well/gut/bon bien
        soon/bald/bientôt
        quiet calm/ruhig/calme
        people person/leute mensch/gens personne
        resume restart/fortsetzen/reprendre reprise
        """
}
