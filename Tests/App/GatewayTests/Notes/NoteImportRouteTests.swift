import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// `POST /api/notes/import`.
@Suite(.serialized) struct NoteImports {
    @Test(arguments: NotesPlace.allCases)
    func `files become notes once, with what their front matter says`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let body = ##"""
                {"files":[
                {"path":"vault/Tide.md","content":"---\ntags: sea\ndate: 2026-03-01\n---\n# High water\nat noon, #pier","modified_at":"2026-04-01T10:00:00Z"},
                {"path":"vault/deep/2026-01-31.txt","content":"a long walk along the shore"},
                {"path":"vault/same.txt","content":"a long walk along the shore"},
                {"path":"vault/empty.md","content":"  \n"},
                {"path":"vault/odd.md","content":"---\ntitle: \"open\ntext of the odd one"}]}
                """##
            let first = try await gateway.done("POST", "/api/notes/import", body)
            #expect(first.object["created"] as? Int == 4)
            #expect(first.object["empty"] as? [String] == ["vault/empty.md"])
            let remark = try #require(first.objects("remarks").first)
            #expect(remark["path"] as? String == "vault/odd.md" && remark["kind"] as? String == "read_as")
            let again = try await gateway.done("POST", "/api/notes/import", body)
            #expect(again.object["created"] as? Int == 0 && again.object["unchanged"] as? Int == 4)

            let notes = try await gateway.done("GET", "/api/notes").objects("notes")
            #expect(notes.count == 4)
            let tide = try #require(notes.first { $0["title"] as? String == "High water" })
            #expect(tide["tags"] as? [String] == ["sea", "pier"])
            #expect((tide["created_at"] as? String)?.hasPrefix("2026-03-01") == true)
            #expect(tide["external_id"] as? String == "upload:vault/Tide.md")
            let walk = try #require(notes.first { $0["title"] as? String == "2026-01-31" })
            #expect((walk["created_at"] as? String)?.hasPrefix("2026-01-31") == true)

            let changed = ##"{"files":[{"path":"vault/Tide.md","content":"# High water\nat noon, and low at six"}]}"##
            let update = try await gateway.done("POST", "/api/notes/import", changed)
            #expect(update.object["updated"] as? Int == 1)
            let id = try #require(tide["id"] as? Int)
            _ = try await gateway.done("DELETE", "/api/notes/\(id)")
            let gone = try await gateway.done("POST", "/api/notes/import", changed)
            #expect(gone.objects("remarks").first?["kind"] as? String == "deleted_here")
            #expect(try await gateway.request("GET", "/api/notes/\(id)").status == 404)
        }
    }

    @Test(arguments: [
        (#"{"files":[]}"#, #"field "files": expected 1 to 500 files, got 0"#),
        (#"{"files":[{"path":" ","content":"c"}]}"#, #"field "files[0].path""#),
        (
            #"{"files":[{"path":"a","content":"c"},{"path":"b","content":"c","modified_at":"soon"}]}"#,
            #"field "files[1].modified_at""#
        ),
    ])
    func `a request that is not right names the field`(body: String, error: String) async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/notes/import", body)
            #expect(reply.status == 400 && reply.code == "invalid_field")
            #expect(reply.error.contains(error), "\(reply.error)")
            #expect(try await gateway.request("GET", "/api/notes").object["count"] as? Int == 0)
        }
    }
}
