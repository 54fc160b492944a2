import Documents
import Foundation
import TestSupport
import Testing
import Transport

@testable import WebSearch

/// Pages as clients get them: fetched from a real socket, read by a process of their own.
@Suite struct PagesForClients {
    /// The program that reads, beside the test bundle.
    private static let reader = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "DocumentReaderChild").path

    private func pages(_ way: String? = "read", allowsPrivate: Bool = true) -> PageFetch {
        PageFetch(allowsPrivate: allowsPrivate, program: way.map { (Self.reader, [$0]) })
    }

    private static func page(_ body: String, _ type: String = "text/html; charset=utf-8") -> ScriptedServer.Answer {
        .raw("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static let sentence = "The harbour has a gauge that shows the height of the water at any hour of the day. "

    private static let article = """
        <html><head><title>The tide – Harbour News</title><meta property="og:site_name" content="Harbour News"></head>
        <body><nav><a href="/">Home</a> <a href="//b.example/x?y=1#part">B</a> <a href="#top">Top</a></nav>
        <article><h1>The tide</h1><p>\(sentence)\(sentence)</p><p><a href=" chapter/2.html#a ">Next</a> \(sentence)</p>
        <h2>At night</h2><ul><li>Lamp</li><li>Rope</li></ul><blockquote>Mind the step.</blockquote>
        <pre>a = ```b```
        c</pre><p>\(sentence)</p></article>
        <footer><a href="mailto:a@b.example">Mail</a> <a href="javascript:void(0)">Nothing</a>
        <a href="https://user:secret@c.example/">With a name</a> <a href="chapter/2.html#b">Next again</a>
        <a href="http:///nowhere">No host</a> <a href="ftp://d.example/">Other</a></footer>
        <script>document.write("scripted")</script></body></html>
        """

    @Test(arguments: ["read", nil] as [String?])
    func `a page gives its title, its article as Markdown and its links`(way: String?) async throws {
        let server = try ScriptedServer { number in
            number == 1 ? .reply(301, "", headers: ["Location": "/news/tide.html"]) : Self.page(Self.article)
        }
        defer { server.stop() }
        let page = try await pages(way).page(server.address + "/start")
        #expect(page.title == "The tide")
        #expect(page.content.hasPrefix("# The tide\n\nThe harbour has a gauge"), "\(page.content)")
        for part in [
            "\n\n## At night\n\n- Lamp\n- Rope\n\n> Mind the step.\n\n````\na = ```b```\nc\n````\n\nThe harbour",
            "Next",
        ] {
            #expect(page.content.contains(part), "\(page.content)")
        }
        for part in ["Home", "Mail", "scripted", WebPageText.cutMark] { #expect(!page.content.contains(part)) }
        #expect(
            page.links == [
                "\(server.address)/", "http://b.example/x?y=1", "\(server.address)/news/chapter/2.html",
                "https://user:secret@c.example/",
            ])
        let request = try #require(server.requests.last)
        #expect(
            request.hasPrefix("GET /news/tide.html HTTP/1.1\r\n") && !request.lowercased().contains("authorization"))
    }

    @Test func `links are relative to the base that a page names, and bounded`() {
        func links(_ base: String?, _ targets: [String]) -> [String] {
            WebPageText.absolute(DocumentLinks(base: base, targets: targets), of: "https://a.example/b/c?d")
        }
        #expect(links(nil, ["e", "/f", "?g", "//h.example"]).count == 4)
        #expect(links("/", ["e"]) == ["https://a.example/e"])
        #expect(links("https://i.example/j/", ["e", "../k"]) == ["https://i.example/j/e", "https://i.example/k"])
        #expect(links("mailto:x", ["https://l.example/"]) == ["https://l.example/"])
        #expect(links(nil, (0..<1000).map { "/\($0)" }).count == WebPageText.maxLinks)
        let long = String(repeating: "x", count: 2000)
        #expect(links(nil, (0..<1000).map { "/\(long)\($0)" }).count < 40)
    }

    @Test func `texts and PDF files are read`() async throws {
        let pdf = String(decoding: SamplePDF.file([["The lamp was lit at nine."]]), as: UTF8.self)
        let answers: [(ScriptedServer.Answer, String)] = [
            (Self.page("The lamp was lit.\n\nIt burnt.", "text/plain"), "The lamp was lit.\n\nIt burnt."),
            (Self.page(#"{"lamp": "lit at nine"}"#, "application/json"), #"{"lamp": "lit at nine"}"#),
            (Self.page("# Lamp\n\nIt burnt.", "text/markdown"), "# Lamp\n\nIt burnt."),
            (Self.page(pdf, "application/pdf"), "The lamp was lit at nine."),
        ]
        for (answer, text) in answers {
            let server = try ScriptedServer { _ in answer }
            defer { server.stop() }
            let page = try await pages().page(server.address + "/")
            #expect(page.content.contains(text) && page.links.isEmpty, "\(page.content)")
        }
    }

    @Test(.slow) func `of a page of 50 MB the beginning is read, and the end of it is said`() async throws {
        let paragraph = "<p>\(Self.sentence)é</p>\n"
        let body = String(repeating: paragraph, count: (50 << 20) / paragraph.utf8.count)
        let server = try ScriptedServer { _ in Self.page("<html><body>" + body) }
        defer { server.stop() }
        let page = try await pages().page(server.address + "/")
        #expect(page.content.hasPrefix("The harbour") && page.content.hasSuffix("\n\n" + WebPageText.cutMark))
        #expect((200_000...(PageFetch.maxTextBytes + 200)).contains(page.content.utf8.count))
        #expect(await server.waitUntil { $0.written == 1 })
        let part = String(body.prefix(17 << 20))
        let text = try ScriptedServer { _ in Self.page(part, "text/plain") }
        defer { text.stop() }
        #expect(try await pages().page(text.address + "/").content.hasSuffix(WebPageText.cutMark))
        let pdf = try ScriptedServer { _ in Self.page("%PDF-1.7\n" + part, "application/pdf") }
        defer { pdf.stop() }
        await #expect(throws: WebFailure.unreadable("the file has more than 16 MiB")) {
            _ = try await pages().page(pdf.address + "/")
        }
    }

    @Test(.slow) func `hostile pages end as a page or as a failure`() async throws {
        let deep = String(repeating: "<div><b><table>", count: 50_000) + "x"
        let many = (0..<200_000).map { "<a href=\"/\($0)\">x</a>" }.joined()
        for body in [deep, many, "<html>" + String(repeating: "<", count: 1 << 20), "\u{0}\u{1}\u{2}", "<p>"] {
            let server = try ScriptedServer { _ in Self.page(body) }
            defer { server.stop() }
            do {
                let page = try await pages().page(server.address + "/")
                #expect(page.links.count <= WebPageText.maxLinks)
                #expect(page.content.utf8.count <= PageFetch.maxTextBytes * 2)
            } catch let failure as WebFailure {
                guard case .unreadable = failure else { throw failure }
            }
        }
        let server = try ScriptedServer { _ in Self.page(Self.article) }
        defer { server.stop() }
        for way in ["segv", "abort", "garbage", "flood", "exit"] {
            await #expect(throws: WebFailure.unreadable("the page is damaged")) {
                _ = try await pages(way).page(server.address + "/")
            }
        }
    }

    @Test func `private addresses are refused, by name, by number and in a redirect`() async throws {
        let server = try ScriptedServer { _ in Self.page(Self.article) }
        defer { server.stop() }
        for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            await #expect {
                _ = try await pages(allowsPrivate: false).page("http://\(host):\(server.port)/")
            } throws: { error in
                guard case .privateAddress? = error as? WebFailure else {
                    // Some systems take a number as no address at all.
                    guard case .url? = error as? WebFailure else { return false }
                    return true
                }
                return true
            }
        }
        #expect(server.requests.isEmpty)
        for location in ["file:///etc/passwd", "http://a:b@127.0.0.1/", "gopher://127.0.0.1/", "/again"] {
            let redirecting = try ScriptedServer { _ in .reply(302, "", headers: ["Location": location]) }
            defer { redirecting.stop() }
            await #expect {
                _ = try await pages().page(redirecting.address + "/")
            } throws: { error in
                guard case .url? = error as? WebFailure else { return false }
                return true
            }
            #expect(redirecting.requests.count <= 6)
        }
    }

    @Test func `a site that fails is named, and a client that leaves ends the fetch`() async throws {
        for (answer, word) in [
            (.reply(404, ""), "status 404"), (.reply(403, ""), "does not let everybody read it"),
            (.drop, "cannot be reached"),
        ] as [(ScriptedServer.Answer, String)] {
            let server = try ScriptedServer { _ in answer }
            defer { server.stop() }
            await #expect {
                _ = try await pages().page(server.address + "/")
            } throws: { error in
                guard case .url(let sentence)? = error as? WebFailure else { return false }
                return sentence.contains(word)
            }
        }
        for (way, start) in [("read", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>"), ("wait", nil)]
            as [(String, String?)]
        {
            let server = try ScriptedServer { _ in start.map { .stall($0) } ?? Self.page(Self.article) }
            defer { server.stop() }
            let pages = pages(way)
            let fetch = Task { try await pages.page(server.address + "/") }
            #expect(await server.waitUntil { $0.requests.count == 1 })
            fetch.cancel()
            await #expect(throws: CancellationError.self) { _ = try await fetch.value }
        }
    }
}
