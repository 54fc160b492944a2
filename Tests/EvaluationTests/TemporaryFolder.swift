import Foundation

@testable import Evaluation

/// A folder for the files of one test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "evaluation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, with the folders that lead to it.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> URL { try write(name, Data(text.utf8)) }

    @discardableResult
    func write(_ name: String, _ data: Data) throws -> URL {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }
}

/// The message of the `EvaluationError` that something throws; empty when it throws none.
func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch let error as EvaluationError {
        return error.message
    } catch {
        return "another error: \(error)"
    }
}

/// A ranking whose scores fall from the first document to the last.
func ranking(_ ids: String...) -> [ScoredDocument] {
    ids.enumerated().map { ScoredDocument(id: $1, score: Double(ids.count - $0)) }
}
