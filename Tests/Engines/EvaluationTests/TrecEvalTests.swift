import Foundation
import TestSupport
import Testing

@testable import Evaluation

/// The values of `trec_eval`, from a file that is always there, and live where a Python with pytrec_eval is.
struct TrecEvalTests {
    static let python: String? = {
        guard let python = ProcessInfo.processInfo.environment["SELENE_PYTHON"],
            (try? output(of: python, ["-c", "import pytrec_eval"])) != nil
        else { return nil }
        return python
    }()

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw EvaluationError("\(program) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Compares with lines of `query TAB metric TAB value`; the means too.
    private func compare(_ run: RankedRun, _ qrels: Qrels, with expected: String) throws {
        let rows = expected.split(separator: "\n").map { $0.split(separator: "\t") }
        let metrics = Set(try rows.map { try Metric(parsing: String($0[1])) })
        let result = Evaluator.evaluate(run, qrels: qrels, metrics: Array(metrics))
        #expect(metrics.isSuperset(of: Metric.defaults))
        #expect(rows.count == result.perQuery.count * metrics.count)
        var sums: [Metric: Double] = [:]
        for row in rows {
            let metric = try Metric(parsing: String(row[1]))
            let theirs = try #require(Double(row[2]))
            let ours = try #require(result.perQuery[String(row[0])]?[metric])
            #expect(abs(ours - theirs) < 1e-4, "\(row[0]) \(metric): \(ours), trec_eval \(theirs)")
            sums[metric, default: 0] += theirs
        }
        for (metric, mean) in result.means {
            #expect(abs(mean - (sums[metric] ?? 0) / Double(result.perQuery.count)) < 1e-4)
        }
    }

    @Test func `values are those of trec_eval on a stored run`() throws {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Fixtures")
        try compare(
            try RankedRun(contentsOf: folder.appending(path: "random.run")),
            try Qrels(contentsOf: folder.appending(path: "random.qrels")),
            with: try String(contentsOf: folder.appending(path: "random.tsv"), encoding: .utf8))
    }

    @Test(
        .enabled(if: python != nil, "SELENE_PYTHON names no Python with pytrec_eval: only the stored run is compared"),
        arguments: [1, 2, 3] as [UInt64])
    func `values are those of trec_eval on random runs`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var run = RankedRun(name: "random", rankings: [:])
        var judgements = ""
        for query in 0..<50 {
            let pool = (0..<200).map { "d\($0)é" }
            for document in pool.shuffled(using: &random).prefix(30) {
                judgements += "\(query) 0 \(document) \(Int.random(in: -1...3, using: &random))\n"
            }
            run.rankings["\(query)"] = pool.shuffled(using: &random).prefix(150).map {
                ScoredDocument(id: $0, score: Double(Int.random(in: 0...60, using: &random)) / 7)
            }
        }
        let folder = try TemporaryFolder()
        let qrelsFile = try folder.write("qrels", judgements)
        let runFile = try folder.write("run", run.sortedLikeTREC().trecText())
        let script = Repository.root.appending(path: "Tests/Scripts/trec_eval_reference.py")
        let expected = try Self.output(
            of: try #require(Self.python), [script.path, "values", qrelsFile.path, runFile.path])
        try compare(run, try Qrels(contentsOf: qrelsFile), with: expected)
    }
}
