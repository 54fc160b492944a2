import GatewayAPI
import Retrieval
import Server
import Testing

@testable import Search

/// One query type: what a request becomes, and which field is named when it cannot.
@Suite struct SearchQueries {
    private func query(_ request: RetrieveRequest) throws -> SearchQuery {
        try SearchQuery(request, defaultFusion: .rrf(k: 7))
    }

    @Test func `a request's fields arrive, and absent ones have their defaults`() throws {
        let plain = try query(RetrieveRequest(query: "tide"))
        #expect(plain.index.text == "tide" && plain.index.limit == 10 && plain.index.mode == .hybrid)
        #expect(plain.index.fusion == .rrf(k: 7) && plain.index.scorer == .both && plain.index.plan == nil)
        #expect(plain.index.feedback == .standard)
        #expect(try query(RetrieveRequest(query: "tide", feedback: true)).index.feedback == .standard)
        #expect(try query(RetrieveRequest(query: "tide", feedback: false)).index.feedback == nil)
        #expect(plain.index.filter.isEmpty && plain.threads.isEmpty && plain.index.recency == nil)
        let full = try query(
            RetrieveRequest(
                query: "tide", limit: 100, noteType: "idea", actionability: ["a", "b"],
                timeScope: .init(since: "2026-01-01", until: "2026-01-02"), keywords: ["x", "  "], mode: .vector,
                fusion: "convex:0.25", explain: true, thread: ["sea"], tag: "t", scorer: "like",
                recency: .init(weight: 0.5, halfLifeDays: 2), diversity: 0.25, exact: true))
        #expect(full.index.limit == 100 && full.index.mode == .vector && full.index.keywords == ["x"])
        #expect(full.index.fusion == .convex(alpha: 0.25) && full.index.scorer == .like && full.index.plan == .exact)
        #expect(full.index.filter.noteTypes == ["idea"] && full.index.filter.actionabilities == ["a", "b"])
        #expect(full.index.filter.tags == ["t", "#t"] && full.threads == ["sea"] && full.index.explain)
        #expect(full.index.filter.since == 1_767_225_600 && full.index.filter.until == 1_767_398_399)
        #expect(full.index.recency?.weight == 0.5 && full.index.recency?.halfLife == 172_800)
        #expect(full.index.diversity == 0.25)
        // Phrases alone are a keyword search.
        #expect(try query(RetrieveRequest(query: " ", keywords: "x")).index.mode == .keyword)
    }

    @Test func `an empty filter filters nothing, and the sign of a tag does not count`() throws {
        let empty = try query(
            RetrieveRequest(query: "tide", noteType: "", actionability: " ", thread: [""], tag: ""))
        #expect(empty.index.filter.isEmpty && empty.threads.isEmpty)
        #expect(try query(RetrieveRequest(query: "tide", tag: "#sea")).index.filter.tags == ["sea", "#sea"])
        #expect(try query(RetrieveRequest(query: "tide", tag: ["", "sea"])).index.filter.tags == ["sea", "#sea"])
    }

    @Test(arguments: [
        (RetrieveRequest(query: ""), "query"), (RetrieveRequest(query: nil, keywords: "x", mode: .vector), "query"),
        (RetrieveRequest(query: String(repeating: "x", count: 16_385)), "query"),
        (RetrieveRequest(query: "x", keywords: .init(Array(repeating: "k", count: 33))), "keywords"),
        (RetrieveRequest(query: "x", limit: 0), "limit"), (RetrieveRequest(query: "x", limit: 101), "limit"),
        (RetrieveRequest(query: "x", fusion: "best"), "fusion"), (RetrieveRequest(query: "x", scorer: "tf"), "scorer"),
        (RetrieveRequest(query: "x", recency: .init(weight: 2)), "recency.weight"),
        (RetrieveRequest(query: "x", recency: .init(halfLifeDays: 0)), "recency.half_life_days"),
        (RetrieveRequest(query: "x", diversity: 1.5), "diversity"),
        (RetrieveRequest(query: "x", thread: .init(Array(repeating: "t", count: 33))), "thread"),
        (RetrieveRequest(query: "x", timeScope: .init(days: -1)), "timeScope.days"),
        (RetrieveRequest(query: "x", timeScope: .init(since: "soon")), "timeScope.since"),
        (RetrieveRequest(query: "x", timeScope: .init(since: "2026-02-01", until: "2026-01-01")), "timeScope"),
        (RetrieveRequest(query: "x", timeScope: .init(since: "2026-02-01", days: 3)), "timeScope"),
    ])
    func `a field that is wrong is named`(_ request: RetrieveRequest, _ field: String) throws {
        let error = #expect(throws: GatewayError.self) { try query(request) }
        #expect(error?.code == .invalidField && error?.message.contains("\"\(field)\"") == true, "\(error as Any)")
    }
}
