extension AuthorityWords {
    static let english = AuthorityWords(
        language: "en", title: "Trust this gateway",
        why: """
            This device does not know the gateway's certificate yet, so browsers warn about it. Install the certificate of \
            its authority once. Then the warning ends, and the microphone, notifications and installation work.
            """,
        compare: "Compare first",
        compareHow: """
            On the gateway's machine, <code>selene tls show</code> prints this fingerprint (SHA-256). If it prints another \
            one, somebody else answers here: stop.
            """,
        install: "Install", der: "Certificate (.cer)", pem: "Certificate in PEM (.crt)",
        harmless: """
            The certificate is public and holds no secret. It can vouch for local names and private addresses only, not \
            for other sites.
            """,
        this: "this device", after: "Afterwards", afterHow: "Close this page and open the gateway again.",
        open: "Open the gateway", other: "Another device",
        otherHow:
            "Its camera opens this page. The browser warns about it there, too, until the certificate is installed.",
        qr: "The address of this page as a QR code",
        iOS: Steps(
            name: "iPhone and iPad",
            list: [
                "In Safari, press “Certificate (.cer)” above, then “Allow”.",
                "Open Settings and press “Profile Downloaded”, then “Install”. Later it is in General → VPN &amp; Device "
                    + "Management.",
                "In Settings → General → About → Certificate Trust Settings, switch on “Selene local authority”.",
            ], hint: "Without the last step the certificate is installed, but not trusted."),
        android: Steps(
            name: "Android",
            list: [
                "Press “Certificate (.cer)” above and keep the file.",
                "In Settings → Security &amp; privacy → More security → Encryption &amp; credentials → Install a "
                    + "certificate, press “CA certificate”. Makers name these pages differently: search the settings for "
                    + "“certificate”.",
                "Press “Install anyway” and choose the file selene-ca.cer.",
            ],
            hint: """
                Firefox: in Settings → About Firefox, press the logo five times, go back, open “Secret settings” and \
                switch on “Use third party CA certificates”.
                """),
        macOS: Steps(
            name: "macOS",
            list: [
                "Press “Certificate (.cer)” above and open the file. Keychain Access adds it.",
                "In Keychain Access, double-click “Selene local authority” and open “Trust”.",
                "Choose “Always Trust” for this certificate, close the window and confirm with your password.",
            ]),
        windows: Steps(
            name: "Windows",
            list: [
                "Press “Certificate (.cer)” above and open the file.",
                "Press “Install Certificate…”, choose “Current User”, then “Place all certificates in the following "
                    + "store”.",
                "Choose “Trusted Root Certification Authorities”, finish, and confirm the warning.",
            ], hint: "In a terminal: <code dir=\"ltr\">certutil -addstore -user Root selene-ca.cer</code>"),
        linux: Steps(
            name: "Linux",
            list: [
                "Press “Certificate in PEM (.crt)” above and open a terminal in the folder of the file.",
                "Debian, Ubuntu: <code dir=\"ltr\">sudo cp selene-ca.crt /usr/local/share/ca-certificates/ &amp;&amp; sudo "
                    + "update-ca-certificates</code>",
                "Fedora: <code dir=\"ltr\">sudo cp selene-ca.crt /etc/pki/ca-trust/source/anchors/ &amp;&amp; sudo "
                    + "update-ca-trust</code>",
                "Chrome and Chromium have a list of their own: <code dir=\"ltr\">mkdir -p $HOME/.pki/nssdb &amp;&amp; certutil "
                    + "-d sql:$HOME/.pki/nssdb -A -t C,, -n Selene -i selene-ca.crt</code>",
            ], hint: "certutil is in the package libnss3-tools (Debian) or nss-tools (Fedora)."),
        firefox: Steps(
            name: "Firefox on a computer",
            list: [
                "On Windows and macOS, Firefox trusts what the system trusts: follow the steps of the system.",
                "On Linux, press “Certificate in PEM (.crt)” above.",
                "In Settings, search for “certificates” and press “Manage certificates”; older versions call it “View "
                    + "Certificates…”.",
                "Under “Authorities”, press “Import…” and choose the file.",
                "Check “Trust this CA to identify websites”.",
            ]))
}
