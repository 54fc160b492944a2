package import Foundation
package import Storage

/// A database file in a folder of its own, which goes when the test ends.
package final class TemporaryDatabase: Sendable {
    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    package var path: String { folder.appending(path: "notes.sqlite").path }

    package func open() throws -> GatewayDatabase { try GatewayDatabase(path: path) }
}
