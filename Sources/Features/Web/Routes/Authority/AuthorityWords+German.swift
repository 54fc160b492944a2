extension AuthorityWords {
    static let german = AuthorityWords(
        language: "de", title: "Diesem Gateway vertrauen",
        why: """
            Dieses Gerät kennt das Zertifikat des Gateways noch nicht, deshalb warnt der Browser davor. Installiere einmal \
            das Zertifikat seiner Zertifizierungsstelle. Dann endet die Warnung, und Mikrofon, Benachrichtigungen und \
            Installation funktionieren.
            """,
        compare: "Zuerst vergleichen",
        compareHow: """
            Auf dem Rechner des Gateways zeigt <code>selene tls show</code> diesen Fingerabdruck (SHA-256). Zeigt es einen \
            anderen, antwortet hier jemand anderes: Brich dann ab.
            """,
        install: "Installieren", der: "Zertifikat (.cer)", pem: "Zertifikat in PEM (.crt)",
        harmless: """
            Das Zertifikat ist öffentlich und enthält kein Geheimnis. Es bürgt nur für lokale Namen und private Adressen, \
            nicht für andere Websites.
            """,
        this: "dieses Gerät", after: "Danach", afterHow: "Schließe diese Seite und öffne das Gateway neu.",
        open: "Gateway öffnen", other: "Ein anderes Gerät",
        otherHow: """
            Seine Kamera öffnet diese Seite. Auch dort warnt der Browser davor, bis das Zertifikat installiert ist.
            """,
        qr: "Die Adresse dieser Seite als QR-Code",
        iOS: Steps(
            name: "iPhone und iPad",
            list: [
                "Tippe in Safari oben auf „Zertifikat (.cer)“, dann auf „Zulassen“.",
                "Öffne die Einstellungen und tippe auf „Profil geladen“, dann auf „Installieren“. Später steht es unter "
                    + "Allgemein → VPN und Geräteverwaltung.",
                "Schalte unter Einstellungen → Allgemein → Info → Zertifikatsvertrauenseinstellungen „Selene local "
                    + "authority“ ein.",
            ], hint: "Ohne den letzten Schritt ist das Zertifikat installiert, aber nichts vertraut ihm."),
        android: Steps(
            name: "Android",
            list: [
                "Tippe oben auf „Zertifikat (.cer)“ und behalte die Datei.",
                "Tippe unter Einstellungen → Sicherheit und Datenschutz → Weitere Sicherheitseinstellungen → "
                    + "Verschlüsselung und Anmeldedaten → Zertifikat installieren auf „CA-Zertifikat“. Hersteller nennen "
                    + "diese Seiten verschieden: Suche in den Einstellungen nach „Zertifikat“.",
                "Tippe auf „Trotzdem installieren“ und wähle die Datei selene-ca.cer.",
            ],
            hint: """
                Firefox: Tippe unter Einstellungen → Über Firefox fünfmal auf das Logo, gehe zurück, öffne „Geheime \
                Einstellungen“ und schalte „CA-Zertifikate von Drittanbietern verwenden“ ein.
                """),
        macOS: Steps(
            name: "macOS",
            list: [
                "Klicke oben auf „Zertifikat (.cer)“ und öffne die Datei. Die Schlüsselbundverwaltung nimmt sie auf.",
                "Doppelklicke dort auf „Selene local authority“ und öffne „Vertrauen“.",
                "Wähle „Immer vertrauen“, schließe das Fenster und bestätige mit deinem Passwort.",
            ]),
        windows: Steps(
            name: "Windows",
            list: [
                "Klicke oben auf „Zertifikat (.cer)“ und öffne die Datei.",
                "Klicke auf „Zertifikat installieren…“, wähle „Aktueller Benutzer“, dann „Alle Zertifikate in folgendem "
                    + "Speicher speichern“.",
                "Wähle „Vertrauenswürdige Stammzertifizierungsstellen“, schließe ab und bestätige die Warnung.",
            ], hint: "In einem Terminal: <code dir=\"ltr\">certutil -addstore -user Root selene-ca.cer</code>"),
        linux: Steps(
            name: "Linux",
            list: [
                "Klicke oben auf „Zertifikat in PEM (.crt)“ und öffne ein Terminal im Ordner der Datei.",
                "Debian, Ubuntu: <code dir=\"ltr\">sudo cp selene-ca.crt /usr/local/share/ca-certificates/ &amp;&amp; sudo "
                    + "update-ca-certificates</code>",
                "Fedora: <code dir=\"ltr\">sudo cp selene-ca.crt /etc/pki/ca-trust/source/anchors/ &amp;&amp; sudo "
                    + "update-ca-trust</code>",
                "Chrome und Chromium haben eine eigene Liste: <code dir=\"ltr\">mkdir -p $HOME/.pki/nssdb &amp;&amp; certutil "
                    + "-d sql:$HOME/.pki/nssdb -A -t C,, -n Selene -i selene-ca.crt</code>",
            ], hint: "certutil ist im Paket libnss3-tools (Debian) oder nss-tools (Fedora)."),
        firefox: Steps(
            name: "Firefox auf einem Rechner",
            list: [
                "Auf Windows und macOS vertraut Firefox allem, dem das System vertraut: Folge den Schritten des Systems.",
                "Auf Linux klicke oben auf „Zertifikat in PEM (.crt)“.",
                "Suche in den Einstellungen nach „Zertifikate“ und klicke auf „Zertifikate verwalten“; ältere Versionen nennen "
                    + "es „Zertifikate anzeigen…“.",
                "Klicke unter „Zertifizierungsstellen“ auf „Importieren…“ und wähle die Datei.",
                "Wähle „Dieser CA vertrauen, um Websites zu identifizieren“.",
            ]))
}
