import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Related notes, threads, tags, recency, diversity and passages over HTTP.
@Suite struct RelatedNotes {
    static let day = Int64(86_400)

    func with(_ body: (LiveGateway) async throws -> Void) async throws {
        try await LiveGateway.with { gateway in
            let now = Int64(Date.now.timeIntervalSince1970)
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "tide gauge", content: "the tide and the moon", createdAt: now - 400 * Self.day,
                    threads: ["Gauge"], tags: ["sea"]),
                NoteDraft(
                    title: "tide tables", content: "the tide and the moon again", createdAt: now, threads: ["Tables"],
                    tags: ["Sea", "paper"]),
                NoteDraft(title: "bread", content: "flour, water, salt", createdAt: now, threads: ["Gauge"]),
            ])
            try await gateway.backfill()
            try await body(gateway)
        }
    }

    @Test func `a result shows the place that matched, its number and its path, and no whole text unless wanted`()
        async throws
    {
        try await LiveGateway.with { gateway in
            let filler = Array(repeating: "Nothing happened.", count: 400).joined(separator: "\n")
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "Log", content: "# Log\n\n\(filler)\nThe electrician wants 76 mm² cable.\n\(filler)",
                    createdAt: 1,
                    externalID: "Daily/2026-08-16.md", source: "markdown")
            ])
            for explain in [true, false] {
                let body = #"{"query":"electrician","snippet":true,"content":false,"explain":\#(explain)}"#
                let reply = try await gateway.request("POST", "/api/notes/retrieve", body)
                let note = try #require(reply.objects("results").first, "\(reply.text)")
                #expect(
                    (note["snippet"] as? String)?.contains("The electrician wants 76 mm² cable.") == true, "\(note)")
                #expect(note["content"] as? String == "" && note["external_id"] as? String == "Daily/2026-08-16.md")
                #expect(reply.text.utf8.count < 3000)
            }
            let whole = try await gateway.request("POST", "/api/notes/retrieve", #"{"query":"electrician"}"#)
            let note = try #require(whole.objects("results").first)
            #expect((note["content"] as? String)?.hasPrefix("# Log") == true && note["snippet"] == nil)
            for path in ["/api/notes?content=false", "/api/notes/since/1970-01-01?content=false"] {
                let listed = try #require(try await gateway.done("GET", path).objects("notes").first)
                #expect(
                    listed["content"] as? String == ""
                        && (listed["snippet"] as? String)?.hasPrefix("Nothing happened.") == true)
            }
            let full = try await gateway.done("GET", "/api/notes").objects("notes").first
            #expect((full?["content"] as? String)?.hasPrefix("# Log") == true)
        }
    }

    @Test func `related notes come from stored vectors, without a call`() async throws {
        try await with { gateway in
            let calls = gateway.fake.statistics.requests["/api/embed", default: 0]
            let reply = try await gateway.request("GET", "/api/notes/1/related?limit=1")
            #expect(reply.status == 200)
            #expect(reply.ids == [2])
            #expect(reply.object["note_id"] as? Int == 1)
            #expect(try await gateway.request("GET", "/api/notes/1/related").ids == [2, 3])
            #expect(gateway.fake.statistics.requests["/api/embed", default: 0] == calls)
            _ = try await gateway.store.notes.insert([NoteDraft(title: "new", content: "not embedded")])
            let without = try await gateway.request("GET", "/api/notes/4/related")
            #expect(without.status == 200)
            #expect(without.ids == [])
            #expect((without.object["reason"] as? String)?.contains("backfill") == true)
            for (path, status, code) in [
                ("/api/notes/99/related", 404, "not_found"), ("/api/notes/x/related", 400, "invalid_field"),
                ("/api/notes/1/related?limit=0", 400, "invalid_field"),
                ("/api/notes/1/related?limit=ten", 400, "invalid_field"),
            ] {
                let refused = try await gateway.request("GET", path)
                #expect(refused.status == status)
                #expect(refused.code == code)
            }
            #expect(try await gateway.post("/api/notes/1/related", "{}").status == 405)
        }
    }

    @Test(
        .slow,
        arguments: [
            (#""thread":"gauge""#, [1, 3]), (#""thread":["Gauge","Tables"]"#, [1, 2, 3]), (#""thread":"1""#, [1, 3]),
            (#""thread":"no such thread""#, []), (#""tag":"SEA""#, [1, 2]),
            (#""tag":["paper"],"thread":"Tables""#, [2]),
            (#""tag":"paper","thread":"Gauge""#, []),
        ])
    func `threads and tags filter both legs`(filter: String, expected: [Int]) async throws {
        try await with { gateway in
            let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide moon bread flour",\#(filter)}"#)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.ids.sorted() == expected)
        }
    }

    @Test func `recency brings newer notes forward and diversity sends copies back`() async throws {
        try await with { gateway in
            func ids(_ more: String) async throws -> [Int] {
                try await gateway.post("/api/notes/retrieve", #"{"query":"tide gauge moon"\#(more)}"#).ids
            }
            #expect(try await ids("").first == 1)
            #expect(try await ids(#","recency":{"weight":0.9,"half_life_days":30}"#).last == 1)
            #expect(try await ids(#","diversity":1"#).prefix(2) == [1, 3])
            let explained = try await gateway.post(
                "/api/notes/retrieve", #"{"query":"tide","recency":{},"diversity":0.2,"explain":true}"#)
            let first = try #require((explained.object["results"] as? [[String: Any]])?.first)
            let explanation = try #require(first["explanation"] as? [String: Any])
            #expect(explanation["recency"] as? Double != nil)
            #expect(explanation["similarity"] as? Double != nil)
            #expect(explanation["relevance"] as? Double != nil)
            let summary = try #require(explained.object["explanation"] as? [String: Any])
            #expect(summary["plan"] as? String == "exact")
            #expect(summary["keyword_plans"] as? [String] == ["vocabulary"])
        }
    }

    @Test(
        .slow,
        arguments: [
            (#""diversity":2"#, "diversity"), (#""recency":{"weight":-1}"#, "recency.weight"),
            (#""recency":{"half_life_days":0}"#, "recency.half_life_days"), (#""scorer":"tf""#, "scorer"),
            (#""fusion":"convex:2""#, "fusion"), (#""exact":"yes""#, "exact"), (#""thread":{}"#, "thread"),
        ])
    func `values without meaning are refused by name`(field: String, name: String) async throws {
        try await with { gateway in
            let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide",\#(field)}"#)
            #expect(reply.status == 400)
            #expect(reply.error.contains(name), "\(reply.text)")
        }
    }

    @Test func `a long note appears once, with the passage that is nearest`() async throws {
        try await with { gateway in
            let filler = (0..<60).map { "Sentence number \($0) speaks of nothing in particular, at some length." }
            let content =
                filler.joined(separator: " ") + "\n\nThe violin string snapped in the cold.\n\n"
                + filler.joined(separator: " ")
            _ = try await gateway.store.notes.insert([NoteDraft(title: "long", content: content)])
            try await gateway.backfill()
            let reply = try await gateway.post(
                "/api/notes/retrieve", #"{"query":"violin string snapped cold","mode":"vector","limit":10}"#)
            let results = try #require(reply.object["results"] as? [[String: Any]])
            #expect(Set(reply.ids).count == reply.ids.count)
            let long = try #require(results.first { $0["title"] as? String == "long" })
            let passage = try #require(long["passage"] as? [String: Any])
            let (start, end) = (passage["start"] as? Int ?? 0, passage["end"] as? Int ?? 0)
            let text = String(decoding: Array(content.utf8)[start..<end], as: UTF8.self)
            #expect(text.contains("violin string snapped"))
            #expect(text.utf8.count < content.utf8.count / 2)
            #expect(results.first { $0["title"] as? String == "bread" }?["passage"] == nil)
        }
    }
}
