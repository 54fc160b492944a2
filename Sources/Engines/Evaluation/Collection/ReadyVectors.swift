package import Foundation

/// Precomputed vectors with the ids of their documents or queries.
package struct ReadyVectors: Sendable, Hashable {
    /// One id for each row.
    package var ids: [String]
    /// Floats in a row.
    package var dimensions: Int
    /// `ids.count * dimensions` floats, row after row.
    package var values: [Float]

    /// Creates vectors.
    ///
    /// - Throws: `EvaluationError` when the number of values is not `ids.count * dimensions`.
    package init(ids: [String], dimensions: Int, values: [Float]) throws {
        guard dimensions > 0, values.count == ids.count * dimensions else {
            throw EvaluationError("\(values.count) floats are not \(ids.count) rows of \(dimensions)")
        }
        self.ids = ids
        self.dimensions = dimensions
        self.values = values
    }

    /// Reads a NumPy matrix (`.npy`; two dimensions, C order, `<f4` or `<f8`) and a text file with one id in each line.
    ///
    /// - Throws: `EvaluationError` for a matrix of another kind, a number that is not finite, and when the numbers of
    ///   ids and rows differ.
    package init(npy: URL, ids: URL) throws {
        let array = try NumPyArray(contentsOf: npy)
        let names = try TextLines(contentsOf: ids).lines.map(\.text.trimmed)
        guard names.count == array.rows else {
            throw EvaluationError(
                at: npy.path, "has \(array.rows) rows, and \(ids.lastPathComponent) has \(names.count) ids")
        }
        try self.init(ids: names, dimensions: array.columns, values: array.values)
    }

    package func row(_ index: Int) -> ArraySlice<Float> {
        values[index * dimensions..<(index + 1) * dimensions]
    }

    /// The row of each id. When an id appears more than once, its last row counts, as its last document does.
    package func rowsByID() -> [String: Int] {
        Dictionary(zip(ids, ids.indices)) { $1 }
    }

    /// Looks for `NAME_docs.npy` with `docs_ids.txt` and `NAME_queries.npy` with `queries_ids.txt` in a folder.
    ///
    /// - Parameter name: The `NAME` to use. Optional when the folder has only one.
    /// - Returns: nil when the folder has no precomputed vectors.
    /// - Throws: `EvaluationError` when there are several and `name` is nil, when there are none of that name, and when
    ///   one of the four files is missing.
    package static func find(in folder: URL, named name: String? = nil) throws -> ReadyVectorFiles? {
        let suffix = "_docs.npy"
        let names = try EvaluationCollection.fileNames(in: folder).filter { $0.hasSuffix(suffix) }
            .map { String($0.dropLast(suffix.count)) }
        if let name, !names.contains(name) {
            let others = names.isEmpty ? "none" : names.joined(separator: ", ")
            throw EvaluationError(at: folder.path, "there is no \(name)\(suffix); found: \(others)")
        }
        guard names.count <= 1 || name != nil else {
            throw EvaluationError(
                at: folder.path, "there are ready vectors of \(names.joined(separator: ", ")): choose one")
        }
        guard let name = name ?? names.first else { return nil }
        let files = ReadyVectorFiles(
            name: name, documents: folder.appending(path: name + suffix),
            documentIDs: folder.appending(path: "docs_ids.txt"),
            queries: folder.appending(path: name + "_queries.npy"),
            queryIDs: folder.appending(path: "queries_ids.txt"))
        for file in [files.documentIDs, files.queries, files.queryIDs]
        where !FileManager.default.fileExists(atPath: file.path) {
            throw EvaluationError(at: file.path, "is missing; it belongs to \(name)\(suffix)")
        }
        return files
    }
}

/// The files of a collection's precomputed vectors.
package struct ReadyVectorFiles: Sendable, Hashable {
    /// The model, from the names of the files.
    package var name: String
    /// `NAME_docs.npy`.
    package var documents: URL
    /// `docs_ids.txt`.
    package var documentIDs: URL
    /// `NAME_queries.npy`.
    package var queries: URL
    /// `queries_ids.txt`.
    package var queryIDs: URL

    /// Reads both matrices.
    ///
    /// - Throws: `EvaluationError` as `ReadyVectors` does, and when documents and queries differ in dimensions.
    package func load() throws -> (documents: ReadyVectors, queries: ReadyVectors) {
        let documentVectors = try ReadyVectors(npy: documents, ids: documentIDs)
        let queryVectors = try ReadyVectors(npy: queries, ids: queryIDs)
        guard documentVectors.dimensions == queryVectors.dimensions else {
            throw EvaluationError(
                at: queries.path,
                "has \(queryVectors.dimensions) dimensions, and \(documents.lastPathComponent) has "
                    + "\(documentVectors.dimensions)")
        }
        return (documentVectors, queryVectors)
    }
}
