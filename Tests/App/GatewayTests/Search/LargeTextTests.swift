import Concurrency
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Work over the whole of a large note never runs on the threads that serve requests.
@Suite(.serialized) struct LargeTexts {
    @Test(.slow) func `a large note is checked and shown by threads for large work`() async throws {
        try await LiveGateway.with { gateway in
            func begun(_ body: () async throws -> Void) async throws -> Int {
                let before = LargeWork.shared.started
                try await body()
                return LargeWork.shared.started - before
            }
            let text = String(repeating: "#a harbour ’ ", count: 30_000)
            let note = #"{"title":"large","content":"\#(text)needle"}"#
            let created = try await begun {
                let made = try await gateway.done("POST", "/api/notes", note, 201)
                #expect(made.object["tags"] as? [String] == ["a"])
            }
            #expect(created > 0)
            let changed = try await begun {
                try await gateway.done("PATCH", "/api/notes/1", #"{"content":"\#(text)needle again"}"#)
            }
            #expect(changed > 0)
            let searched = try await begun {
                let found = try await gateway.done(
                    "POST", "/api/notes/retrieve", #"{"query":"needle","mode":"keyword","explain":true}"#)
                #expect(found.ids == [1])
            }
            #expect(searched > 0)
        }
    }

    @Test func `empty filters of a search filter nothing`() async throws {
        try await LiveGateway.with { gateway in
            try await gateway.done(
                "POST", "/api/notes", #"{"title":"spring","content":"tides of the moon","tags":["sea"]}"#, 201)
            for filters in [
                ##""tag": "", "thread": "", "noteType": "", "actionability": "" "##, ##""tag": "#sea""##,
                ##""tag": "sea", "thread": " ""##,
            ] {
                let found = try await gateway.done(
                    "POST", "/api/notes/retrieve", #"{"query":"tides","mode":"keyword",\#(filters)}"#)
                #expect(found.ids == [1], "\(filters)")
            }
            for filters in [
                ##""tag": "" "##, ##""tag": "#sea""##, ##""tag": "sea", "thread": "", "days": "" "##,
            ] {
                let found = try await gateway.done(
                    "POST", "/api/tools/search_notes", #"{"arguments":{"query":"tides",\#(filters)}}"#)
                #expect(found.objects("passages").compactMap { $0["note"] as? Int } == [1], "\(filters)")
            }
        }
    }
}
