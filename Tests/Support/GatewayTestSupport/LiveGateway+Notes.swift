package import Backfill
package import FakeOllama
import Foundation
package import PushRoom
package import Storage
package import TestSupport

extension LiveGateway {
    /// Runs a test with a gateway that has three notes, two of them in threads.
    package static func withThreeNotes(
        _ settings: [String: String] = [:], in place: NotesPlace = .file, _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(notesIn: place, settings: settings) { gateway in
            let now = Int64(Date.now.timeIntervalSince1970)
            for draft in [
                NoteDraft(
                    title: "tide gauge", content: "the tide and the moon", createdAt: now - 400 * 86_400,
                    noteType: "reference", threads: ["Gauge"], tags: ["sea"]),
                NoteDraft(
                    title: "tide tables", content: "the moon again, 80%", createdAt: now - 3600, threads: ["Tables"]),
                NoteDraft(title: "bread", content: "flour, water, salt", createdAt: now, threads: ["Gauge"]),
            ] {
                _ = try await gateway.store.notes.create(draft, testRun: nil, request: nil)
            }
            try await body(gateway)
        }
    }
}

extension LiveGateway {
    /// Runs a gateway whose notes are at a place; runs nothing where no PostgreSQL can be started.
    package static func with(
        _ options: FakeOllama.Options = .init(), notesIn place: NotesPlace, settings: [String: String] = [:],
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var (options, settings) = (options, settings)
        if place == .postgres {
            // The tests' pgvector may be unable to compare longer vectors.
            options.dimensions = 8
            guard await PostgresServer.isPossible, let server = await PostgresServer.shared() else { return }
            settings["store"] = try await server.database()
        }
        try await LiveGateway.with(options, settings: settings, body)
    }

    /// What a backfill works on.
    package var backfillStore: any BackfillStore {
        get throws {
            guard let found = store as? any BackfillStore else {
                throw StorageError(.failed, "no store for a backfill")
            }
            return found
        }
    }

    package var push: PushRoom { PushRoom(store) }

    package var spaces: any BackfillSpaces {
        get throws { try backfillStore.spaces }
    }

    /// Creates notes, wherever they are.
    package func create(_ drafts: [NoteDraft]) async throws {
        for draft in drafts { _ = try await store.notes.create(draft, testRun: nil, request: nil) }
    }
}

extension LiveGateway {
    /// Makes a thread, wherever the notes are.
    package func makeThread(_ id: Int64, _ name: String) async throws {
        switch store.dialect {
        case .sqlite:
            try await execute("INSERT INTO threads (id, name, created_at) VALUES (\(id), '\(name)', '2026-01-01')")
        case .postgres:
            try await store.run(
                "INSERT INTO threads (id, name, folded) VALUES ($1, $2, $3)",
                [.integer(id), .text(name), .text(name.lowercased())])
        }
    }
}

extension LiveGateway.Reply {
    /// The ids of the objects of a list, by the list's name.
    package func ids(_ list: String) -> [Int] { objects(list).compactMap { $0["id"] as? Int } }

    /// The objects of a list, by the list's name.
    package func objects(_ list: String) -> [[String: Any]] { object[list] as? [[String: Any]] ?? [] }
}

extension LiveGateway {
    /// A reply with another status than the one that the test needs to go on.
    package struct UnexpectedStatus: Error, CustomStringConvertible {
        package var description: String
        package init(description: String) { self.description = description }
    }

    /// Sends a request that has to be answered with `status`, and throws `UnexpectedStatus` when it is not.
    @discardableResult
    package func done(
        _ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200
    ) async throws -> Reply {
        let reply = try await request(method, path, body)
        guard reply.status == status else {
            throw UnexpectedStatus(description: "\(method) \(path): \(reply.status) \(reply.text)")
        }
        return reply
    }
}
