import Foundation
import Testing

@testable import Evaluation

struct MetricTests {
    private func value(_ metric: Metric, _ documents: [ScoredDocument], _ grades: [String: Int]) throws -> Double {
        let result = Evaluator.evaluate(
            RankedRun(name: "", rankings: ["q": documents]), qrels: Qrels(grades: ["q": grades]), metrics: [metric])
        return try #require(result.perQuery["q"]?[metric])
    }

    @Test func `values are those computed by hand`() throws {
        // Grades along the ranking: 0, 2, 0, 1; a document of grade 3 is not found, one of grade 0 is judged.
        let documents = ranking("a", "b", "c", "d")
        let grades = ["a": 0, "b": 2, "d": 1, "x": 3]
        let gain = 2 / log2(3.0) + 1 / log2(5.0)
        let ideal = 3 + 2 / log2(3.0) + 1 / log2(4.0)
        #expect(abs(try value(.ndcg(10), documents, grades) - gain / ideal) < 1e-12)
        #expect(abs(try value(.ndcg(2), documents, grades) - (2 / log2(3.0)) / (3 + 2 / log2(3.0))) < 1e-12)
        #expect(abs(try value(.map, documents, grades) - (1.0 / 2 + 2.0 / 4) / 3) < 1e-12)
        #expect(try value(.mrr(nil), documents, grades) == 0.5)
        #expect(try value(.mrr(1), documents, grades) == 0)
        #expect(abs(try value(.recall(100), documents, grades) - 2.0 / 3) < 1e-12)
        #expect(abs(try value(.recall(3), documents, grades) - 1.0 / 3) < 1e-12)
        #expect(try value(.precision(10), documents, grades) == 0.2)
        #expect(try value(.precision(2), documents, grades) == 0.5)
    }

    @Test func `a negative grade is not relevant and costs nothing`() throws {
        #expect(try value(.ndcg(10), ranking("a", "b"), ["a": -2, "b": 1]) == 1 / log2(3))
        #expect(try value(.precision(10), ranking("a", "b"), ["a": -2, "b": 1]) == 0.1)
    }

    @Test(arguments: [Metric.ndcg(0), .precision(0), .recall(-1), .mrr(-1)])
    func `a cut below 1 leaves nothing`(metric: Metric) throws {
        #expect(try value(metric, ranking("a"), ["a": 1]) == 0)
    }

    @Test func `a document that stands twice counts once, at its better place`() throws {
        let documents = ranking("b", "a", "a")
        #expect(try value(.recall(10), documents, ["a": 1]) == 1)
        #expect(try value(.mrr(nil), documents, ["a": 1]) == 0.5)
    }

    @Test func `every judged query counts, and no other`() {
        let qrels = Qrels(grades: ["found": ["a": 1], "absent": ["a": 1], "hopeless": ["a": 0], "bad": ["b": 1]])
        let run = RankedRun(
            name: "run",
            rankings: ["found": ranking("a"), "hopeless": ranking("a"), "bad": [], "unjudged": ranking("a")])
        let result = Evaluator.evaluate(run, qrels: qrels)
        #expect(result.perQuery.count == 4)
        #expect(result.perQuery["unjudged"] == nil)
        #expect(result.values(of: .map) == ["found": 1, "absent": 0, "hopeless": 0, "bad": 0])
        #expect(result.means[.map] == 0.25)
        #expect(Set(result.means.keys) == Set(Metric.defaults))
    }

    @Test func `no judgements give no means`() {
        #expect(Evaluator.evaluate(RankedRun(name: "", rankings: [:]), qrels: Qrels(grades: [:])).means.isEmpty)
    }

    @Test(arguments: ["ndcg@10", "map", "mrr", "mrr@10", "recall@100", "p@5"])
    func `a metric is printed as it is read`(name: String) throws {
        #expect(try Metric(parsing: name).description == name)
        #expect(try Metric(parsing: name.uppercased()).description == name)
        let json = try JSONEncoder().encode([try Metric(parsing: name): 0.5])
        #expect(String(data: json, encoding: .utf8) == "{\"\(name)\":0.5}")
        #expect(try JSONDecoder().decode([Metric: Double].self, from: json) == [try Metric(parsing: name): 0.5])
    }

    @Test(arguments: [
        "", "ndcg", "ndcg@", "ndcg@0", "ndcg@-1", "ndcg@+1", "ndcg@1@2", "map@10", "recall", "p", "f1@3", "@10",
    ])
    func `what is no metric is refused`(name: String) {
        #expect(Metric(name) == nil)
        #expect(message { _ = try Metric(parsing: name) }.contains("`\(name)` is not a metric"))
    }

    @Test func `reports list the defaults first`() {
        let metrics: [Metric] = [.precision(10), .ndcg(5), .map, .mrr(nil), .recall(100), .ndcg(10), .mrr(10)]
        #expect(
            metrics.sorted().map(\.description)
                == ["ndcg@10", "recall@100", "mrr@10", "map", "p@10", "ndcg@5", "mrr"])
    }
}
