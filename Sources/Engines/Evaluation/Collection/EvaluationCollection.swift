package import Foundation

/// A test collection: documents, queries and relevance judgements.
package struct EvaluationCollection: Sendable {
    package struct Document: Sendable, Hashable {
        /// The id that judgements use.
        package var id: String
        /// Empty when the document has no title.
        package var title: String
        /// May be empty when there is a title.
        package var text: String

        package init(id: String, title: String = "", text: String) {
            self.id = id
            self.title = title
            self.text = text
        }
    }

    package struct Query: Sendable, Hashable {
        /// The id that judgements use.
        package var id: String
        /// The words of the query.
        package var text: String

        package init(id: String, text: String) {
            self.id = id
            self.text = text
        }
    }

    /// The name of the folder.
    package var name: String
    /// In the order of the file. When an id appears more than once, the last document counts.
    package var documents: [Document]
    /// In the order of the file, unjudged queries included.
    package var queries: [Query]
    /// The relevance judgements.
    package var qrels: Qrels
    /// Oddities that were skipped, as sentences: duplicate ids, judgements of missing documents or queries.
    package var warnings: [String] = []

    package init(name: String, documents: [Document], queries: [Query], qrels: Qrels) {
        self.name = name
        self.documents = documents
        self.queries = queries
        self.qrels = qrels
    }

    /// The queries that count in an evaluation: those with judgements.
    package var judgedQueries: [Query] { queries.filter { qrels.grades[$0.id] != nil } }

    /// The text of each query by its id.
    package var queryTexts: [String: String] {
        Dictionary(queries.map { ($0.id, $0.text) }) { first, _ in first }
    }

    /// Reads a collection from a folder. File names decide what each file holds:
    ///
    /// - documents: `corpus.jsonl` or `documents.jsonl`, a JSON object in each line: `_id` or `id`, `title` (optional),
    ///   `text` or `content`;
    /// - queries: `queries.jsonl` with `_id` or `id` and `text`; or one file `topics*` or `queries.tsv` with
    ///   `qid TAB text` lines or TREC's `<top>` blocks, whose title is used;
    /// - judgements: `qrels/test.tsv`, or the only `.tsv` in `qrels/`, or one file `qrels*`; see `Qrels`.
    ///
    /// - Throws: `EvaluationError` with the file and line, or with what the folder lacks.
    package static func load(_ folder: URL) throws -> EvaluationCollection {
        let names = try fileNames(in: folder)
        let corpus = try only(["corpus.jsonl", "documents.jsonl"].filter(names.contains), of: "documents", in: folder)
        let (documents, repeated) = try readDocuments(corpus)
        let collection = EvaluationCollection(
            name: folder.standardizedFileURL.lastPathComponent, documents: documents,
            queries: try readQueries(in: folder, names), qrels: try Qrels(contentsOf: try qrelsFile(in: folder, names)))
        return collection.checked(repeated: repeated)
    }

    /// The names of the files in a folder, sorted.
    static func fileNames(in folder: URL) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw EvaluationError(at: folder.path, "is not a readable folder")
        }
    }

    private static func readDocuments(_ url: URL) throws -> (documents: [Document], repeated: [String]) {
        var documents: [Document] = []
        var positions: [String: Int] = [:]
        var repeated: [String] = []
        for line in try TextLines(contentsOf: url).lines {
            let record = try JSONRecord(line)
            guard let text = record.text else { throw line.error("there is neither `text` nor `content`") }
            let document = Document(id: record.id, title: record.title ?? "", text: text)
            if let position = positions[document.id] {
                documents[position] = document
                repeated.append(document.id)
            } else {
                positions[document.id] = documents.count
                documents.append(document)
            }
        }
        guard !documents.isEmpty else { throw EvaluationError(at: url.path, "there are no documents") }
        return (documents, repeated)
    }

    private static func readQueries(in folder: URL, _ names: [String]) throws -> [Query] {
        if names.contains("queries.jsonl") {
            return try unique(
                try TextLines(contentsOf: folder.appending(path: "queries.jsonl")).lines.map { line in
                    let record = try JSONRecord(line)
                    guard let text = record.text else { throw line.error("there is no `text`") }
                    return (Query(id: record.id, text: text), line)
                })
        }
        let files = names.filter { $0.hasPrefix("topics") || $0 == "queries.tsv" }
        return try unique(try TopicFile.read(try only(files, of: "queries", in: folder)))
    }

    private static func unique(_ queries: [(query: Query, line: TextLines.Line)]) throws -> [Query] {
        var seen: Set<String> = []
        for (query, line) in queries where !seen.insert(query.id).inserted {
            throw line.error("query \(query.id) appears twice")
        }
        return queries.map(\.query)
    }

    private static func qrelsFile(in folder: URL, _ names: [String]) throws -> URL {
        let inner = folder.appending(path: "qrels")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: inner.path, isDirectory: &isFolder), isFolder.boolValue {
            let files = try fileNames(in: inner).filter { $0.hasSuffix(".tsv") }
            if files.contains("test.tsv") { return inner.appending(path: "test.tsv") }
            return try only(files, of: "judgements", in: inner)
        }
        if names.contains("qrels.tsv") { return folder.appending(path: "qrels.tsv") }
        return try only(names.filter { $0.hasPrefix("qrels") }, of: "judgements", in: folder)
    }

    private static func only(_ files: [String], of what: String, in folder: URL) throws -> URL {
        guard let file = files.first else { throw EvaluationError(at: folder.path, "there is no file of \(what)") }
        guard files.count == 1 else {
            throw EvaluationError(
                at: folder.path, "there are several files of \(what): \(files.joined(separator: ", "))")
        }
        return folder.appending(path: file)
    }

    private func checked(repeated: [String]) -> EvaluationCollection {
        var result = self
        if let example = repeated.first {
            result.warnings.append("\(repeated.count) document ids appear twice (\(example)): the last one counts")
        }
        let known = Set(queries.map(\.id))
        let unknown = qrels.grades.keys.filter { !known.contains($0) }.sorted()
        if let example = unknown.first {
            // As trec_eval does: a query that nothing could be asked with says nothing about the ranking.
            result.qrels = qrels.restricted(to: known)
            result.warnings.append("\(unknown.count) judged queries have no text (\(example)): they are left out")
        }
        let ids = Set(documents.map(\.id))
        let absent = Set(qrels.grades.values.flatMap(\.keys)).subtracting(ids)
        if let example = absent.min() {
            result.warnings.append("\(absent.count) judged documents are missing (\(example))")
        }
        return result
    }
}
