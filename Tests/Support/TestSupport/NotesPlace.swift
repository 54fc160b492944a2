package import Foundation
import Synchronization
import Testing

/// Where the notes of a gateway are.
package enum NotesPlace: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file, postgres

    package var testDescription: String { rawValue }

    /// The place of the gateways of tests that name none: `TEST_ENGINE=postgres` runs them on a server.
    package static let usual =
        ProcessInfo.processInfo.environment["TEST_ENGINE"].flatMap(NotesPlace.init) ?? .file

    private static let servers = Mutex<[String: String]>([:])

    /// The usual database of the gateways of a folder, which one that is started once more finds again; nil for a file.
    package static func server(of folder: URL) async throws -> String? {
        guard usual == .postgres, let server = await PostgresServer.shared() else { return nil }
        if let known = servers.withLock({ $0[folder.path] }) { return known }
        let address = try await server.database()
        servers.withLock { $0[folder.path] = address }
        return address
    }
}
