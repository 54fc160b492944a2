import PostgresStorage
package import Storage
package import TestSupport

/// An empty store in an SQLite file or in PostgreSQL, opened twice as two gateways do.
package final class StoreStage: Sendable {
    package let stores: [any GatewayStore]
    /// The path of the file; nil for a server.
    package let path: String?
    /// The server; nil for a file.
    package let server: PostgresStage?
    private let folder: TemporaryFolder?

    package var store: any GatewayStore { stores[0] }
    /// The same store, opened by another process.
    package var other: any GatewayStore { stores[1] }

    /// Makes an empty store; nil where there can be no server.
    package init?(_ place: NotesPlace) async throws {
        switch place {
        case .file:
            let folder = try TemporaryFolder()
            let path = folder.path("notes.sqlite")
            stores = try (0..<2).map { _ in try GatewayDatabase(path: path) }
            (self.path, self.folder, server) = (path, folder, nil)
        case .postgres:
            guard await PostgresServer.isPossible else { return nil }
            let stage = try await PostgresStage()
            stores = [stage.store, try PostgresStage.store(stage.uri)]
            (path, folder, server) = (nil, nil, stage)
        }
    }
}
