import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Deleted notes and earlier versions: `history`, `restore` and `deleted` below `/api/notes`, wherever the notes are.
@Suite(.serialized) struct NoteHistoryRoutes {
    private func note(_ gateway: LiveGateway, _ title: String = "Boat", _ content: String = "oil the winch")
        async throws
        -> Int
    {
        let body = #"{"title":"\#(title)","content":"\#(content)","tags":["boat"],"threads":["Sea","Autumn"]}"#
        let made = try await gateway.request("POST", "/api/notes", body)
        return try #require(made.object["id"] as? Int, "\(made.text)")
    }

    private func versions(_ gateway: LiveGateway, _ id: Int) async throws -> [[String: Any]] {
        try await gateway.done("GET", "/api/notes/\(id)/history").objects("versions")
    }

    @Test(arguments: NotesPlace.allCases)
    func `an edit keeps what the note was, and an earlier version comes back`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let id = try await note(gateway)
            #expect(try await versions(gateway, id).isEmpty)
            let edit = #"{"content":"sell the boat","tags":["money"],"threads":["Sea"]}"#
            try await gateway.done("PUT", "/api/notes/\(id)", edit)
            // A repeated request changes nothing.
            let now = try await gateway.done("PUT", "/api/notes/\(id)", edit)
            let list = try await versions(gateway, id)
            let version = try #require(list.first?["version"] as? Int)
            #expect(list.count == 1 && list.first?["reason"] as? String == "edited")
            #expect(list.first?["content"] == nil && list.first?["start"] as? String == "oil the winch")
            let text = try await gateway.done("GET", "/api/notes/\(id)/history/\(version)")
            #expect(text.object["content"] as? String == "oil the winch")
            #expect(text.object["tags"] as? [String] == ["boat"])

            let stale = try await gateway.request(
                "POST", "/api/notes/\(id)/restore", #"{"version":\#(version),"revision":"000000000000"}"#)
            #expect(stale.status == 409 && stale.code == "conflict", "\(stale.text)")
            let revision = try #require(now.object["revision"] as? String)
            let back = try await gateway.done(
                "POST", "/api/notes/\(id)/restore", #"{"version":\#(version),"revision":"\#(revision)"}"#)
            #expect(back.object["content"] as? String == "oil the winch" && back.object["id"] as? Int == id)
            let threads = (back.object["threads"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(threads.sorted() == ["Autumn", "Sea"] && back.object["tags"] as? [String] == ["boat"])
            let after = try await versions(gateway, id)
            #expect(after.map { $0["reason"] as? String } == ["restored", "edited"])
            #expect(after.first?["start"] as? String == "sell the boat")
            #expect(try await gateway.request("GET", "/api/notes/\(id)/history/999999").status == 404)
            #expect(try await gateway.request("GET", "/api/notes/999/history").status == 404)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a deleted note is listed, found no more, and comes back as it was`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let id = try await note(gateway)
            let other = try await note(gateway, "Bread", "flour and salt")
            let before = try await gateway.done("GET", "/api/notes/\(id)")
            let refused = try await gateway.request("DELETE", "/api/notes/\(id)?revision=000000000000")
            #expect(refused.status == 409, "\(refused.text)")
            let revision = try #require(before.object["revision"] as? String)
            try await gateway.done("DELETE", "/api/notes/\(id)?revision=\(revision)")
            #expect(try await gateway.request("GET", "/api/notes/\(id)").status == 404)
            #expect(try await gateway.request("DELETE", "/api/notes/\(id)").status == 404)
            let found = try await gateway.done("POST", "/api/notes/search", #"{"query":"winch"}"#)
            #expect(found.objects("notes").isEmpty)

            let deleted = try await gateway.done("GET", "/api/notes/deleted").objects("notes")
            #expect(deleted.count == 1 && deleted.first?["note_id"] as? Int == id)
            #expect(deleted.first?["title"] as? String == "Boat" && deleted.first?["reason"] as? String == "deleted")
            let history = try await gateway.done("GET", "/api/notes/\(id)/history")
            #expect(history.object["deleted"] as? Bool == true && history.objects("versions").count == 1)

            let back = try await gateway.done("POST", "/api/notes/\(id)/restore", "{}")
            #expect(back.object["revision"] as? String == revision && back.object["id"] as? Int == id)
            #expect(back.object["created_at"] as? String == before.object["created_at"] as? String)
            #expect(try await gateway.done("GET", "/api/notes/deleted").objects("notes").isEmpty)
            #expect(try await versions(gateway, id).isEmpty)
            #expect(try await gateway.done("POST", "/api/notes/search", #"{"query":"winch"}"#).ids("notes") == [id])
            // Neither of them is deleted now.
            for id in [id, other] {
                let again = try await gateway.request("POST", "/api/notes/\(id)/restore", "{}")
                #expect(again.status == 409 && again.error.contains("is not deleted"), "\(again.text)")
            }
            #expect(try await gateway.request("POST", "/api/notes/999/restore", "{}").status == 404)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `erasing ends a deleted note for good, and leaves a stored one without a past`(
        _ place: NotesPlace
    ) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let (gone, stays) = (try await note(gateway), try await note(gateway, "Bread", "flour and salt"))
            try await gateway.done("PUT", "/api/notes/\(gone)", #"{"content":"a secret"}"#)
            try await gateway.done("PUT", "/api/notes/\(stays)", #"{"content":"flour"}"#)
            try await gateway.done("DELETE", "/api/notes/\(gone)")
            let erased = try await gateway.done("DELETE", "/api/notes/\(gone)/history")
            #expect(erased.object["versions"] as? Int == 2 && erased.object["status"] as? String == "erased")
            #expect(try await gateway.request("POST", "/api/notes/\(gone)/restore", "{}").status == 404)
            #expect(try await gateway.request("GET", "/api/notes/\(gone)/history").status == 404)
            #expect(try await gateway.request("DELETE", "/api/notes/\(gone)/history").status == 404)
            try await gateway.done("DELETE", "/api/notes/\(stays)/history")
            #expect(try await versions(gateway, stays).isEmpty)
            #expect(try await gateway.done("GET", "/api/notes/\(stays)").object["content"] as? String == "flour")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a note whose text another note has now is not restored twice`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let id = try await note(gateway)
            try await gateway.done("DELETE", "/api/notes/\(id)")
            let again = try await note(gateway)
            #expect(again != id)
            let refused = try await gateway.request("POST", "/api/notes/\(id)/restore", "{}")
            #expect(refused.status == 409 && refused.error.contains("note \(again)"), "\(refused.text)")
            #expect(try await gateway.done("GET", "/api/notes/deleted").objects("notes").count == 1)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a repeated request finds its note again after a restore`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            func create() async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/notes", #"{"title":"Tide","content":"at eight"}"#,
                    headers: [("Idempotency-Key", "k-1")])
            }
            let id = try #require(try await create().object["id"] as? Int)
            try await gateway.done("DELETE", "/api/notes/\(id)")
            #expect(try await create().status == 409)
            try await gateway.done("POST", "/api/notes/\(id)/restore", "{}")
            let again = try await create()
            #expect(again.status == 201 && again.object["id"] as? Int == id, "\(again.text)")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a note keeps its latest fifty versions`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let id = try await note(gateway)
            for number in 1...NoteHistoryLimits.versions + 3 {
                try await gateway.done("PATCH", "/api/notes/\(id)", #"{"content":"text \#(number)"}"#)
            }
            let list = try await versions(gateway, id)
            #expect(list.count == NoteHistoryLimits.versions)
            #expect(list.first?["start"] as? String == "text \(NoteHistoryLimits.versions + 2)")
            #expect(list.last?["start"] as? String == "text 3")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `deleted notes come in pages`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            for number in 1...5 {
                try await gateway.done("DELETE", "/api/notes/\(try await note(gateway, "n\(number)", "t\(number)"))")
            }
            let first = try await gateway.done("GET", "/api/notes/deleted?limit=3")
            #expect(first.objects("notes").compactMap { $0["title"] as? String } == ["n5", "n4", "n3"])
            let cursor = try #require(first.object["next_cursor"] as? String)
            let rest = try await gateway.done("GET", "/api/notes/deleted?limit=3&cursor=\(cursor)")
            #expect(rest.objects("notes").compactMap { $0["title"] as? String } == ["n2", "n1"])
            #expect(rest.object["next_cursor"] == nil)
            #expect(try await gateway.request("GET", "/api/notes/deleted?limit=0").status == 400)
        }
    }
}
