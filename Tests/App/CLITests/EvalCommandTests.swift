import FakeOllama
import FakeProviders
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// `selene eval` on a small collection of its own.
@Suite struct EvalCommand {
    typealias Home = SeleneHome

    /// A collection whose vectors say: query 1 is nearest to a, then to c; query 2 to b.
    func collection(in home: Home, vectors: Bool = true) throws -> String {
        let folder = home.url.appending(path: "tiny")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "qrels"), withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        try write(
            "corpus.jsonl",
            """
            {"_id": "a", "title": "", "text": "spring tides at full moon 潮"}
            {"_id": "b", "title": "Bread", "text": "a long rise"}
            {"_id": "c", "title": "", "text": "the moon pulls the sea"}
            {"_id": "d", "title": "", "text": "a cello and its bow"}
            """)
        try write(
            "queries.jsonl",
            """
            {"_id": "1", "text": "moon tides"}
            {"_id": "2", "text": "baking"}
            """)
        try write("qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tc\t1\n2\tb\t1\n")
        guard vectors else { return folder.path }
        try write("docs_ids.txt", "a\nb\nc\nd\n")
        try write("queries_ids.txt", "1\n2\n")
        try npy([[1, 0], [0, 1], [0.8, 0.2], [-1, 0]]).write(to: folder.appending(path: "toy_docs.npy"))
        try npy([[1, 0], [0, 1]]).write(to: folder.appending(path: "toy_queries.npy"))
        return folder.path
    }

    func npy(_ rows: [[Float]]) -> Data {
        var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(rows.count), \(rows[0].count)), }"
        header += String(repeating: " ", count: 117 - header.utf8.count) + "\n"
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, UInt8(header.utf8.count), 0]) + Data(header.utf8)
        for value in rows.joined() {
            withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    func report(_ outcome: SeleneHome.Outcome) throws -> [String: Any] {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    @Test func `ready vectors are measured in all three modes`() async throws {
        let home = try Home()
        let folder = try collection(in: home)
        let report = try report(try await home.run(["eval", folder, "--json"]))
        #expect(report["collection"] as? String == "tiny")
        let modes = try #require(report["modes"] as? [[String: Any]])
        #expect(modes.compactMap { $0["mode"] as? String } == ["vector", "keyword", "hybrid"])
        let metrics = modes.compactMap { $0["metrics"] as? [String: Double] }
        #expect(metrics.allSatisfy { $0["ndcg@10"] != nil && $0["recall@100"] != nil && $0["mrr@10"] != nil })
        #expect(metrics[0]["ndcg@10"] == 1)
        // No document holds "baking": by word, query 2 finds nothing.
        #expect(metrics[1]["mrr@10"] == 0.5)
        #expect(metrics[2]["ndcg@10"] == 1)
        #expect((modes[0]["latency_ms"] as? [String: Any])?["p50"] != nil)
    }

    @Test func `gates, reports, runs and comparisons`() async throws {
        let home = try Home()
        let folder = try collection(in: home)
        let page = home.url.appending(path: "r.html")
        let runs = home.url.appending(path: "runs")
        let outcome = try await home.run([
            "eval", folder, "--html", page.path, "--runs", runs.path, "--gate", "vector.ndcg@10>=0.99", "--gate",
            "keyword.mrr@10>=0.9", "--compare", "hybrid", "keyword",
        ])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("keyword.mrr@10"))
        #expect(!outcome.errors.contains("vector.ndcg@10"))
        #expect(outcome.output.contains("hybrid − keyword"))
        #expect(try String(contentsOf: page, encoding: .utf8).contains("<svg"))
        let run = runs.appending(path: "vector.run")
        let lines = try String(contentsOf: run, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("1 Q0 a 1 ") })
        let compared = try report(
            try await home.run(["eval", folder, "--mode", "keyword", "--compare", "keyword", run.path, "--json"]))
        #expect((compared["comparisons"] as? [[String: Any]])?.count == 1)
    }

    @Test func `a reranker is measured beside hybrid, and a note says when it gave no order`() async throws {
        let home = try Home()
        let folder = try collection(in: home)
        // The fake scores a text by the words of the query that it has: "moon tides" is a again, "baking" nothing.
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let settings = [
                "SELENE_PROVIDERS": #"{"p": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#,
                "SELENE_RERANK_MODEL": "p/small", "SELENE_RERANK_TIMEOUT": "20",
            ]
            let arguments = ["eval", folder, "--mode", "hybrid", "--rerank", "--json"]
            let first = try report(
                try await home.run(arguments + ["--compare", "hybrid rerank", "hybrid"], settings))
            let modes = try #require(first["modes"] as? [[String: Any]])
            #expect(modes.compactMap { $0["mode"] as? String } == ["hybrid", "hybrid rerank"])
            #expect((modes[1]["metrics"] as? [String: Double])?["ndcg@10"] == 1)
            #expect(first["notes"] == nil && first["comparisons"] != nil)
            #expect(provider.statistics.requests == ["/v1/rerank": 2])
            provider.setFaults(["status=500"])
            let second = try report(try await home.run(arguments, settings))
            let note = try #require((second["notes"] as? [String])?.first)
            #expect(
                note
                    == "hybrid rerank: 2 of 2 queries kept the order of the search: provider \"p\" answered 500: fault 500"
            )
        }
        let unset = try await home.run(["eval", folder, "--rerank"])
        #expect(unset.status == 65 && unset.errors.contains("set SELENE_RERANK_MODEL"))
    }

    @Test(.slow) func `a search says who reordered it, and the doctor whether the model answers`() async throws {
        let home = try Home()
        _ = try await home.run(["ingest", try home.writeNotes(5)])
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let settings = [
                "SELENE_PROVIDERS": #"{"p": {"kind": "openai", "url": "\#(provider.baseURL)/v1", "local": true}}"#,
                "SELENE_RERANK_MODEL": "p/small", "SELENE_RERANK_TIMEOUT": "20",
            ]
            let search = ["search", "text note 3", "--mode", "keyword", "--explain"]
            let found = try await home.run(search, settings)
            #expect(found.output.hasPrefix("1. note 3") && found.output.contains("before reranking #"))
            #expect(found.output.contains("reranked by p/small: 5 of 5 notes"), "\(found.output)\(found.errors)")
            #expect(!(try await home.run(search + ["--no-rerank"], settings)).output.contains("reranked"))
            let doctor = try await home.run(["doctor"], settings)
            #expect(doctor.output.contains("p/small scores two texts in"), "\(doctor.output)")
            provider.setFaults(["status=500"])
            #expect(try await home.run(search, settings).output.contains("not reranked: provider \"p\" answered 500"))
            let ill = try await home.run(["doctor"], settings)
            #expect(ill.output.contains("p/small gives no scores, so searches keep their order"))
        }
    }

    @Test func `tune chooses on one half and reports on the other`() async throws {
        let home = try Home()
        let folder = try collection(in: home)
        let few = try await home.run(["eval", "tune", folder])
        #expect(few.status == 65)
        #expect(few.errors.contains("too few"))
        // Forty queries, each a copy of one of the two.
        let queries = (0..<40).map { #"{"_id": "\#($0)", "text": "\#($0 % 2 == 0 ? "moon tides" : "bread")"}"# }
        try queries.joined(separator: "\n").write(
            toFile: folder + "/queries.jsonl", atomically: true, encoding: .utf8)
        let qrels = (0..<40).map { "\($0)\t\($0 % 2 == 0 ? "a" : "b")\t1" }
        try ("query-id\tcorpus-id\tscore\n" + qrels.joined(separator: "\n")).write(
            toFile: folder + "/qrels/test.tsv", atomically: true, encoding: .utf8)
        try (0..<40).map(String.init).joined(separator: "\n").write(
            toFile: folder + "/queries_ids.txt", atomically: true, encoding: .utf8)
        try npy((0..<40).map { $0 % 2 == 0 ? [1, 0] : [0, 1] }).write(to: URL(filePath: folder + "/toy_queries.npy"))
        let tuned = try report(try await home.run(["eval", "tune", folder, "--json"]))
        // All fusions find everything: the default stands.
        #expect(tuned["chosen"] as? String == "convex:0.5")
        #expect((tuned["tuning_queries"] as? Int ?? 0) + (tuned["reporting_queries"] as? Int ?? 0) == 40)
    }

    @Test(.slow) func `without vectors the collection is embedded, once`() async throws {
        let home = try Home()
        let folder = try collection(in: home, vectors: false)
        try await FakeOllama.withServer { fake in
            let environment = ["OLLAMA_HOST": fake.baseURL, "XDG_CACHE_HOME": home.url.path]
            let first = try report(try await home.run(["eval", folder, "--json"], environment))
            #expect(first["documents"] as? Int == 4)
            let calls = fake.statistics.requests["/api/embed", default: 0]
            #expect(calls > 0)
            _ = try report(try await home.run(["eval", folder, "--json"], environment))
            // A model's dimensions are asked for with one call; no text is embedded again.
            #expect(fake.statistics.requests["/api/embed", default: 0] - calls <= 2)
        }
    }

    @Test(arguments: [
        (["eval", "/nowhere"], "nowhere"), (["eval", ".", "--metric", "bogus@1"], "bogus"),
        (["eval", ".", "--gate", "??"], "??"),
    ])
    func `what cannot be measured is refused with the reason`(arguments: [String], word: String) async throws {
        let outcome = try await Home().run(arguments)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains(word))
        #expect(outcome.output.isEmpty)
    }

    @Test(.slow) func `a running gateway measures, keeps and compares reports`() async throws {
        let home = try Home()
        _ = try collection(in: home)
        try await ConnectedClient.with(settings: ["backfill": "off", "evaluations": home.url.path]) { setting in
            func run(_ words: String...) async throws -> ClientProcess.Outcome {
                try await ClientProcess.run(["eval"] + words, setting)
            }
            let listed = try await run("collections")
            #expect(listed.output.contains("tiny") && listed.output.contains("ready vectors"), "\(listed.errors)")
            let first = try await run("start", "tiny", "--name", "words", "--mode", "keyword")
            #expect(first.status == 0 && first.output.contains("done: evaluation 1"), "\(first.output)\(first.errors)")
            let second = try await run("start", "tiny", "--json")
            #expect(second.status == 0 && second.output.contains("hybrid"), "\(second.errors)")
            let runs = try await run("runs")
            #expect(runs.output.contains("words") && runs.output.split(separator: "\n").count == 2, "\(runs.errors)")
            let compared = try await run(
                "compare", "1", "2", "--before", "keyword", "--after", "hybrid", "--metric", "mrr@10")
            #expect(
                compared.status == 0 && compared.output.contains("better for 1"), "\(compared.output)\(compared.errors)"
            )
            #expect(try await run("show", "2", "--gate", "vector.ndcg@10>=0.99").status == 0)
            let missed = try await run("show", "1", "--gate", "keyword.mrr@10>=0.9")
            #expect(missed.status == 2 && missed.errors.contains("gate missed"), "\(missed.errors)")
            #expect(try await run("remove", "1").status == 0)
            #expect(try await run("show", "1").status == 1)
            let failed = try await run("start", "none")
            #expect(failed.status == 1 && failed.output.contains("has no collection"), "\(failed.output)")
        }
    }
}
