import FakeOllama
import Foundation
import Gateway
import GatewayAPI
import GatewayTestSupport
import Search
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Gateways that search notes in PostgreSQL by indexes of their own.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedIndexTests {
    private static var options: FakeOllama.Options {
        var options = FakeOllama.Options()
        options.dimensions = 8
        return options
    }

    private func found(_ gateway: LiveGateway, _ query: String, mode: String = "keyword") async throws -> [Int] {
        let reply = try await gateway.post(
            "/api/notes/retrieve", #"{"query":"\#(query)","mode":"\#(mode)","limit":50}"#)
        #expect(reply.status == 200 && reply.object["source"] as? String == mode, "\(reply.text)")
        return reply.ids
    }

    private func create(_ title: String, _ content: String, at gateway: LiveGateway) async throws -> Int {
        let reply = try await gateway.done(
            "POST", "/api/notes", #"{"title":"\#(title)","content":"\#(content)"}"#, 201)
        return try #require(reply.object["id"] as? Int ?? (reply.object["note"] as? [String: Any])?["id"] as? Int)
    }

    @Test func `what one gateway writes the other finds with its next search`() async throws {
        let settings = ["store": try await #require(await PostgresServer.shared()).migrated()]
        try await LiveGateway.with(Self.options, settings: settings) { first in
            try await LiveGateway.with(Self.options, settings: settings) { second in
                for number in 1...20 {
                    let id = try await create("note \(number)", "tide\(number)x", at: number % 2 == 0 ? first : second)
                    let other = number % 2 == 0 ? second : first
                    #expect(try await found(other, "tide\(number)x") == [id])
                    try await first.done("PATCH", "/api/notes/\(id)", #"{"content":"ebb\#(number)x"}"#)
                    #expect(try await found(second, "ebb\(number)x") == [id])
                    #expect(try await found(second, "tide\(number)x").isEmpty)
                    guard number % 5 == 0 else { continue }
                    try await second.done("DELETE", "/api/notes/\(id)")
                    #expect(try await found(first, "ebb\(number)x").isEmpty)
                }
                // Vectors, too.
                let job = try await first.post("/api/jobs/backfill", "{}")
                #expect(job.status == 202)
                try await waitUntil {
                    let status = try await second.request("GET", "/api/admin/index").object
                    return status["embedded_notes"] as? Int == 16
                }
                #expect(try await found(second, "ebb", mode: "vector").count == 16)
            }
        }
    }

    private static func draft(_ number: Int) -> NoteDraft {
        NoteDraft(
            title: "note \(number)", content: "tide \(number % 7) moon \(number % 5) harbour",
            createdAt: Int64(number) * 1000, noteType: number % 3 == 0 ? "idea" : "task",
            threads: number % 4 == 0 ? ["Sea"] : [], tags: number % 2 == 0 ? ["red"] : [])
    }

    private static let questions = [
        #"{"query":"tide 3 moon"}"#, #"{"query":"moon 4","mode":"keyword","scorer":"like"}"#,
        #"{"query":"tide","thread":"sea","limit":40}"#, #"{"query":"harbour","mode":"vector"}"#,
        #"{"query":"tide moon","tag":"red","note_type":"idea","recency":{"weight":0.5,"half_life_days":30}}"#,
        #"{"query":"tide 6","explain":true,"diversity":0.4}"#,
    ]

    /// An answer without its times.
    private static func content(_ reply: LiveGateway.Reply) throws -> JSONValue {
        func cleaned(_ value: JSONValue) -> JSONValue {
            switch value {
            case .array(let elements): return .array(elements.map(cleaned))
            case .object(var members):
                for name in ["timings_ms", "revision", "updated_at"] { members[name] = nil }
                return .object(members.mapValues(cleaned))
            default: return value
            }
        }
        return cleaned(try JSONDecoder().decode(JSONValue.self, from: reply.data))
    }

    @Test func `a file and a server rank alike`() async throws {
        var answers: [[JSONValue]] = []
        for place in NotesPlace.allCases {
            try await LiveGateway.with(Self.options, notesIn: place) { gateway in
                try await gateway.create((1...60).map(Self.draft))
                _ = try await gateway.done("POST", "/api/jobs/backfill", "{}", 202)
                try await waitUntil {
                    try await gateway.request("GET", "/api/admin/index").object["embedded_notes"] as? Int == 60
                }
                var found: [JSONValue] = []
                for question in Self.questions {
                    let reply = try await gateway.post("/api/notes/retrieve", question)
                    #expect(reply.status == 200, "\(reply.text)")
                    found.append(try Self.content(reply))
                }
                answers.append(found)
            }
        }
        for (question, (file, server)) in zip(Self.questions, zip(answers[0], answers[answers.count - 1])) {
            var comparison = AnswerComparison()
            let differences = comparison.differences(file, server)
            #expect(differences.isEmpty, "\(question): \(differences)")
        }
    }

    @Test func `a start uses the index file, and the server may search instead`() async throws {
        let folder = try TemporaryFolder()
        var settings = ["store": try await #require(await PostgresServer.shared()).migrated()]
        settings["index"] = folder.path("index")
        try await LiveGateway.with(Self.options, settings: settings) { gateway in
            for number in 1...5 { _ = try await create("n\(number)", "tide \(number)", at: gateway) }
            #expect(try await found(gateway, "tide").count == 5)
            #expect(try await gateway.application.retrieval.index.follower.writeFile())
            let status = try await gateway.request("GET", "/api/admin/index").object
            #expect((status["file"] as? String)?.hasPrefix(folder.path("index/server/")) == true, "\(status)")
            _ = try await create("n6", "tide 6", at: gateway)
        }
        try await LiveGateway.with(Self.options, settings: settings) { gateway in
            #expect(try await found(gateway, "tide").count == 6)
            let status = try await gateway.request("GET", "/api/admin/index").object
            // The file was opened: only the last note came from the log.
            #expect(status["notes_beyond_file"] as? Int == 1, "\(status)")
            let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide","explain":true}"#)
            #expect((reply.object["explanation"] as? [String: Any])?["searched_by"] == nil, "\(reply.text)")
        }
        settings["postgres_search"] = "server"
        try await LiveGateway.with(Self.options, settings: settings) { gateway in
            #expect(try await found(gateway, "tide").count == 6)
            let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide","explain":true}"#)
            #expect((reply.object["explanation"] as? [String: Any])?["searched_by"] as? String == "server")
        }
    }

    /// Positions of a server that started anew may have another meaning.
    @Test(.slow) func `after a restart of the server everything is found that was written meanwhile`() async throws {
        guard let server = await PostgresServer.start(["--set", "synchronous_commit=on"]) else { return }
        defer { server.stop() }
        let settings = ["store": server.uri]
        try await LiveGateway.with(Self.options, settings: settings) { first in
            try await LiveGateway.with(Self.options, settings: settings) { second in
                for number in 1...3 { _ = try await create("n\(number)", "tide \(number)", at: first) }
                #expect(try await found(second, "tide").count == 3)
                #expect(try await server.command("restart") == "ok")
                try await waitUntil {
                    try await first.post("/api/notes", #"{"title":"n4","content":"tide 4"}"#).status < 300
                }
                let gone = try #require(try await found(first, "tide 1").first)
                try await first.done("DELETE", "/api/notes/\(gone)")
                try await waitUntil {
                    let reply = try await second.post(
                        "/api/notes/retrieve", #"{"query":"tide","mode":"keyword"}"#)
                    return reply.status == 200 && reply.ids.count == 3 && !reply.ids.contains(gone)
                }
            }
        }
    }
}
