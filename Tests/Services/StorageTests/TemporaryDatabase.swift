import Foundation
import Storage

/// A database file in a folder of its own, which goes when the test ends.
final class TemporaryDatabase: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "notes.sqlite").path }

    func open() throws -> GatewayDatabase { try GatewayDatabase(path: path) }
}
