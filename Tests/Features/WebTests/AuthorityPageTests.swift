import Testing

@testable import Web

@Suite struct AuthorityPages {
    private func page(_ words: AuthorityWords, _ system: AuthorityPage.System? = nil) -> String {
        AuthorityPage(
            words: words, fingerprint: "AB:CD", address: "https://10.8.0.1:5678/ca", base: "/app/x", system: system
        ).html
    }

    @Test(arguments: [
        ("", "en"), ("de", "de"), ("de-CH, en;q=0.5", "de"), ("fr, de;q=0.3, en;q=0.8", "en"), ("en, de", "en"),
        ("de, en", "de"), ("fr", "en"), ("de;q=0", "en"), ("DE-at", "de"), (";;,q=,de;q=x", "en"),
    ])
    func `the language is the one that a browser prefers`(header: String, language: String) {
        #expect(AuthorityWords.preferred(by: [header]).language == language)
    }

    @Test(arguments: [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", AuthorityPage.System.iOS),
        ("Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36", .android),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15", .macOS),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0", .windows),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36", .linux),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", .firefox),
    ])
    func `the steps of the own system are open`(agent: String, system: AuthorityPage.System) {
        #expect(AuthorityPage.System(userAgent: agent) == system)
        for words in [AuthorityWords.english, .german] {
            let html = page(words, system)
            #expect(html.split(separator: "<details open>").count == 2)
            #expect(html.contains("<summary>\(words.steps(system).name) <span"))
        }
    }

    @Test func `an unknown system opens none, and the page has neither script nor style of its own`() {
        #expect(AuthorityPage.System(userAgent: "curl/8") == nil)
        for words in [AuthorityWords.english, .german] {
            let html = page(words)
            #expect(!html.contains("<details open>") && !html.contains("<script") && !html.contains("style="))
            #expect(html.contains("<html lang=\"\(words.language)\">") && html.contains("AB:CD"))
            #expect(html.contains("https://10.8.0.1:5678/ca"))
            for system in AuthorityPage.System.allCases { #expect(words.steps(system).list.count >= 3) }
        }
    }
}
