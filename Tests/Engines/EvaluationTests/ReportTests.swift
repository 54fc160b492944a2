import Foundation
import TestSupport
import Testing

@testable import Evaluation

struct ReportTests {
    private func sample(_ name: String = "cran") throws -> EvaluationReport {
        var collection = EvaluationCollection(
            name: name, documents: [.init(id: "a", text: "")],
            queries: (0..<20).map { .init(id: "q\($0)", text: "<script>alert('\($0)')</script>") },
            qrels: Qrels(grades: Dictionary(uniqueKeysWithValues: (0..<20).map { ("q\($0)", ["a": 1]) })))
        collection.warnings = ["a & b"]
        func measured(_ mode: String, every step: Int) -> EvaluationReport.Measured {
            let rankings = (0..<20).map { ("q\($0)", $0 % step == 0 ? ranking("a", "b") : ranking("b", "a")) }
            let run = RankedRun(name: mode, rankings: Dictionary(uniqueKeysWithValues: rankings))
            return .init(
                mode: mode, result: Evaluator.evaluate(run, qrels: collection.qrels),
                latency: LatencySummary([1, 2, 3]))
        }
        return try EvaluationReport(
            collection,
            measured: [measured("vector", every: 5), measured("keyword", every: 3), measured("hybrid", every: 2)])
    }

    @Test func `the JSON has the agreed shape`() throws {
        let report = EvaluationReport(
            collection: "c",
            modes: [.init(mode: "vector", metrics: [.ndcg(10): 0.5, .map: 0.25], latency: LatencySummary([2]))])
        let json = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        #expect(Set(json.keys) == ["collection", "modes"])
        let mode = try #require((json["modes"] as? [[String: Any]])?.first)
        #expect((mode["mode"] as? String) == "vector")
        #expect((mode["metrics"] as? [String: Double]) == ["ndcg@10": 0.5, "map": 0.25])
        #expect((mode["latency_ms"] as? [String: Double])?["p50"] == 2)
        #expect(Set(mode.keys) == ["mode", "metrics", "latency_ms"])
    }

    @Test(.slow) func `a report is the same after writing and reading, and keys are in snake case`() throws {
        let report = try sample()
        let json = try report.json()
        #expect(try EvaluationReport(json: json) == report)
        #expect(try json == sample().json())
        let text = String(decoding: json, as: UTF8.self)
        let keys = text.matches(of: /"([^"]+)" :/).map { String($0.1) }
        #expect(keys.contains("mean_difference") && keys.contains("per_query"))
        #expect(keys.allSatisfy { $0 == $0.lowercased() })
        #expect(message { _ = try EvaluationReport(json: Data("[]".utf8)) }.hasPrefix("not an evaluation report"))
    }

    @Test func `the subject is compared with its better leg first`() throws {
        let comparisons = try #require(try sample().comparisons)
        #expect(comparisons.map(\.against) == ["keyword", "vector"])
        #expect(comparisons.allSatisfy { $0.mode == "hybrid" && $0.metric == .ndcg(10) })
        #expect(comparisons[0].perQuery.wins == 6 && comparisons[0].perQuery.losses == 3)
        #expect(comparisons[0].perQuery.largestGains.count == 5)
    }

    @Test func `intervals hold their means`() throws {
        for mode in try sample().modes {
            for (metric, value) in mode.metrics {
                let interval = try #require(mode.intervals?[metric])
                #expect(interval.low <= value && value <= interval.high)
            }
        }
    }

    @Test func `the text table is aligned and marks the best`() {
        let report = EvaluationReport(
            collection: "c\u{1B}[2J", documents: 3,
            modes: [
                .init(mode: "vector", metrics: [.ndcg(10): 0.5, .map: 0.25], latency: LatencySummary([2])),
                .init(mode: "bm", metrics: [.ndcg(10): 0.75]),
            ])
        #expect(
            report.textTable() == """
                c [2J, 3 documents
                mode    ndcg@10      map   p50 ms  p95 ms
                vector   0.5000   0.2500*    2.00    2.00
                bm       0.7500*       -        -       -
                * best

                """)
    }

    @Test func `the page is whole and everything in it is escaped`() throws {
        let page = try sample("<b>\"x\" & 'y'\u{0}</b>").html()
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(!page.contains("<script") && !page.contains("<b>\"x\""))
        #expect(page.contains("&lt;script&gt;alert(&#39;2&#39;)&lt;/script&gt;"))
        #expect(page.contains("&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;"))
        #expect(page.contains("a &amp; b"))
        #expect(page.contains("prefers-color-scheme:dark"))
        #expect(!page.contains("\u{0}"))
        // The only address is the name of SVG's namespace, which nobody fetches.
        #expect(page.replacing("http://www.w3.org/2000/svg", with: "").contains("http") == false)
        #expect(page.contains("hybrid − keyword") && page.contains("Largest losses"))
        #expect(page.matches(of: /<svg/).count == 2)
    }

    @Test func `the chart closes its tags and has a bar for every figure`() throws {
        for report in [try sample("<&>"), EvaluationReport(collection: "empty", modes: [])] {
            let svg = report.svg()
            let names = svg.matches(of: /<(\/?)([a-z]+)/)
            #expect(names.count { $0.1.isEmpty } == names.count { !$0.1.isEmpty })
            let figures = report.modes.reduce(0) { $0 + $1.metrics.count }
            #expect(svg.matches(of: /% CI/).count == figures)
        }
    }

    @Test func `escaping leaves other letters alone`() {
        #expect(Markup.escaped("naïve 漢字 👩‍👩‍👧 a\tb\u{7}") == "naïve 漢字 👩‍👩‍👧 a b")
    }
}

struct GateTests {
    private let report = EvaluationReport(
        collection: "c",
        modes: [
            .init(mode: "vector", metrics: [.ndcg(10): 0.38]), .init(mode: "hybrid", metrics: [.ndcg(10): 0.41]),
            .init(mode: "v1.5", metrics: [.ndcg(10): 0.4, .map: 0.2]),
        ])

    @Test(arguments: [
        ("hybrid.ndcg@10>=0.40", "hybrid" as String?, Gate.Relation.atLeast, 0.4), ("ndcg@10 > .5", nil, .above, 0.5),
        (" v1.5 . ndcg@10 <= 1", "v1.5", Gate.Relation.atMost, 1), ("v.ndcg@10<1e-1", "v", .below, 0.1),
    ])
    func `a gate is read`(text: String, mode: String?, relation: Gate.Relation, threshold: Double) throws {
        let gate = try Gate(parsing: text)
        #expect(gate == Gate(mode: mode, metric: .ndcg(10), relation: relation, threshold: threshold))
        #expect(try Gate(parsing: gate.description) == gate)
    }

    @Test(arguments: [
        "", "ndcg@10", "ndcg@10=0.4", "ndcg@10==0.4", "ndcg@10>=", "ndcg@10>=high", "ndcg@10>=nan", ".ndcg@10>=0.4",
        "hybrid>=0.4", "hybrid.f1>=0.4", "ndcg@10=>0.4", "ndcg@10>=>0.4",
    ])
    func `what is no gate is refused`(text: String) {
        #expect(!message { _ = try Gate(parsing: text) }.isEmpty)
    }

    @Test(arguments: [
        ("hybrid.ndcg@10>=0.41", [] as [String?]), ("hybrid.ndcg@10>0.41", ["hybrid"]), ("v1.5.ndcg@10<=0.4", []),
        ("ndcg@10>=0.4", ["vector"]), ("ndcg@10<0.4", ["hybrid", "v1.5"]), ("map>0", ["vector", "hybrid"]),
        ("absent.map>0", [nil]),
    ])
    func `failures are listed`(text: String, modes: [String?]) throws {
        #expect(Gate.check([try Gate(parsing: text)], report).map(\.mode) == modes)
    }

    @Test func `a failure has its figures`() throws {
        let failure = try #require(try Gate(parsing: "vector.ndcg@10>=0.40").failures(in: report).first)
        #expect(failure.value == 0.38)
        #expect(failure.description == "vector.ndcg@10>=0.4: vector has ndcg@10 0.380000")
        let absent = try #require(try Gate(parsing: "absent.map>0").failures(in: report).first)
        #expect(absent.description == "absent.map>0.0: the report has no mode `absent`")
    }
}
