import Foundation

/// A place for the index file of one test.
final class TemporaryIndexFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "retrieval-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { path("index") }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// The names of the files in the folder.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
