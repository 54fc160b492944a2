import HTTPTypes

/// The page that offers the authority's certificate, with the steps for each system. It has no script.
struct AuthorityPage {
    /// A system with steps of its own, in the order of the page.
    enum System: CaseIterable {
        case iOS, android, macOS, windows, linux, firefox

        /// The system of a browser; nil when it is unknown. An iPad calls itself a Mac. Firefox has a list of its own on
        /// Linux only.
        init?(userAgent: String) {
            let marks: [(String, System)] = [
                ("iPhone", .iOS), ("iPad", .iOS), ("Android", .android), ("Windows", .windows), ("Macintosh", .macOS),
                ("Linux", .linux), ("X11", .linux),
            ]
            guard let found = marks.first(where: { userAgent.contains($0.0) })?.1 else { return nil }
            self = found == .linux && userAgent.contains("Firefox/") ? .firefox : found
        }
    }

    /// The headers: no script, no form, no frame, nothing of another origin.
    static let headers: HTTPFields = [
        .contentSecurityPolicy: [
            "default-src 'none'", "style-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    ]

    let words: AuthorityWords
    let fingerprint: String
    /// The page's own address, for other devices.
    let address: String
    /// The address below which the styles are found.
    let base: String
    /// The system whose steps are open.
    let system: System?

    var html: String {
        let styles = ["tokens", "base", "components", "console"].map {
            "<link rel=\"stylesheet\" href=\"\(base)/css/\($0).css\">"
        }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="\(words.language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <title>\(words.title) – Selene</title>
            <meta name="color-scheme" content="light dark">
            \(styles)
            <link rel="icon" href="\(base)/icons/icon.svg" type="image/svg+xml">
            </head>
            <body>
            <main class="page trust">
            <header><h1>\(words.title)</h1></header>
            <p>\(words.why)</p>
            <section>
            <h2>\(words.compare)</h2>
            <p>\(words.compareHow)</p>
            <p class="notice"><code dir="ltr">\(Self.escaped(fingerprint))</code></p>
            </section>
            <section>
            <h2>\(words.install)</h2>
            <p class="row"><a class="button primary" href="ca.cer">\(words.der)</a> <a class="button" href="ca.crt">\(words.pem)</a></p>
            <p class="hint">\(words.harmless)</p>
            \(System.allCases.map(steps).joined(separator: "\n"))
            </section>
            <section>
            <h2>\(words.after)</h2>
            <p>\(words.afterHow) <a href="./">\(words.open)</a></p>
            </section>
            <section>
            <h2>\(words.other)</h2>
            <p>\(words.otherHow)</p>
            <img class="qr" src="ca.svg" alt="\(words.qr)" width="180" height="180">
            <p><code dir="ltr">\(Self.escaped(address))</code></p>
            </section>
            </main>
            </body>
            </html>

            """
    }

    private func steps(_ one: System) -> String {
        let steps = words.steps(one)
        let list = steps.list.map { "<li>\($0)</li>" }.joined(separator: "\n")
        let hint = steps.hint.map { "\n<p class=\"hint\">\($0)</p>" } ?? ""
        let name = one == system ? "\(steps.name) <span class=\"hint\">– \(words.this)</span>" : steps.name
        return """
            <details\(one == system ? " open" : "")>
            <summary>\(name)</summary>
            <ol>
            \(list)
            </ol>\(hint)
            </details>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
