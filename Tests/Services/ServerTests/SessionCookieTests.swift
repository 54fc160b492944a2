import HTTPTypes
import Testing

@testable import Server

@Suite struct SessionCookies {
    private let secret = "slw_" + String(repeating: "s", count: 43)
    private let plain = SessionCookie(isEncrypted: false)
    private let encrypted = SessionCookie(isEncrypted: true)

    private func head(
        _ fields: [(String, String)], _ method: HTTPRequest.Method = .get, host: String = "10.8.0.1:5678"
    ) throws -> HTTPRequest {
        var head = HTTPRequest(method: method, scheme: nil, authority: host, path: "/api/notes")
        for (name, value) in fields {
            head.headerFields.append(HTTPField(name: try #require(.init(name)), value: value))
        }
        return head
    }

    @Test func `cookies are found by name, whatever else is sent`() throws {
        let other = "slw_" + String(repeating: "o", count: 43)
        let cases: [(String, [String], [String])] = [
            ("selene=\(secret)", [secret], []),
            ("__Host-selene=\(secret)", [secret], [secret]),
            ("a=b; selene=\(secret); c", [secret], []),
            ("selene=\(other);selene=\(secret)", [other, secret], []),
            ("Selene=\(secret); xselene=\(secret); selene2=\(secret)", [], []),
            ("selene=\(secret)x; selene=; selene", [], []),
            ("selene=\"\(secret)\"", [], []), (";;;=;", [], []), ("", [], []),
            (String(repeating: "selene=\(secret);", count: 300), Array(repeating: secret, count: 4), []),
        ]
        for (header, overHTTP, overTLS) in cases {
            let fields = try head([("Cookie", header)]).headerFields
            #expect(plain.secrets(in: fields) == overHTTP, "\(header.prefix(80))")
            #expect(encrypted.secrets(in: fields) == overTLS, "\(header.prefix(80))")
        }
    }

    @Test func `a cookie counts for the gateway's own pages only`() throws {
        let own = "http://10.8.0.1:5678"
        let mark = ("X-Selene", "1")
        let cases: [(HTTPRequest.Method, [(String, String)], Bool)] = [
            (.get, [("Sec-Fetch-Site", "same-origin")], true),
            (.get, [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")], true),
            (.get, [("Sec-Fetch-Site", "none")], false),
            (.get, [("Sec-Fetch-Site", "same-site"), mark], false),
            (.get, [("Sec-Fetch-Site", "cross-site"), mark, ("Origin", own)], false),
            (.get, [("Sec-Fetch-Site", "same-origin, cross-site")], false),
            (.get, [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")], false),
            (.get, [], false), (.get, [mark], true), (.get, [("X-Selene", "0")], false),
            (.get, [("Origin", own)], true), (.get, [("Origin", "http://10.8.0.1:9999"), mark], false),
            (.get, [("Origin", "null"), mark], false), (.get, [("Origin", "http://evil.example"), mark], false),
            (.head, [mark], true),
            (.post, [("Sec-Fetch-Site", "same-origin")], false),
            (.post, [("Sec-Fetch-Site", "same-origin"), mark], true),
            (.post, [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate"), mark], false),
            (.post, [mark], false), (.post, [mark, ("Origin", own)], true), (.post, [("Origin", own)], false),
            (.delete, [mark, ("Origin", "http://10.8.0.1")], false),
            (.delete, [mark, ("Origin", own + ".evil.example")], false), (.patch, [mark, ("Origin", "")], false),
        ]
        for (method, fields, counts) in cases {
            #expect(plain.counts(for: try head(fields, method)) == counts, "\(method) \(fields)")
        }
        // Over TLS, a page of the same name without TLS is another one.
        #expect(!encrypted.counts(for: try head([mark, ("Origin", own)], .post)))
        #expect(encrypted.counts(for: try head([mark, ("Origin", "https://10.8.0.1:5678")], .post)))
        #expect(!plain.counts(for: try head([mark, ("Origin", "http://")], .post, host: "")))
    }

    @Test func `a cookie is for this host only, and for no script`() throws {
        let field = plain.setting(secret, for: 60, in: try head([]))
        #expect(field.value == "selene=\(secret); Path=/; Max-Age=60; HttpOnly; SameSite=Strict")
        let safe = "__Host-selene=\(secret); Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure"
        #expect(encrypted.setting(secret, for: 60, in: try head([])).value == safe)
        #expect(plain.setting(secret, for: 60, in: try head([("X-Forwarded-Proto", "https")])).value == safe)
        #expect(encrypted.clearing(in: try head([])).value.hasPrefix("__Host-selene=; Path=/; Max-Age=0;"))
    }

    @Test func `the gateway's cookies do not reach an upstream`() {
        var headers = [
            (name: "Cookie", value: "selene=\(secret)"), (name: "A", value: "selene=1"),
            (name: "cookie", value: "a=b; selene=\(secret);__Host-selene=x; c=d"),
        ]
        SessionCookie.removeOwn(from: &headers)
        #expect(headers.map(\.name) == ["A", "cookie"])
        #expect(headers.map(\.value) == ["selene=1", "a=b; c=d"])
    }

    @Test func `browsers that open the start page are told from Ollama's clients`() throws {
        func page(_ path: String, _ accept: String?, _ method: HTTPRequest.Method = .get) throws -> Bool {
            var head = try head(accept.map { [("Accept", $0)] } ?? [], method)
            head.path = path
            return WebPageRequest.isForPage(head)
        }
        #expect(try page("/", "text/html,application/xhtml+xml,*/*;q=0.8"))
        #expect(try page("/?source=app", "text/html", .head))
        #expect(try !page("/", "*/*"))
        #expect(try !page("/", nil))
        #expect(try !page("/", "text/html", .post))
        #expect(try !page("/api/tags", "text/html"))
        #expect(try !page("//", "text/html"))
    }
}
