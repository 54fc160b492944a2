import Foundation
import TestSupport
import Testing
import Transport

@testable import WebSearch

/// Searches by a SearXNG server, and every way in which one fails.
@Suite struct SearXNGSearch {
    /// An answer as SearXNG sends it, with members that are not read.
    static let answer = #"""
        {"query": "tide", "number_of_results": 0, "results": [
          {"url": "https://a.example/tide", "title": "The tide", "content": "High at nine.", "engine": "brave",
           "parsed_url": ["https", "a.example", "/tide", "", "", ""], "engines": ["brave", "bing"], "positions": [1, 2],
           "score": 3.5, "category": "general", "publishedDate": null},
          {"url": "magnet:?xt=urn:btih:1", "title": "A file", "content": ""},
          {"title": "Without an address"}, 7, null,
          {"url": "https://a.example/tide", "title": "The same page again", "content": ""},
          {"url": "http://b.example/", "title": null, "content": 5},
          {"url": "https://c.example/", "title": "Harbour \ud83d\ude00", "content": "Boats"}
        ], "answers": [], "corrections": [], "infoboxes": [], "suggestions": ["tides"],
        "unresponsive_engines": [["google", "timeout"], ["qwant", "Suspended: CAPTCHA"], ["bare"], [], 5]}
        """#

    private func searxng(_ server: ScriptedServer, timeout: Duration = .seconds(30)) throws -> SearXNG {
        try SearXNG(UpstreamConfiguration(baseURL: server.address, peer: "SearXNG"), timeout: timeout)
    }

    @Test func `results keep their order, and only addresses of pages are among them`() async throws {
        let server = try ScriptedServer { _ in .reply(200, Self.answer) }
        defer { server.stop() }
        let searxng = try searxng(server)
        let found = try await searxng.search("tide & \"harbour\" ü", count: 10)
        #expect(
            found == [
                .init(title: "The tide", url: "https://a.example/tide", content: "High at nine."),
                .init(title: "", url: "http://b.example/", content: ""),
                .init(title: "Harbour 😀", url: "https://c.example/", content: "Boats"),
            ])
        #expect(try await searxng.search("tide", count: 1).map(\.url) == ["https://a.example/tide"])
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /search HTTP/1.1\r\n"))
        #expect(request.hasSuffix("\r\n\r\nq=tide%20%26%20%22harbour%22%20%C3%BC&format=json"))
    }

    @Test func `texts of a result are bounded, and cut at a character`() async throws {
        let long = String(repeating: "é", count: 5000)
        let body = #"{"results":[{"url":"https://a.example/","title":"x\#(long)","content":"x\#(long)"}]}"#
        let server = try ScriptedServer { _ in .reply(200, body) }
        defer { server.stop() }
        let found = try #require(try await searxng(server).search("x", count: 5).first)
        #expect(found.title.utf8.count == 499 && found.content.utf8.count == 3999)
        #expect(found.title.hasSuffix("é") && found.content.hasSuffix("é"))
    }

    @Test(
        arguments: [
            (.reply(403, "Forbidden"), .noJSON), (.reply(200, "<!DOCTYPE html><html></html>"), .noJSON),
            (.reply(200, "\n <html>"), .noJSON), (.reply(429, "Too many"), .limited), (.reply(500, "{}"), .status(500)),
            (.reply(302, "", headers: ["Location": "https://google.example/"]), .status(302)),
            (.reply(404, "<html>"), .status(404)), (.reply(200, ""), .invalid("its answer is not JSON")),
            (.reply(200, "null"), .invalid("its answer has no list of results")),
            (.reply(200, "[]"), .invalid("its answer has no list of results")),
            (.reply(200, "{}"), .invalid("its answer has no list of results")),
            (.reply(200, #"{"results":{}}"#), .invalid("its answer has no list of results")),
            (.reply(200, #"{"results":["#), .invalid("its answer is not JSON")),
            (
                .reply(200, #"{"results":[],"unresponsive_engines":[["google","timeout"]]}"#),
                .silent(["google (timeout)"])
            ),
            (.drop, .unreachable("the connection failed (cut)")),
            (.raw("nonsense\r\n\r\n"), .unreachable("the connection failed (protocol_violation)")),
        ] as [(ScriptedServer.Answer, WebFailure)])
    func `a broken answer is named, with what helps`(answer: ScriptedServer.Answer, failure: WebFailure) async throws {
        let server = try ScriptedServer { _ in answer }
        defer { server.stop() }
        let searxng = try searxng(server)
        await #expect(throws: failure) { _ = try await searxng.search("tide", count: 5) }
    }

    @Test func `a huge or deep answer is refused`() async throws {
        for (body, reason) in [
            (String(repeating: " ", count: 5 << 20), "its answer has more than 4 MiB"),
            (String(repeating: "[", count: 100_000), "its answer is not JSON"),
        ] {
            let server = try ScriptedServer { _ in .reply(200, body) }
            defer { server.stop() }
            let searxng = try searxng(server)
            await #expect(throws: WebFailure.invalid(reason)) { _ = try await searxng.search("tide", count: 5) }
        }
    }

    @Test func `nothing found is no failure while all engines answered`() async throws {
        let server = try ScriptedServer { _ in .reply(200, #"{"results":[],"unresponsive_engines":[]}"#) }
        defer { server.stop() }
        #expect(try await searxng(server).search("tide", count: 5).isEmpty)
    }

    @Test func `a server that is away or silent is named, and nobody waits for ever`() async throws {
        let away = try ScriptedServer { _ in .drop }
        away.stop()
        let unreachable = WebFailure.unreachable("nothing answers at its address")
        await #expect(throws: unreachable) { _ = try await searxng(away).search("tide", count: 5) }
        for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"] {
            let silent = try ScriptedServer { _ in .stall(start) }
            defer { silent.stop() }
            let searxng = try searxng(silent, timeout: .seconds(1))
            await #expect(throws: WebFailure.late(1)) { _ = try await searxng.search("tide", count: 5) }
            #expect(await silent.waitUntil { $0.left == 1 })
        }
    }

    @Test func `a search that is cancelled leaves the server`() async throws {
        let silent = try ScriptedServer { _ in .stall("") }
        defer { silent.stop() }
        let searxng = try searxng(silent)
        let search = Task { try await searxng.search("tide", count: 5) }
        #expect(await silent.waitUntil { $0.requests.count == 1 })
        search.cancel()
        await #expect(throws: CancellationError.self) { _ = try await search.value }
        #expect(await silent.waitUntil { $0.left == 1 })
    }

    @Test func `the check searches nothing, and knows whether JSON is on`() async throws {
        let answers: [(ScriptedServer.Answer, WebFailure?)] = [
            (.reply(400, #"{"error": "No query"}"#), nil), (.reply(200, #"{"results": []}"#), nil),
            (.reply(403, "Forbidden"), .noJSON), (.reply(200, "<html>"), .noJSON),
            (.reply(400, "x"), .invalid("its answer is not JSON")), (.reply(404, "{}"), .status(404)),
        ]
        for (answer, failure) in answers {
            let server = try ScriptedServer { _ in answer }
            defer { server.stop() }
            let searxng = try searxng(server)
            if let failure {
                await #expect(throws: failure) { try await searxng.check() }
            } else {
                try await searxng.check()
            }
            #expect(server.requests.first?.hasSuffix("\r\n\r\nq=&format=json") == true)
        }
    }

    @Test func `any bytes give results or a failure`() {
        var random = SeededGenerator(35)
        let bytes = Array(Self.answer.utf8)
        for _ in 0..<5000 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<broken.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: broken[place] = UInt8.random(in: 0...255, using: &random)
                case 1: broken.removeSubrange(place..<min(broken.count, place + Int.random(in: 1...40, using: &random)))
                default: broken.insert(contentsOf: broken[place...].prefix(20), at: place)
                }
                if broken.isEmpty { broken = [0] }
            }
            let answer: SearXNG.Answer
            do throws(WebFailure) { answer = try SearXNG.answer(broken) } catch { continue }
            #expect(answer.results.count < 100 && answer.silent.count <= 20)
        }
    }
}
