import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import TestSupport
import Testing

/// `/api/sources`.
@Suite(.serialized) struct SourceRouteTests {
    @Test(arguments: NotesPlace.allCases)
    func `a folder is added, followed, paused, answered and removed`(_ place: NotesPlace) async throws {
        let (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
        for number in 0..<8 { try folder.write("n/\(number).md", "note of number \(number)") }
        try folder.write("empty.md", " ")
        try await LiveGateway.with(notesIn: place) { gateway in
            func count() async throws -> Int? { try await gateway.done("GET", "/api/notes").object["count"] as? Int }
            func state() async throws -> String? {
                let source = try await gateway.done("GET", "/api/sources/vault").object["source"] as? [String: Any]
                return source?["state"] as? String
            }
            let added = try await gateway.request(
                "POST", "/api/sources", #"{"name":"vault","path":"\#(folder.url.path)","ignore":["7.md"]}"#)
            #expect(added.status == 201 && added.object["kind"] as? String == "folder")
            try await waitUntil(within: .seconds(120)) { try await count() == 7 }
            // The state of the files is written behind their notes.
            try await waitUntil(within: .seconds(120)) {
                try await gateway.done("GET", "/api/sources/vault").objects("problems").first?["path"] as? String
                    == "empty.md"
            }
            // All at once: one after the other, some could be gone before too many are.
            try FileManager.default.moveItem(atPath: folder.path("n"), toPath: elsewhere.path("n"))
            try await waitUntil(within: .seconds(120)) { try await state() == "asking" }
            #expect(try await count() == 7)
            let paused = try await gateway.done("PATCH", "/api/sources/vault", #"{"paused":true}"#)
            #expect(paused.object["state"] as? String == "paused")
            _ = try await gateway.done("PATCH", "/api/sources/vault", #"{"paused":false,"accept_missing":true}"#)
            try await waitUntil(within: .seconds(120)) { try await count() == 0 }
            let look = try await gateway.request("POST", "/api/sources/vault/look")
            #expect(look.status == 202)
            let listed = try await gateway.done("GET", "/api/sources").objects("sources")
            #expect(listed.first?["removed"] as? Int == 7 && listed.count == 1)
            #expect(try await gateway.request("DELETE", "/api/sources/vault").status == 400)
            let removed = try await gateway.done("DELETE", "/api/sources/vault?notes=remove")
            #expect(removed.object["removed_notes"] as? Int == 0)
            #expect(try await gateway.request("GET", "/api/sources/vault").status == 404)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a script sends notes, again and again`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            #expect(try await gateway.request("POST", "/api/sources", #"{"name":"tracker"}"#).status == 201)
            #expect(try await gateway.request("POST", "/api/sources", #"{"name":"tracker"}"#).status == 409)
            let body =
                #"{"notes":[{"id":"a/1","content":"\n  The tap drips #house\nnow"},{"id":"2","title":"T","content":"x","tags":[]}]}"#
            #expect(try await gateway.done("POST", "/api/sources/tracker/notes", body).object["created"] as? Int == 2)
            let again = try await gateway.done("POST", "/api/sources/tracker/notes", body)
            #expect(again.object["created"] as? Int == 0 && again.object["unchanged"] as? Int == 2)
            let notes = try await gateway.done("GET", "/api/notes").objects("notes")
            let tap = try #require(notes.first { $0["external_id"] as? String == "source:tracker/a/1" })
            #expect(tap["title"] as? String == "The tap drips #house" && tap["tags"] as? [String] == ["house"])
            let id = try #require(tap["id"] as? Int)
            _ = try await gateway.done("DELETE", "/api/notes/\(id)")
            let gone = try await gateway.done("POST", "/api/sources/tracker/notes", body)
            #expect(gone.objects("remarks").first?["kind"] as? String == "deleted_here")
            #expect(gone.objects("remarks").first?["path"] as? String == "a/1")
        }
    }

    @Test(arguments: [
        (#"{"notes":[]}"#, #"field "notes": expected 1 to 500 notes, got 0"#),
        (#"{"notes":[{"id":"","content":"c"}]}"#, #"field "notes[0].id""#),
        (#"{"notes":[{"id":"1","content":"c"},{"id":"2","content":" "}]}"#, #"field "notes[1].content""#),
        (#"{"notes":[{"id":"1","content":"c","created_at":"soon"}]}"#, #"field "notes[0].created_at""#),
    ])
    func `notes that are not right name the field, and none is stored`(body: String, error: String) async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.request("POST", "/api/sources", #"{"name":"tracker"}"#)
            let reply = try await gateway.post("/api/sources/tracker/notes", body)
            #expect(reply.status == 400 && reply.code == "invalid_field")
            #expect(reply.error.contains(error), "\(reply.error)")
            #expect(try await gateway.request("GET", "/api/notes").object["count"] as? Int == 0)
        }
    }

    @Test func `only an administrator sees and changes sources`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(
                name: "app", grant: KeyGrant(scopes: [.notesRead, .notesWrite, .llm]))
            try await gateway.waitForKeys()
            let headers = [(name: "Authorization", value: "Bearer \(key.secret)")]
            for (method, path) in [
                ("GET", "/api/sources"), ("POST", "/api/sources"), ("GET", "/api/sources/x"),
                ("PATCH", "/api/sources/x"),
                ("DELETE", "/api/sources/x?notes=keep"), ("POST", "/api/sources/x/look"),
            ] {
                #expect(try await gateway.request(method, path, headers: headers).status == 403, "\(method) \(path)")
            }
            let reply = try await gateway.request(
                "POST", "/api/sources/x/notes", #"{"notes":[{"id":"1","content":"c"}]}"#, headers: headers)
            #expect(reply.status == 404 && reply.code == "not_found")
        }
    }
}
