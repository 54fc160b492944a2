import Access
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `Idempotency-Key` of `POST /api/notes`.
@Suite(.serialized) struct RepeatedNotes {
    private let body = #"{"title":"Boat","content":"oil the winch","tags":["pier"]}"#

    @Test(arguments: NotesPlace.allCases)
    func `a repeat answers with the first note and creates nothing`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            func send(_ body: String, _ key: String) async throws -> LiveGateway.Reply {
                try await gateway.request("POST", "/api/notes", body, headers: [("Idempotency-Key", key)])
            }
            let first = try await send(body, "8f6b")
            #expect(first.status == 201)
            let id = try #require(first.object["id"] as? Int)
            _ = try await gateway.done("PATCH", "/api/notes/\(id)", #"{"content":"oil both winches"}"#)
            let second = try await send(body, "8f6b")
            #expect(second.status == 201 && second.object["id"] as? Int == id)
            #expect(second.object["content"] as? String == "oil both winches")
            #expect(try await gateway.store.embeddings.noteCount() == 1)
            let reused = try await send(#"{"title":"Boat","content":"else"}"#, "8f6b")
            #expect(reused.status == 409 && reused.code == "key_reused")
            _ = try await gateway.done("DELETE", "/api/notes/\(id)")
            let gone = try await send(body, "8f6b")
            #expect(gone.status == 409 && gone.code == "duplicate")
            #expect(try await gateway.store.embeddings.noteCount() == 0)
        }
    }

    @Test(.slow, arguments: ["", "a b", String(repeating: "k", count: 256), "ü"])
    func `a key that is empty, long or not plain is refused`(key: String) async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.request("POST", "/api/notes", body, headers: [("Idempotency-Key", key)])
            #expect(reply.status == 400 && reply.code == "invalid_field")
            #expect(reply.error.contains("Idempotency-Key"))
            #expect(try await gateway.store.embeddings.noteCount() == 0)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `callers do not see each other's keys`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let secrets = try await [
                gateway.store.keys.create(name: "a", grant: KeyGrant(scopes: [.notesRead, .notesWrite])).secret,
                gateway.store.keys.create(name: "b", grant: KeyGrant(scopes: [.notesRead, .notesWrite])).secret,
            ]
            func send(_ caller: Int, _ title: String) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/notes", #"{"title":"\#(title)","content":"c"}"#,
                    headers: [("Authorization", "Bearer \(secrets[caller])"), ("Idempotency-Key", "same")])
            }
            // Before it knows a key, a gateway takes anyone on this machine for its owner.
            try await gateway.waitForKeys()
            #expect(try await send(0, "one").status == 201)
            #expect(try await send(1, "two").status == 201)
            #expect(try await send(0, "two").code == "key_reused")
            #expect(try await gateway.store.embeddings.noteCount() == 2)
        }
    }
}
