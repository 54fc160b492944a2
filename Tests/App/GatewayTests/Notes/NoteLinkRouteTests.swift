import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

/// The links between notes over HTTP.
@Suite struct NoteLinkRouteTests {
    private static func links(_ gateway: LiveGateway, _ id: Int64) async throws -> NoteLinks {
        let reply = try await gateway.request("GET", "/api/notes/\(id)/links")
        #expect(reply.status == 200, "\(reply.text)")
        return try JSONDecoder().decode(NoteLinks.self, from: reply.data)
    }

    private static func note(_ gateway: LiveGateway, _ title: String, _ content: String) async throws -> Int64 {
        let body = try JSONEncoder().encode(["title": title, "content": content])
        let made = try await gateway.done("POST", "/api/notes", String(decoding: body, as: UTF8.self), 201)
        return Int64(try #require(made.object["id"] as? Int))
    }

    @Test(arguments: NotesPlace.allCases)
    func `links lead to titles and files, and back`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let files = try JSONSerialization.data(withJSONObject: [
                "files": [
                    ["path": "Vault/Daily/2026-08-16.md", "content": "# Sunday\n\nThe tiler came."],
                    [
                        "path": "Vault/Ideas.md",
                        "content": "# Ideas\n\nSee [[2026-08-16]] and [[Daily/2026-08-16|Sunday]].",
                    ],
                ]
            ])
            try await gateway.done("POST", "/api/notes/import", String(decoding: files, as: UTF8.self))
            let kitchen = try await Self.note(gateway, "Küche 100%", "No links here, and [[]] is none.")
            let text = """
                Before it [[küche 100%]] was planned. [[Nowhere]] [[Küche 100%#Tiles|tiles]] [[2026-08-16.md]]
                [[not
                one]] [[Küche_100%]] ![[plan.png]]
                """
            let plan = try await Self.note(gateway, "Plan", text)
            let found = try await Self.links(gateway, plan)
            #expect(found.links.map(\.target) == ["küche 100%", "Nowhere", "2026-08-16.md", "Küche_100%", "plan.png"])
            #expect(found.links[0].id == kitchen, "\(found.links)")
            #expect(found.links[1].id == nil && found.links[3].id == nil && found.links[4].id == nil)
            #expect(found.links[2].title == "Sunday" && found.backlinks.isEmpty)

            let back = try await Self.links(gateway, kitchen)
            #expect(back.links.isEmpty && back.backlinks.map(\.id) == [plan])
            #expect(back.backlinks.first?.excerpt.contains("[[küche 100%]] was planned") == true, "\(back)")
            #expect(back.backlinks.first?.title == "Plan")

            let sunday = try #require(found.links[2].id)
            let days = try await Self.links(gateway, sunday)
            #expect(days.backlinks.map(\.title).sorted() == ["Ideas", "Plan"], "\(days)")
            let ideas = try #require(days.backlinks.first { $0.title == "Ideas" })
            #expect(try await Self.links(gateway, ideas.id).links.map(\.id) == [sunday, sunday])
            #expect(try await gateway.request("GET", "/api/notes/999/links").status == 404)
        }
    }
}
