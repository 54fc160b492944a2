import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Searches whose best results a model reorders. The fake scores a text by the words of the query that it holds.
@Suite(.serialized) struct Reranking {
    /// BM25 counts word stems, so the first note is the best. The fake wants the words as they are.
    private static let notes = [
        NoteDraft(title: "plural", content: "Harbours, pilots, tides; harbours, pilots, tides.", createdAt: 1),
        NoteDraft(title: "secret", content: "The secret tide of the harbour pilot.", createdAt: 2, tags: ["private"]),
        NoteDraft(title: "gauge", content: "The tide gauge.", createdAt: 3),
        NoteDraft(
            title: "log",
            content: "Tide. " + String(repeating: "We sailed on without a word. ", count: 20)
                + "A pilot saw the harbour.", createdAt: 4),
    ]
    private static let body = #"{"query":"tide harbour pilot","mode":"keyword","scorer":"bm25""#

    private func with(
        _ model: String? = "home/small", _ options: FakeProvider.Options = .init(), settings: [String: String] = [:],
        _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = options
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = """
                {"away": {"kind": "openai", "url": "\(provider.baseURL)/v1"},
                 "home": {"kind": "openai", "url": "\(provider.baseURL)/v1", "local": true}}
                """
            var all = settings.merging(["providers": providers, "rerank_timeout": "20"]) { mine, _ in mine }
            all["rerank_model"] = model
            try await LiveGateway.with(settings: all) { gateway in
                _ = try await gateway.store.notes.insert(Self.notes)
                try await body(gateway, provider)
            }
        }
    }

    private func retrieve(_ gateway: LiveGateway, _ more: String = "") async throws -> RetrieveResponse {
        let reply = try await gateway.done("POST", "/api/notes/retrieve", Self.body + more + "}")
        return try JSONDecoder().decode(RetrieveResponse.self, from: reply.data)
    }

    @Test func `the model reorders the results, and each explains its place`() async throws {
        try await with { gateway, provider in
            let plain = try await retrieve(gateway, #","rerank":false"#)
            #expect(plain.rerank == nil && provider.statistics.requests == [:])
            let before = plain.results.map(\.note.id)
            let found = try await retrieve(gateway, #","explain":true"#)
            let after = found.results.map(\.note.id)
            #expect(before.sorted() == after.sorted() && before != after)
            #expect(Set(after.prefix(2)) == [2, 4])
            let report = try #require(found.rerank)
            #expect(report.applied && report.model == "home/small" && report.reason == nil)
            #expect(report.candidates == 4 && report.scored == 4 && report.withheld == 0)
            #expect(found.timingsMilliseconds["rerank"] != nil)
            for result in found.results {
                let place = try #require(result.explanation?.rerank)
                #expect(before[place.rank - 1] == result.note.id)
                #expect(place.score == [1: 0.25, 2: 3.25, 3: 1.25, 4: 3.25][result.note.id])
                // The fused score stays what it was.
                #expect(plain.results[place.rank - 1].score == result.score)
            }
            let text = try await gateway.done("GET", "/metrics").text
            #expect(text.contains(#"selene_reranks_total{result="scored"} 1"#))
            #expect(text.contains("selene_rerank_paused 0"))
            #expect(text.contains(#"selene_retrieval_stage_seconds_count{stage="rerank"} 1"#))
        }
    }

    @Test func `a short list takes from all candidates, and only so many are sent`() async throws {
        try await with { gateway, provider in
            let all = try await retrieve(gateway)
            let one = try await retrieve(gateway, #","limit":1"#)
            #expect(one.results.map(\.note.id) == [all.results[0].note.id] && one.rerank?.candidates == 4)
            let plain = try await retrieve(gateway, #","rerank":false"#).results.map(\.note.id)
            let two = try await retrieve(gateway, #","rerank":{"candidates":2}"#)
            #expect(two.rerank?.candidates == 2)
            #expect(Set(two.results.prefix(2).map(\.note.id)) == Set(plain.prefix(2)))
            #expect(two.results.dropFirst(2).map(\.note.id) == Array(plain.dropFirst(2)))
            let body = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(try #require(provider.lastRequest).body.utf8))
            #expect(body["top_n"] == .integer(2))
        }
    }

    @Test func `texts are cut to whole sentences`() async throws {
        try await with(settings: ["rerank_bytes": "200"]) { gateway, provider in
            _ = try await retrieve(gateway)
            struct Body: Decodable { var documents: [String] }
            let sent = try JSONDecoder().decode(Body.self, from: Data(try #require(provider.lastRequest).body.utf8))
            #expect(sent.documents.allSatisfy { $0.utf8.count <= 200 })
            let log = try #require(sent.documents.first { $0.hasPrefix("log\nTide. We sailed") })
            #expect(log.hasSuffix("without a word."))
        }
    }

    @Test(.slow, arguments: ["status=500", "bad-json=0", "cut=0", "drop"])
    func `when the model fails, the order stays and the reply says why`(fault: String) async throws {
        try await with { gateway, provider in
            let plain = try await retrieve(gateway, #","rerank":false"#)
            provider.setFaults([fault])
            let found = try await retrieve(gateway, #","explain":true"#)
            #expect(found.results.map(\.note.id) == plain.results.map(\.note.id))
            let report = try #require(found.rerank)
            #expect(!report.applied && report.scored == 0 && report.reason?.isEmpty == false)
            #expect(found.results.allSatisfy { $0.explanation?.rerank == nil })
        }
    }

    @Test func `a model that is too slow is left behind`() async throws {
        try await with(settings: ["rerank_timeout": "0.02"]) { gateway, provider in
            provider.setFaults(["stall-first=60"])
            let found = try await retrieve(gateway)
            #expect(found.results.count == 4 && found.rerank?.applied == false)
            #expect(found.rerank?.reason == #""home/small" gave no scores within 20 ms"#)
            try await waitUntil { provider.statistics.inFlight == 0 }
        }
    }

    @Test(.slow) func `a provider elsewhere gets no private note, which keeps its place`() async throws {
        try await with("away/small") { gateway, provider in
            let plain = try await retrieve(gateway, #","rerank":false"#).results.map(\.note.id)
            let found = try await retrieve(gateway)
            #expect(found.rerank?.withheld == 1 && found.rerank?.scored == 3 && found.rerank?.applied == true)
            #expect(!(try #require(provider.lastRequest).body.contains("secret")))
            #expect(found.results.map(\.note.id).firstIndex(of: 2) == plain.firstIndex(of: 2))
        }
        try await with { gateway, provider in
            _ = try await retrieve(gateway)
            #expect(try #require(provider.lastRequest).body.contains("secret"))
        }
    }

    @Test func `recency and diversity set the order, unless the request wants the model all the same`() async throws {
        try await with { gateway, provider in
            #expect(try await retrieve(gateway, #","recency":{"weight":0.5}"#).rerank == nil)
            #expect(try await retrieve(gateway, #","diversity":0.5"#).rerank == nil)
            let phrase = try await gateway.done("POST", "/api/notes/retrieve", #"{"keywords":["tide"]}"#)
            #expect(phrase.object["rerank"] == nil && provider.statistics.requests == [:])
            #expect(try await retrieve(gateway, #","recency":{"weight":0.5},"rerank":true"#).rerank?.applied == true)
            let asked = try await gateway.done("POST", "/api/notes/retrieve", #"{"keywords":["tide"],"rerank":true}"#)
            let report = try #require(asked.object["rerank"] as? [String: Any])
            #expect(report["reason"] as? String == "the search has no query in words")
        }
    }

    @Test func `without a model a search that wants one says so`() async throws {
        try await with(nil) { gateway, _ in
            #expect(try await retrieve(gateway).rerank == nil)
            let found = try await retrieve(gateway, #","rerank":true"#)
            #expect(found.results.count == 4 && found.rerank?.applied == false)
            #expect(found.rerank?.reason == "no reranker is set; set SELENE_RERANK_MODEL")
            for wrong in ["1", #""yes""#, #"{"candidates":1}"#, #"{"candidates":201}"#, #"{"candidates":"x"}"#] {
                let reply = try await gateway.post("/api/notes/retrieve", Self.body + #","rerank":\#(wrong)}"#)
                #expect(reply.status == 400 && reply.error.contains("rerank"), "\(reply.text)")
            }
        }
    }

    @Test(.slow) func `chats search with it, and a rewritten question stays here`() async throws {
        try await with { gateway, provider in
            let run = try await gateway.answer("Where is the tide, harbour and pilot?").run
            #expect(run.record?.search?.rerank?.applied == true)
            #expect(Set((run.record?.passages ?? []).prefix(2).compactMap(\.note)) == [2, 4])
            #expect(run.record?.passages.first?.why?.rerank?.score != nil)
            #expect(provider.statistics.requests["/v1/rerank"] == 1)
        }
        try await with("away/small") { gateway, provider in
            let first = try await gateway.answer("Where is the tide, harbour and pilot?").run
            #expect(first.record?.search?.rerank?.withheld == 1)
            let again = try await gateway.answer("And what about it?", ["session": first.session]).run
            #expect(again.record?.search?.rewritten == true && again.record?.search?.rerank == nil)
            #expect(provider.statistics.requests["/v1/rerank"] == 1)
        }
    }

    @Test(.slow) func `books are reordered, and a private book stays here`() async throws {
        let text = (0..<200).map { "The quay\($0) lies at the harbour." + ($0 == 150 ? " A pilot waits there." : "") }
            .joined(separator: "\n\n")
        func add(_ gateway: LiveGateway, _ query: String) async throws -> Int64 {
            let reply = try await gateway.request(
                "POST", "/api/books?name=b.txt\(query)", text, headers: [("Content-Type", "application/octet-stream")])
            let id = try #require(reply.object["id"] as? Int64)
            try await waitUntil {
                try await gateway.done("GET", "/api/books/\(id)").object["state"] as? String == "ready"
            }
            return id
        }
        func search(_ gateway: LiveGateway, _ id: Int64, _ more: String = "") async throws -> BookRetrieveResponse {
            let reply = try await gateway.done(
                "POST", "/api/books/\(id)/retrieve", #"{"query":"quay3 harbour pilot waits there","limit":3\#(more)}"#)
            return try JSONDecoder().decode(BookRetrieveResponse.self, from: reply.data)
        }
        try await with { gateway, _ in
            let id = try await add(gateway, "")
            let plain = try await search(gateway, id, #","rerank":false"#)
            #expect(plain.rerank == nil)
            let found = try await search(gateway, id)
            #expect(found.rerank?.applied == true && found.results.count == plain.results.count)
            #expect(found.results.first?.text.contains("pilot waits") == true)
            #expect(found.results.allSatisfy { $0.why.rerank != nil })
        }
        try await with("away/small") { gateway, provider in
            let id = try await add(gateway, "&private=true")
            let found = try await search(gateway, id)
            #expect(found.rerank?.reason == "fewer than two results may be sent to the model")
            #expect(found.rerank?.withheld == found.rerank?.candidates && provider.statistics.requests == [:])
        }
    }
}
