import TestSupport
import Testing

@testable import Push

struct PushURLTests {
    @Test(
        arguments: [
            ("https://example.com", "https://example.com", 443),
            ("HTTPS://Example.COM/A?b=C", "https://example.com", 443),
            ("https://example.com:443/", "https://example.com", 443),
            ("http://example.com:8080", "http://example.com:8080", 8080),
            ("https://1.2.3.4/x", "https://1.2.3.4", 443),
            ("https://[2606:4700::1]:8443/x", "https://[2606:4700::1]:8443", 8443),
            ("https://a_b-c.example.com?x", "https://a_b-c.example.com", 443),
        ] as [(String, String, UInt16)])
    func `URLs have an origin`(text: String, origin: String, port: UInt16) throws {
        let url = try PushURL(text, field: "url")
        #expect(url.origin == origin)
        #expect(url.port == port)
        #expect(url.description.hasPrefix(origin))
        #expect(try PushURL(url.description, field: "url") == url)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https:///x", "https://user@example.com",
        "https://a:b@c.de",
        "https://example.com#x", "https://example.com:0", "https://example.com:65536", "https://example.com:",
        "https://a..b",
        "https://.a", "https://a.", "https://exa mple.com", "https://exämple.com", "https://a%2eb", "https://-a.de",
        "https://0x7f.1", "https://127.1", "https://2130706433", "https://010.0.0.1", "https://1.2.3.4.5",
        "https://256.1.1.1",
        "https://[::1", "https://[::1]x", "https://[1.2.3.4::]", "https://[:::]", "https://[1::2::3]",
        "https://[12345::]",
        "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]", "https://[::%eth0]", "https://[+1::]", "https://]",
        "https://example.com\\@evil.com", "https://example.com:8\u{2}0", "https://a.1", "https://[]",
    ])
    func `other texts are refused`(text: String) {
        let error = #expect(throws: PushFieldError.self) { try PushURL(text, field: "url") }
        #expect(error?.field == "url")
    }

    @Test func `long URLs are refused`() throws {
        let start = "https://example.com/"
        _ = try PushURL(start + String(repeating: "a", count: 2048 - start.count), field: "url")
        #expect(throws: PushFieldError.self) {
            try PushURL(start + String(repeating: "a", count: 2049 - start.count), field: "url")
        }
    }

    @Test(arguments: [
        "https://127.0.0.1/", "https://10.1.2.3/", "https://169.254.169.254/latest", "https://[::1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]", "https://localhost/",
        "https://nas/",
        "https://nas.local/", "https://a.internal", "https://x.localhost", "https://box.lan", "https://box.home.arpa",
        "http://example.com/",
    ])
    func `private targets are refused unless allowed`(text: String) throws {
        #expect(throws: PushFieldError.self) { try PushURL(target: text, field: "url", allowsPrivate: false) }
        #expect(throws: Never.self) { try PushURL(target: text, field: "url", allowsPrivate: true) }
    }

    @Test(arguments: [
        "https://example.com", "https://8.8.8.8", "https://[2606:4700::1111]", "https://local.example.com",
    ])
    func `public targets pass`(text: String) {
        #expect(throws: Never.self) { try PushURL(target: text, field: "url", allowsPrivate: false) }
    }

    @Test func `addresses of IPv6 have the bytes that are written`() {
        var random = SeededGenerator(3)
        for _ in 0..<2000 {
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 0...(.max), using: &random)
            }
            let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            let plain = groups.map { String($0, radix: 16) }
            #expect(URLHost("[\(plain.joined(separator: ":"))]"[...]) == .v6(bytes))
            // Any run of zeros may be left out.
            for start in groups.indices {
                let end = groups[start...].firstIndex { $0 != 0 } ?? 8
                guard end > start else { continue }
                let short = plain[..<start].joined(separator: ":") + "::" + plain[end...].joined(separator: ":")
                #expect(URLHost("[\(short)]"[...]) == .v6(bytes), "\(short)")
            }
        }
        #expect(URLHost("[::1.2.3.4]") == .v6([UInt8](repeating: 0, count: 12) + [1, 2, 3, 4]))
    }

    @Test func `random texts never trap`() {
        var random = SeededGenerator(4)
        let pool = Array("https://a.1:[]@?#%/\\é0 ")
        for _ in 0..<20_000 {
            let text = "https://" + String((0..<8).compactMap { _ in pool.randomElement(using: &random) })
            guard let url = try? PushURL(text, field: "url") else { continue }
            #expect(url.origin.hasPrefix("https://"))
            #expect((try? PushURL(url.description, field: "url")) == url)
        }
    }

    @Test(arguments: [
        ("https://example.com/ä", true), ("shortcuts://run-shortcut?name=x", true), ("mailto:a@b.de", true),
        ("tel:110", true), ("data:text/html,x", false), ("vbscript:x", false), ("file:///etc/passwd", false),
        ("x", false), (":x", false), ("1a:x", false), ("a\tb:x", false), ("BLOB:https://a.de", false),
    ])
    func `links open pages and apps only`(text: String, isAllowed: Bool) {
        #expect(((try? PushLink.check(text, field: "url")) != nil) == isAllowed)
    }
}
