import EvaluationRoom
import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// `/api/jobs/evaluation` and `/api/admin/evaluations` of a running gateway.
@Suite(.serialized) struct EvaluationRoutes {
    /// A folder with a collection without vectors, and with what is none.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        func write(_ path: String, _ text: String) throws {
            let url = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try write(
            "sets/sea/corpus.jsonl",
            """
            {"_id": "a", "title": "", "text": "spring tides at full moon"}
            {"_id": "b", "title": "Bread", "text": "a long rise"}
            {"_id": "c", "title": "", "text": "the moon pulls the sea"}
            """)
        try write(
            "sets/sea/queries.jsonl", "{\"_id\": \"1\", \"text\": \"moon\"}\n{\"_id\": \"2\", \"text\": \"rise\"}\n")
        try write("sets/sea/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n")
        try write("sets/empty/readme.txt", "nothing")
        try write("sets/broken/corpus.jsonl", "{\"_id\": \"a\"}\n")
        try write("sets/.hidden/corpus.jsonl", "{}")
        try write("outside/corpus.jsonl", "{\"_id\": \"a\", \"text\": \"x\"}\n")
        return folder
    }

    private func with(
        _ options: FakeOllama.Options = .init(), in place: NotesPlace = .file,
        _ body: (LiveGateway, RemoteConsoleService) async throws -> Void
    ) async throws {
        let folder = try folder()
        let settings = ["evaluations": folder.url.appending(path: "sets").path]
        try await LiveGateway.with(options, notesIn: place, settings: settings) { gateway in
            try await body(
                gateway, RemoteConsoleService(try GatewayConnection(gateway.base, tokens: StaticTokenStore(nil))))
        }
    }

    /// Runs an evaluation to its end.
    private func run(_ gateway: LiveGateway, _ body: String) async throws -> [String: Any] {
        let begun = try await gateway.post("/api/jobs/evaluation", body)
        #expect(begun.status == 202 && begun.object["kind"] as? String == "evaluation", "\(begun.text)")
        let id = try #require(begun.object["id"] as? Int)
        var job: [String: Any] = [:]
        try await waitUntil {
            job = try await gateway.request("GET", "/api/jobs/\(id)").object
            return job["state"] as? String != "running"
        }
        return job
    }

    @Test(.slow) func `collections are the folders with documents in the folder of the setting`() async throws {
        try await with { _, console in
            let found = try await console.evaluationCollections()
            #expect(found.isSet && found.collections.map(\.name) == ["broken", "sea"])
            #expect(found.collections.allSatisfy { !$0.hasVectors && $0.bytes > 0 })
        }
        try await LiveGateway.with { gateway in
            let found = try await gateway.request("GET", "/api/admin/evaluations/collections")
            #expect(found.object["is_set"] as? Bool == false, "\(found.text)")
            let job = try await run(gateway, #"{"collection":"sea"}"#)
            #expect((job["message"] as? String)?.contains("SELENE_EVALUATIONS") == true, "\(job)")
        }
    }

    @Test(.slow, arguments: ["../outside", "/etc", "empty", ".hidden", "none", "sea/qrels", "."])
    func `only a name of the list is measured`(name: String) async throws {
        try await with { gateway, console in
            let job = try await run(gateway, "{\"collection\":\"\(name)\"}")
            #expect(job["state"] as? String == "failed", "\(job)")
            #expect((job["message"] as? String)?.contains("has no collection") == true, "\(job)")
            #expect(try await console.evaluations().evaluations.isEmpty)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `reports are made, listed, compared, held against gates and deleted`(_ place: NotesPlace) async throws {
        try await with(in: place) { gateway, console in
            let first = try await run(gateway, #"{"collection":"sea","name":"words","modes":["keyword"]}"#)
            #expect(first["state"] as? String == "done", "\(first)")
            #expect(gateway.fake.statistics.requests["/api/embed", default: 0] == 0)
            let second = try await run(gateway, #"{"collection":"sea","name":"all","depth":10}"#)
            #expect(second["state"] as? String == "done", "\(second)")
            #expect(gateway.fake.statistics.requests["/api/embed", default: 0] > 0)
            let page = try await console.evaluations(PageRequest(limit: 1))
            #expect(page.evaluations.map(\.name) == ["all"] && page.nextCursor != nil)
            let rest = try await console.evaluations(PageRequest(limit: 9, cursor: page.nextCursor))
            #expect(rest.evaluations.map(\.name) == ["words"] && rest.nextCursor == nil)
            let (all, words) = (page.evaluations[0], rest.evaluations[0])
            #expect(all.report == nil && all.collection == "sea")
            let shown = try await console.evaluation(all.id)
            guard case .object(let report)? = shown.report, case .array(let modes)? = report["modes"] else {
                Issue.record("no report")
                return
            }
            #expect(modes.count == 3 && report["collection"] == .string("sea"))
            guard case .object(let means) = words.means, case .object(let figures)? = means["keyword"] else {
                Issue.record("no means")
                return
            }
            #expect(figures["mrr@10"] != nil)

            let same = try await console.compareEvaluations(words.id, all.id, before: "keyword", after: "keyword")
            #expect(same.difference == 0 && same.ties == 2 && same.queries == 2 && same.metric == "ndcg@10")
            #expect(same.before.name == "words" && same.after.name == "all" && same.differences == [0, 0])
            let missing = try await gateway.request(
                "GET", "/api/admin/evaluations/\(words.id)/compare/\(all.id)?before=vector")
            #expect(missing.status == 409 && missing.code == "not_comparable", "\(missing.text)")
            for (path, status) in [
                ("1/compare/99", 404), ("1/compare/x", 400), ("1/compare/2?metric=odd", 400), ("99", 404), ("x", 400),
            ] {
                let reply = try await gateway.request("GET", "/api/admin/evaluations/\(path)")
                #expect(reply.status == status, "\(path): \(reply.text)")
            }
            let passed = try await console.checkEvaluation(all.id, gates: ["keyword.ndcg@10>=0.1"])
            #expect(passed.passed && passed.failures.isEmpty)
            let failed = try await console.checkEvaluation(words.id, gates: ["map>1.5", "vector.map>=0"])
            #expect(!failed.passed && failed.failures.count == 2, "\(failed)")
            for body in [#"{"gates":[]}"#, #"{"gates":["odd"]}"#, "{}"] {
                let reply = try await gateway.post("/api/admin/evaluations/\(all.id)/gates", body)
                #expect(reply.status == 400, "\(body): \(reply.text)")
            }
            try await console.deleteEvaluation(words.id)
            #expect(try await gateway.request("DELETE", "/api/admin/evaluations/\(words.id)").status == 404)
            #expect(try await console.evaluations().evaluations.map(\.id) == [all.id])
        }
    }

    @Test(.slow, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
    func `the reports of a gateway's file come to PostgreSQL, and all gateways on it see them`() async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = ["store": try await server.migrated()]
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        for (number, folder) in folders.enumerated() {
            let file = try GatewayDatabase(path: folder.path("n.sqlite"))
            _ = try await file.evaluations.add(
                collection: "sea", name: "old \(number)", means: .object([:]), report: Array("{}".utf8), figures: [])
            try file.close()
        }
        func names(_ gateway: LiveGateway) async throws -> Set<String> {
            let reply = try await gateway.done("GET", "/api/admin/evaluations")
            return Set(reply.objects("evaluations").compactMap { $0["name"] as? String })
        }
        let first = try await LiveGateway.start(folder: folders[0].url, .init(), settings: settings)
        do {
            try await waitUntil { try await names(first) == ["old 0"] }
            let second = try await LiveGateway.start(folder: folders[1].url, .init(), settings: settings)
            do {
                try await waitUntil { try await names(first) == ["old 0", "old 1"] }
                #expect(try await names(second) == ["old 0", "old 1"])
                for id in try await second.done("GET", "/api/admin/evaluations").ids("evaluations") {
                    try await second.done("DELETE", "/api/admin/evaluations/\(id)")
                }
                #expect(try await names(first).isEmpty)
            } catch {
                await second.stop()
                throw error
            }
            await second.stop()
        } catch {
            await first.stop()
            throw error
        }
        await first.stop()
    }

    @Test func `wrong requests are refused, wrong collections and measures fail with their reason`() async throws {
        try await with { gateway, _ in
            for body in [
                "{}", #"{"collection":""}"#, #"{"collection":"sea","modes":["odd"]}"#,
                #"{"collection":"sea","scorer":"odd"}"#, #"{"collection":"sea","depth":0}"#,
                #"{"collection":"sea","metrics":[]}"#,
            ] {
                let reply = try await gateway.post("/api/jobs/evaluation", body)
                #expect(reply.status == 400, "\(body): \(reply.text)")
            }
            for (body, reason) in [
                (#"{"collection":"broken","modes":["keyword"]}"#, "neither `text` nor `content`"),
                (#"{"collection":"sea","metrics":["odd"]}"#, "is not a metric"),
                (#"{"collection":"sea","fusion":"odd"}"#, "is not a fusion"),
            ] {
                let job = try await run(gateway, body)
                #expect(job["state"] as? String == "failed", "\(job)")
                #expect((job["message"] as? String)?.contains(reason) == true, "\(job)")
            }
        }
    }

    @Test func `an evaluation that waits for the model is cancelled`() async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await with(options) { gateway, console in
            let job = try await console.startEvaluation(EvaluationJobRequest(collection: "sea"))
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            let again = try await gateway.post("/api/jobs/evaluation", #"{"collection":"sea"}"#)
            #expect(again.status == 200 && again.object["id"] as? Int == Int(job.id), "\(again.text)")
            #expect(try await gateway.request("DELETE", "/api/jobs/\(job.id)").status == 200)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            #expect(try await console.evaluations().evaluations.isEmpty)
        }
    }
}
