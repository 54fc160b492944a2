import Database
import KeyRoom
import Storage
import TestSupport

@testable import PostgresStorage

/// Keys, sessions and pairings in an SQLite file or in PostgreSQL, as two processes see them.
struct KeyStage: Sendable {
    enum Kind: String, CaseIterable, Sendable { case file, postgres }

    let store: any SQLStore
    /// The same store in another process.
    let other: any SQLStore
    /// The path of the file; nil for a server.
    let path: String?
    private let folder: TemporaryFolder?

    /// Makes an empty store; nil where there can be no server.
    init?(_ kind: Kind) async throws {
        switch kind {
        case .file:
            let folder = try TemporaryFolder()
            let path = folder.path("notes.sqlite")
            (store, other) = (try GatewayDatabase(path: path), try GatewayDatabase(path: path))
            (self.path, self.folder) = (path, folder)
        case .postgres:
            guard await PostgresServer.isPossible else { return nil }
            let stage = try await PostgresStage()
            (store, other) = (stage.store, try PostgresStage.store(stage.uri))
            (path, folder) = (nil, nil)
        }
    }
}
