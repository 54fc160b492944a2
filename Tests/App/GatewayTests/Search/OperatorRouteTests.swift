import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// Operators in the search of the notes.
@Suite struct OperatorsOfRetrieval {
    private static func with(_ place: NotesPlace, _ body: (LiveGateway) async throws -> Void) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "Spring tide", content: "The moon pulls the sea highest at new moon.",
                    createdAt: 1_767_000_000,
                    noteType: "reference", threads: ["Tide gauge"], tags: ["sea", "moon"], externalID: "journal/tide.md"
                ),
                NoteDraft(
                    title: "Sourdough", content: "Feed the starter under the moon.\n- [ ] flour",
                    createdAt: 1_768_000_000,
                    noteType: "task", tags: ["kitchen"], externalID: "bread.md"),
                NoteDraft(
                    title: "Old boat", content: "Planks of larch, tag:none, no moon.", createdAt: 1_600_000_000,
                    noteType: "idea", tags: ["sea"]),
            ])
            try await body(gateway)
        }
    }

    private static func ids(_ gateway: LiveGateway, _ text: String, _ more: String = "") async throws -> [Int] {
        let name = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        return try await gateway.post("/api/notes/retrieve", "{\"query\":\(name)\(more)}").ids
    }

    @Test(arguments: NotesPlace.allCases) func `operators narrow a search of notes`(_ place: NotesPlace) async throws {
        try await Self.with(place) { gateway in
            for (text, expected) in [
                ("moon", [1, 2, 3]), ("moon tag:sea", [1, 3]), ("moon -tag:sea", [2]), ("moon tag:sea tag:moon", [1]),
                (#""the moon""#, [1, 2]), ("moon -larch", [1, 2]), ("type:idea", [3]), ("after:2025", [2]),
                ("moon before:2021", [3]), ("thread:gauge", [1]), ("in:gauge moon", [1]), ("source:bread", [2]),
                ("has:task", [2]), ("title:tide", [1]), ("starter OR planks", [2, 3]), ("from:chats moon", []),
                ("tag:sea", [1, 3]), ("-tag:sea on:2026", [2]), ("tag:none", []), ("book:x moon", []),
                ("http://x.example moon", [1, 2, 3]), ("thread:unknown moon", []),
            ] as [(String, [Int])] {
                let found = try await Self.ids(gateway, text)
                #expect(found.sorted() == expected, "\(text)")
            }
        }
    }

    @Test func `filters of the request hold beside operators`() async throws {
        try await Self.with(.file) { gateway in
            #expect(try await Self.ids(gateway, "tag:sea", #","noteType":"idea""#) == [3])
            #expect(try await Self.ids(gateway, "moon tag:sea", #","limit":1"#).count == 1)
            #expect(try await Self.ids(gateway, "tag:sea", #","thread":"Tide gauge""#) == [1])
            #expect(
                try await Self.ids(gateway, "on:2025..", #","tag":"kitchen","timeScope":{"until":"2025-12-31"}"#) == [])
            let reply = try await gateway.post(
                "/api/notes/retrieve", #"{"query":"moon tag:kitchen","content":false,"snippet":true}"#)
            let note = try #require(reply.objects("results").first)
            #expect(reply.object["query"] as? String == "moon tag:kitchen" && note["content"] as? String == "")
            #expect((note["snippet"] as? String)?.contains("moon") == true)
        }
    }
}
