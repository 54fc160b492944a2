import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// `revision` of `PUT` and `PATCH /api/notes/:id`.
@Suite(.serialized) struct NoteRevisions {
    @Test(.slow, arguments: ["PUT", "PATCH"], NotesPlace.allCases)
    func `a change made from an older revision is refused and changes nothing`(
        method: String, place: NotesPlace
    ) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let made = try await gateway.request("POST", "/api/notes", #"{"title":"Boat","content":"oil the winch"}"#)
            let id = try #require(made.object["id"] as? Int)
            let first = try #require(made.object["revision"] as? String)
            #expect(first.wholeMatch(of: #/[0-9a-f]{12}/#) != nil)
            func change(_ content: String, _ revision: String) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    method, "/api/notes/\(id)", #"{"content":"\#(content)","revision":"\#(revision)"}"#)
            }
            let second = try await change("oil both winches", first)
            let now = try #require(second.object["revision"] as? String)
            #expect(second.status == 200 && now != first)

            let stale = try await change("sell the boat", first)
            #expect(stale.status == 409 && stale.code == "conflict")
            #expect(stale.error.contains("note \(id) has changed since it was read") && stale.error.contains(now))
            let kept = try await gateway.done("GET", "/api/notes/\(id)")
            #expect(kept.object["content"] as? String == "oil both winches")
            #expect(kept.object["revision"] as? String == now)

            #expect(try await change("sell the boat", now).status == 200)
            let free = try await gateway.request(method, "/api/notes/\(id)", #"{"content":"without a revision"}"#)
            #expect(free.status == 200)
            #expect(try await change("x", String(repeating: "y", count: 5_000)).code == "invalid_field")
            #expect(try await gateway.request(method, "/api/notes/999", #"{"title":"a","revision":"b"}"#).status == 404)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `of changes made from one revision at the same time, one is stored`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let made = try await gateway.request("POST", "/api/notes", #"{"title":"Boat","content":"oil the winch"}"#)
            let id = try #require(made.object["id"] as? Int)
            let revision = try #require(made.object["revision"] as? String)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await gateway.request(
                            "PATCH", "/api/notes/\(id)", #"{"content":"change \#(number)","revision":"\#(revision)"}"#
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 7))
        }
    }
}
