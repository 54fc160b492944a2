import Evaluation
import Foundation
import GatewayAPI

/// The folder of collections: each folder in it with documents is one.
struct EvaluationFolder: Sendable {
    /// The maximum number of collections in a list.
    static let maxCollections = 200
    /// The largest file of documents, in bytes. All documents are in memory while a collection is measured.
    static let maxBytes = 256 << 20

    /// The folder; nil when no setting names one.
    let path: String?

    /// Returns the collections by name, at most ``maxCollections``.
    func list() -> EvaluationFolderList {
        let found = names().compactMap { name -> EvaluationFolderEntry? in
            let folder = URL(filePath: path ?? "").appending(path: name)
            guard let bytes = Self.documents(of: folder) else { return nil }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return EvaluationFolderEntry(
                name: name, bytes: bytes, hasVectors: files.contains { $0.hasSuffix("_docs.npy") })
        }
        return EvaluationFolderList(isSet: path != nil, collections: Array(found.prefix(Self.maxCollections)))
    }

    /// Returns the folder of a collection. Only a name that the folder lists is found, so that no path leads elsewhere.
    ///
    /// - Throws: `EvaluationError` when there is none, or when its documents are too large.
    func find(_ name: String) throws -> URL {
        guard let path else { throw EvaluationError("there is no folder of collections; set SELENE_EVALUATIONS") }
        let folder = URL(filePath: path).appending(path: name)
        guard names().contains(name), let bytes = Self.documents(of: folder) else {
            throw EvaluationError("the folder of collections has no collection \"\(name)\"")
        }
        guard bytes <= Self.maxBytes else {
            throw EvaluationError("the documents of \"\(name)\" have \(bytes) bytes; \(Self.maxBytes) are the limit")
        }
        return folder
    }

    /// The names of the entries, sorted, hidden ones left out.
    private func names() -> [String] {
        guard let path, let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The bytes of a collection's documents; nil for a folder without them.
    private static func documents(of folder: URL) -> Int? {
        for name in ["corpus.jsonl", "documents.jsonl"] {
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            if let size = (attributes?[.size] as? NSNumber)?.int64Value { return Int(clamping: size) }
        }
        return nil
    }
}
