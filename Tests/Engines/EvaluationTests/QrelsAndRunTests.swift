import Foundation
import TestSupport
import Testing

@testable import Evaluation

struct QrelsAndRunTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `judgements are read in the form of BEIR, with header, BOM, CRLF and blank lines`() throws {
        let file = try folder.write(
            "test.tsv", "\u{FEFF}query-id\tcorpus-id\tscore\r\n\r\n1\tdoc é\t2\r\n1\tb\t0\r\nq 2\tb\t1.0\r\n")
        #expect(try Qrels(contentsOf: file).grades == ["1": ["doc é": 2, "b": 0], "q 2": ["b": 1]])
    }

    @Test func `judgements are read in the form of BEIR without a header`() throws {
        let file = try folder.write("test.tsv", "1\ta\t2\n")
        #expect(try Qrels(contentsOf: file).grades == ["1": ["a": 2]])
    }

    @Test func `judgements are read in the form of TREC, between spaces or tabs`() throws {
        let file = try folder.write("qrels.txt", "301 0 FBIS3-1 1\n301\t0\tFBIS3-2\t-1\n")
        #expect(try Qrels(contentsOf: file).grades == ["301": ["FBIS3-1": 1, "FBIS3-2": -1]])
    }

    @Test(arguments: [
        ("1 0 a 1\n\n1 0 b\n", ":3: expected 4 fields, found 3"),
        ("query-id\tcorpus-id\tscore\n1\ta\tgood\n", ":2: the grade `good` is not a whole number"),
        ("1\ta\t0.5\n", ":1: the grade `0.5` is not a whole number"),
        ("1 0 a 1\n1 0 a 1\n1 0 a 2\n", ":3: document a has grade 2 for query 1, and had 1 before"),
        ("1\t\t1\n", ":1: an id is empty"),
        ("one word\n", ":1: expected `query-id TAB corpus-id TAB score`"),
        ("query-id\tcorpus-id\tscore\n", "there are no judgements"),
        ("", "there are no judgements"),
    ])
    func `a bad line of judgements is named`(text: String, complaint: String) throws {
        let file = try folder.write("qrels", text)
        let message = message { _ = try Qrels(contentsOf: file) }
        #expect(message.hasPrefix(file.path) && message.contains(complaint), "\(message)")
    }

    @Test func `a file that is absent or not UTF-8 is named`() throws {
        let absent = folder.url.appending(path: "absent")
        #expect(message { _ = try Qrels(contentsOf: absent) } == "\(absent.path): there is no such file")
        let binary = try folder.write("binary", Data("1 0 a 1\n1 0 ".utf8 + [0xFF, 0xFE, 0x0A]))
        #expect(message { _ = try Qrels(contentsOf: binary) } == "\(binary.path):2: not UTF-8")
    }

    @Test func `a run is the same after writing and reading`() throws {
        let run = RankedRun(
            name: "hybrid",
            rankings: [
                "1": [ScoredDocument(id: "b", score: 1.0 / 3), ScoredDocument(id: "é", score: 1e-300)],
                "10": [ScoredDocument(id: "a", score: -7)],
            ])
        let file = try folder.write("run", run.trecText())
        #expect(try RankedRun(contentsOf: file) == run)
        #expect(run.trecText().hasPrefix("1 Q0 b 1 0.3333333333333333 hybrid\n1 Q0 é 2 1e-300 hybrid\n10 Q0 a 1"))
    }

    @Test func `white space in ids does not break a line of a run`() {
        let run = RankedRun(name: "my run", rankings: ["q 1": [ScoredDocument(id: "a\tb", score: 1)]])
        #expect(run.trecText() == "q%201 Q0 a%09b 1 1.0 my%20run\n")
    }

    @Test(arguments: [
        ("1 Q0 a 1 0.5\n", ":1: expected `qid Q0 docid rank score tag`, found 5 fields"),
        ("1 Q0 a 1 0.5 t\r\n1 Q0 b 2 high t\r\n", ":2: the score `high` is not a number"),
        ("1 Q0 a 1 nan t\n", ":1: the score `nan` is not a number"),
        ("1 Q0 a 1 0.5 t\n2 Q0 a 1 0.5 t\n1 Q0 a 2 0.4 t\n", ":3: document a appears twice for query 1"),
    ])
    func `a bad line of a run is named`(text: String, complaint: String) throws {
        let file = try folder.write("run", text)
        #expect(message { _ = try RankedRun(contentsOf: file) } == file.path + complaint)
    }

    @Test func `equal scores are ordered by document id, descending, by bytes`() {
        let documents = [("a", 1.0), ("é", 1.0), ("z", 1.0), ("b", 2.0), ("10", 1.0), ("9", 1.0)]
            .map { ScoredDocument(id: $0.0, score: $0.1) }
        let sorted = RankedRun(name: "", rankings: ["1": documents]).sortedLikeTREC()
        #expect(sorted.rankings["1"]?.map(\.id) == ["b", "é", "z", "a", "9", "10"])
    }

    @Test func `scores that single precision cannot tell apart are equal`() {
        let documents = [ScoredDocument(id: "a", score: 0.5 + 1e-9), ScoredDocument(id: "b", score: 0.5)]
        let sorted = RankedRun(name: "", rankings: ["1": documents]).sortedLikeTREC()
        #expect(sorted.rankings["1"]?.map(\.id) == ["b", "a"])
    }
}
