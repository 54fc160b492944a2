import Foundation
import TestSupport
import Testing

@testable import Evaluation

struct CollectionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What every collection needs, for tests of one of its files.
    private func writeRest(documents: Bool = true, queries: Bool = true, qrels: Bool = true) throws {
        if documents { try folder.write("corpus.jsonl", #"{"_id":"d1","title":"T","text":"x"}"#) }
        if queries { try folder.write("queries.jsonl", #"{"_id":"q1","text":"what"}"#) }
        if qrels { try folder.write("qrels/test.tsv", "q1\td1\t1\n") }
    }

    @Test func `the layout of BEIR is read`() throws {
        try folder.write(
            "corpus.jsonl",
            "\u{FEFF}" + #"{"_id": "d1", "title": "Tïtle", "text": "a\u2028b", "metadata": {}}"# + "\r\n\r\n"
                + "{\"_id\": 2, \"title\": null, \"text\": \"raw \u{2028} line\"}\r\n")
        try folder.write("queries.jsonl", #"{"_id": "q1", "text": "was?"}"# + "\n" + #"{"_id": 2, "text": "x"}"#)
        try folder.write("qrels/test.tsv", "query-id\tcorpus-id\tscore\n2\td1\t1\n")
        try folder.write("qrels/train.tsv", "no judgements")
        let collection = try EvaluationCollection.load(folder.url)
        #expect(
            collection.documents == [
                .init(id: "d1", title: "Tïtle", text: "a\u{2028}b"), .init(id: "2", text: "raw \u{2028} line"),
            ])
        #expect(collection.queries == [.init(id: "q1", text: "was?"), .init(id: "2", text: "x")])
        #expect(collection.judgedQueries.map(\.id) == ["2"])
        #expect(collection.name == folder.url.lastPathComponent)
        #expect(collection.warnings.isEmpty)
    }

    @Test func `plain JSONL with content instead of text is read`() throws {
        try writeRest(documents: false, qrels: false)
        try folder.write("documents.jsonl", #"{"id": 18446744073709551615, "content": "x"}"#)
        try folder.write("qrels/dev.tsv", "q1\t18446744073709551615\t1\n")
        let collection = try EvaluationCollection.load(folder.url)
        #expect(collection.documents == [.init(id: "18446744073709551615", text: "x")])
        #expect(collection.warnings.isEmpty)
    }

    @Test func `topics of TREC are read`() throws {
        try writeRest(queries: false, qrels: false)
        try folder.write(
            "topics.301-302.txt",
            """
            <top>

            <num> Number: 301
            <title> International
            Organized &amp; Crime

            <desc> Description:
            Identify <i>organizations</i>.
            </top>

            <top><num>302</num><title>Topic: a < b</title></top>

            """)
        try folder.write("qrels.trec", "301 0 d1 1\n")
        let collection = try EvaluationCollection.load(folder.url)
        #expect(
            collection.queries == [
                .init(id: "301", text: "International Organized & Crime"), .init(id: "302", text: "a < b"),
            ])
    }

    @Test func `topics as lines with tabs are read`() throws {
        try writeRest(queries: false)
        try folder.write("topics.tsv", "q1\twhat\tis this\r\nq2\tthat\r\n")
        #expect(
            try EvaluationCollection.load(folder.url).queries == [
                .init(id: "q1", text: "what\tis this"), .init(id: "q2", text: "that"),
            ])
    }

    @Test func `oddities are passed over with a warning`() throws {
        try writeRest(documents: false, qrels: false)
        try folder.write(
            "corpus.jsonl",
            #"{"_id":"a","text":"first"}"# + "\n" + #"{"_id":"b","text":""}"# + "\n"
                + #"{"_id":"a","text":"last"}"#)
        try folder.write("qrels.tsv", "q1\ta\t1\nq1\tgone\t1\nq9\ta\t1\n")
        let collection = try EvaluationCollection.load(folder.url)
        #expect(collection.documents.map(\.text) == ["last", ""])
        #expect(
            collection.warnings == [
                "1 document ids appear twice (a): the last one counts",
                "1 judged queries have no text (q9): they are left out",
                "1 judged documents are missing (gone)",
            ])
    }

    @Test(arguments: [
        ("corpus.jsonl", #"{"_id":"d1","text":"x"}"# + "\n{oops", "corpus.jsonl:2: not JSON"),
        ("corpus.jsonl", #"["d1"]"#, "corpus.jsonl:1: not a JSON object"),
        ("corpus.jsonl", #"{"text":"x"}"#, "corpus.jsonl:1: there is no `_id` and no `id`"),
        ("corpus.jsonl", #"{"_id":1.5,"text":"x"}"#, "corpus.jsonl:1:"),
        ("corpus.jsonl", #"{"_id":"1","text":["x"]}"#, "corpus.jsonl:1: `text` has the wrong type"),
        ("corpus.jsonl", "\n" + #"{"_id":"1","title":"x"}"#, "corpus.jsonl:2: there is neither `text` nor `content`"),
        ("corpus.jsonl", "\n", "corpus.jsonl: there are no documents"),
        ("queries.jsonl", #"{"_id":"1"}"#, "queries.jsonl:1: there is no `text`"),
        (
            "queries.jsonl", #"{"_id":"1","text":"a"}"# + "\n" + #"{"_id":1,"text":"b"}"#,
            "queries.jsonl:2: query 1 appears twice"
        ),
        ("documents.jsonl", "", "there are several files of documents: corpus.jsonl, documents.jsonl"),
        ("qrels/test.tsv", "1\t2\n", "test.tsv:1: expected"),
    ])
    func `a bad file or line of a collection is named`(file: String, text: String, complaint: String) throws {
        try writeRest()
        try folder.write(file, text)
        let message = message { _ = try EvaluationCollection.load(folder.url) }
        #expect(message.contains(complaint), "\(message)")
    }

    @Test(arguments: [
        ("<top>\n<num> 1\n<title> a\n<top>\n", ":1: this <top> has no </top>"),
        ("\n<top>\n<num> 1\n<title> a\n", ":2: this <top> has no </top>"),
        ("<top>\n<title> a\n</top>\n", ":1: this <top> has no <num>"),
        ("<top>\n<num> 1\n<title>\n<desc> b\n</top>\n", ":1: this <top> has no <title>"),
        ("1\ta\nno tab\n", ":2: expected `qid TAB text`"),
    ])
    func `a bad topic is named`(text: String, complaint: String) throws {
        try writeRest(queries: false)
        try folder.write("topics", text)
        #expect(message { _ = try EvaluationCollection.load(folder.url) }.contains("topics" + complaint))
    }

    @Test func `what a folder lacks is named`() throws {
        #expect(message { _ = try EvaluationCollection.load(folder.url) }.contains("no file of documents"))
        try writeRest(queries: false, qrels: false)
        #expect(message { _ = try EvaluationCollection.load(folder.url) }.contains("no file of queries"))
        try writeRest(documents: false, qrels: false)
        #expect(message { _ = try EvaluationCollection.load(folder.url) }.contains("no file of judgements"))
        let absent = folder.url.appending(path: "absent")
        #expect(message { _ = try EvaluationCollection.load(absent) }.contains("is not a readable folder"))
    }
}
