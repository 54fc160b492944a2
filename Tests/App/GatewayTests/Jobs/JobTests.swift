import AssociationRoom
import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing
import Transport

/// Jobs over HTTP: begun, watched, cancelled, interrupted and resumed.
@Suite(.serialized) struct Jobs {
    private func job(_ reply: LiveGateway.Reply) throws -> Job {
        try JSONDecoder().decode(Job.self, from: reply.data)
    }

    private func wait(_ gateway: LiveGateway, _ id: Int64, _ condition: (Job) -> Bool) async throws -> Job {
        var now = try job(try await gateway.request("GET", "/api/jobs/\(id)"))
        try await waitUntil {
            now = try job(try await gateway.request("GET", "/api/jobs/\(id)"))
            return condition(now)
        }
        return now
    }

    private func fill(_ gateway: LiveGateway, _ count: Int) async throws {
        try await gateway.create(
            (0..<count).map { NoteDraft(title: "note \($0 % 7)", content: "tide \($0)", externalID: "\($0)") })
    }

    @Test(.slow) func `a backfill is begun once, and its events tell of it until it is done`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.1
        try await LiveGateway.with(options) { gateway in
            try await fill(gateway, 200)
            let begun = try await gateway.request("POST", "/api/jobs/backfill")
            #expect(begun.status == 202)
            let first = try job(begun)
            #expect(first.state == .running && first.kind == .backfill)
            #expect(begun.head["Location"] == "/api/jobs/\(first.id)")
            let again = try await gateway.post("/api/jobs/backfill", "{}")
            #expect(again.status == 200)
            #expect(try job(again).id == first.id)

            let events = try await gateway.request("GET", "/api/jobs/\(first.id)/events")
            #expect(events.head["Content-Type"] == "text/event-stream")
            let told = try events.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
                try JSONDecoder().decode(Job.self, from: Data($0.dropFirst(6).utf8))
            }
            #expect(told.first?.state == .running)
            let last = try #require(told.last)
            #expect(last.state == .done && last.done == 200 && last.total == 200, "\(last)")
            #expect(last.message == "200 notes embedded with nomic-embed-text")
            #expect(told.map(\.revision) == Array(Set(told.map(\.revision))).sorted())
            let seen = try await gateway.request(
                "GET", "/api/jobs/\(first.id)/events", headers: [("Last-Event-ID", "\(last.revision)")])
            #expect(seen.text.isEmpty)
            let list = try JSONDecoder().decode(
                JobList.self, from: try await gateway.request("GET", "/api/jobs?limit=5").data)
            #expect(list.jobs.map(\.id) == [first.id])
        }
    }

    @Test(.slow) func `a job that is cancelled stops, keeps what it did, and can be resumed`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.15
        try await LiveGateway.with(options) { gateway in
            try await fill(gateway, 300)
            let begun = try job(try await gateway.post("/api/jobs/backfill", #"{"model":"all-minilm"}"#))
            _ = try await wait(gateway, begun.id) { $0.done >= 32 }
            let cancelled = try job(try await gateway.request("DELETE", "/api/jobs/\(begun.id)"))
            #expect(cancelled.state == .cancelled)
            #expect(try job(try await gateway.request("DELETE", "/api/jobs/\(begun.id)")) == cancelled)
            let resumed = try await gateway.request("POST", "/api/jobs/\(begun.id)/resume")
            #expect(resumed.status == 202, "\(resumed.text)")
            let done = try await wait(gateway, begun.id) { $0.state.isFinal }
            #expect(done.state == .done && done.done == 300, "\(done)")
            let twice = try await gateway.request("POST", "/api/jobs/\(begun.id)/resume")
            #expect(twice.status == 409 && twice.code == "conflict")
        }
    }

    @Test(.slow, .ofFile)
    func `a job of a process that died is interrupted, and another server goes on with it`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.1
        let home = try SeleneHome()
        let gateway = try await LiveGateway.start(folder: home.url, options, settings: [:])
        do {
            try await fill(gateway, 200)
            var id: Int64 = 0
            let environment = try await gateway.commandEnvironment().merging(["SELENE_BACKFILL": "off"]) { $1 }
            try await ServeProcess.with(environment, home: home) { server in
                id = try job(try await server.request("POST", "/api/jobs/backfill")).id
                _ = try await wait(gateway, id) { $0.done >= 32 }
                try await server.end(SIGKILL)
            }
            let dead = try job(try await gateway.request("GET", "/api/jobs/\(id)"))
            #expect(dead.state == .interrupted, "\(dead)")
            #expect(try await gateway.request("POST", "/api/jobs/\(id)/resume").status == 202)
            let done = try await wait(gateway, id) { $0.state.isFinal }
            #expect(done.state == .done && done.done == 200, "\(done)")
            let sent = gateway.fake.statistics.embedBatches.reduce(0, +)
            // The probe, each note once, and what the process had not stored when it died: while a batch of 32 is stored, the
            // next one is at the model.
            #expect((201...265).contains(sent), "\(sent)")
        } catch {
            await gateway.stop()
            throw error
        }
        await gateway.stop()
    }

    @Test(arguments: NotesPlace.allCases)
    func `near pairs are found and written, each once`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let early = try await gateway.request("POST", "/api/briefing/associations/compute")
            let failed = try await wait(gateway, try job(early).id) { $0.state.isFinal }
            #expect(failed.state == .failed && failed.message?.contains("selene backfill") == true)
            try await fill(gateway, 60)
            try await gateway.backfill()
            let begun = try await gateway.post(
                "/api/briefing/associations/compute", #"{"minSimilarity":0.3,"limit":4}"#)
            #expect(begun.status == 202, "\(begun.text)")
            let done = try await wait(gateway, try job(begun).id) { $0.state.isFinal }
            #expect(done.state == .done && done.done == 60, "\(done)")
            let pairs = try await gateway.store.associations.page(minSimilarity: 0, since: nil, limit: 1000).items
            #expect(done.message == "\(pairs.count) pairs")
            #expect(pairs.count >= 60 && pairs.allSatisfy { $0.noteAId < $0.noteBId && $0.similarity >= 0.3 })
            #expect(Set(pairs.map { [$0.noteAId, $0.noteBId] }).count == pairs.count)
            // Anew, with fewer: the old ones go.
            let anew = try await gateway.post("/api/briefing/associations/compute", #"{"minSimilarity":1}"#)
            _ = try await wait(gateway, try job(anew).id) { $0.state.isFinal }
            let left = try await gateway.store.associations.page(minSimilarity: 0, since: nil, limit: 1000).items
            #expect(left.count < pairs.count)
        }
    }

    @Test func `what makes no sense is refused, and a key needs its scope`() async throws {
        try await LiveGateway.with { gateway in
            for (path, body) in [
                ("/api/jobs/backfill", #"{"limit":0}"#), ("/api/jobs/backfill", #"{"at":101}"#),
                ("/api/jobs/backfill", #"{"since":"soon"}"#), ("/api/jobs/backfill", #"{"model":""}"#),
                ("/api/jobs/backfill", #"{"model":"a\u0000b"}"#),
                ("/api/jobs/evaluation", #"{"collection":"c","metrics":["a\u0000b"]}"#),
                ("/api/jobs/backfill", "[]"), ("/api/briefing/associations/compute", #"{"limit":101}"#),
                ("/api/briefing/associations/compute", #"{"minSimilarity":-1}"#),
            ] {
                #expect(try await gateway.post(path, body).status == 400, "\(path) \(body)")
            }
            #expect(try await gateway.request("GET", "/api/jobs/77").code == "not_found")
            #expect(try await gateway.request("GET", "/api/jobs/x").code == "invalid_field")
            #expect(try await gateway.request("GET", "/api/jobs/77/events").status == 404)
            #expect(try await gateway.request("GET", "/api/jobs?limit=0").status == 400)
            #expect(try await gateway.request("PUT", "/api/jobs/1").head["Allow"] == "GET, HEAD, DELETE")
            let key = try await gateway.store.keys.create(name: "reader", grant: KeyGrant(scopes: [.notesRead]))
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/jobs/backfill", "{}", token: key.secret).code == "missing_scope")
        }
    }
}
