package import Database
package import GatewayAPI
package import Machine

extension SQLStore {
    /// The sources of notes.
    package var sources: SourceRoom { SourceRoom(store: self) }
}

/// Stores sources of notes and the state of their files. Reading the files is the caller's matter.
///
/// A source is followed by one process at a time. Methods throw ``StorageError``, and a server's own error while it is away.
package struct SourceRoom: Sendable {
    /// The most sources of a store.
    package static let maxSources = 200
    /// How long a process that gives no sign of life is still taken for the one that follows a source.
    package static let lease = Duration.seconds(60)

    let store: any SQLStore

    /// Whether the store has the tables.
    package var exists: Bool {
        get async throws {
            try await store.snapshot { session in
                try !session.rows(session.dialect.columns, [.text("gateway_sources")]).isEmpty
            }
        }
    }

    /// All sources by name, without counts.
    package func all() async throws -> [StoredSource] {
        try await store.rows("SELECT \(StoredSource.columns) FROM gateway_sources ORDER BY name", []).compactMap {
            StoredSource($0)
        }
    }

    package func find(_ name: String) async throws -> StoredSource? {
        try await store.rows("SELECT \(StoredSource.columns) FROM gateway_sources WHERE name = $1", [.text(name)]).first
            .flatMap { StoredSource($0) }
    }

    /// Adds a source that nobody follows yet.
    ///
    /// - Parameter check: Called with all sources; throws when the new one cannot stand beside them.
    /// - Throws: ``StorageError/Code/duplicate`` for a name that is taken; ``StorageError/Code/invalid`` above ``maxSources``.
    package func add(
        _ new: NewSource, kind: Source.Kind, path: String?, host: String?,
        check: @escaping @Sendable ([StoredSource]) throws -> Void
    ) async throws -> StoredSource {
        try await store.transaction { session in
            try session.lock("gateway_sources")
            let known = try session.rows("SELECT \(StoredSource.columns) FROM gateway_sources", []).compactMap {
                StoredSource($0)
            }
            guard known.count < Self.maxSources else {
                throw StorageError(.invalid, "there are \(Self.maxSources) sources; remove one first")
            }
            guard !known.contains(where: { $0.source.name == new.name }) else {
                throw StorageError(.duplicate, "there is a source \(new.name) already")
            }
            try check(known)
            let row = try session.first(
                """
                INSERT INTO gateway_sources (name, kind, path, host, format, ignored, state, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, 'following', $7) RETURNING \(StoredSource.columns)
                """,
                [
                    .text(new.name), .text(kind.rawValue), .text(path), .text(host), .text(new.format),
                    .texts(new.ignore ?? []), .integer(try session.clock().now),
                ])
            guard let source = row.flatMap({ StoredSource($0) }) else {
                throw StorageError(.failed, "a new source cannot be read back")
            }
            return source
        }
    }

    /// Removes a source and what is known of its files. Its notes stay.
    package func remove(_ id: Int64) async throws {
        try await store.transaction { session in
            try session.run("DELETE FROM gateway_source_files WHERE source_id = $1", [.integer(id)])
            try session.run("DELETE FROM gateway_sources WHERE id = $1", [.integer(id)])
        }
    }

    // MARK: Following

    /// Makes a process the one that follows a source. Returns the source; nil when another living process does, or there is none.
    package func claim(_ id: Int64, as worker: WorkerName) async throws -> StoredSource? {
        try await store.transaction { session in
            let row = try session.first(
                "SELECT \(StoredSource.columns) FROM gateway_sources WHERE id = $1\(session.dialect.locksRows)",
                [.integer(id)])
            guard var source = row.flatMap({ StoredSource($0) }) else { return nil }
            let clock = try session.clock()
            if let owner = source.owner, owner != worker {
                let lease = Lease(owner: owner, end: source.leaseEnd)
                guard lease.state(at: clock, length: Self.lease, in: session.dialect) != .held else { return nil }
            }
            try session.run(
                "UPDATE gateway_sources SET owner = $1, lease = $2 WHERE id = $3",
                [.text(worker.description), .integer(Lease.end(at: clock, length: Self.lease)), .integer(id)])
            source.owner = worker
            return source
        }
    }

    /// Gives a sign of life for all sources that a process follows.
    package func renew(as worker: WorkerName) async throws {
        _ = try await store.relaxedTransaction { session in
            try session.run(
                "UPDATE gateway_sources SET lease = $1 WHERE owner = $2",
                [.integer(Lease.end(at: try session.clock(), length: Self.lease)), .text(worker.description)])
        }
    }

    /// Lets another process follow a source.
    package func release(_ id: Int64, from worker: WorkerName) async throws {
        try await store.run(
            "UPDATE gateway_sources SET owner = NULL WHERE id = $1 AND owner = $2",
            [.integer(id), .text(worker.description)])
    }

    /// Writes the state of a source that a look found, unless a person has paused it.
    ///
    /// - Parameter began: When the look began, in milliseconds since 1970 by the clock of the store.
    package func endLook(_ id: Int64, _ state: Source.State, _ message: String?, began: Int64) async throws {
        try await store.run(
            """
            UPDATE gateway_sources SET state = CASE WHEN state = 'paused' THEN state ELSE $1 END, message = $2, looked_at = $3,
                accepts_missing = CASE WHEN $1 = 'following' THEN 0 ELSE accepts_missing END WHERE id = $4
            """, [.text(state.rawValue), .text(message), .integer(began), .integer(id)])
    }

    /// The time by the clock of the store, in milliseconds since 1970.
    package func now() async throws -> Int64 { try await store.snapshot { try $0.clock().now } }

    /// Pauses a source, or lets it be followed again.
    ///
    /// - Parameter acceptsMissing: Whether missing files are gone however many they are, at the next look.
    package func change(_ id: Int64, isPaused: Bool, acceptsMissing: Bool) async throws {
        _ = try await store.transaction { session in
            try session.run(
                "UPDATE gateway_sources SET state = $1, message = NULL, accepts_missing = $2, wanted_at = $3 WHERE id = $4",
                [
                    .text(isPaused ? Source.State.paused.rawValue : Source.State.following.rawValue),
                    .integer(acceptsMissing ? 1 : 0), .integer(try session.clock().now), .integer(id),
                ])
        }
    }

    /// Asks the process that follows a source for a look. Returns the time of the wish.
    package func want(_ id: Int64) async throws -> Int64 {
        try await store.transaction { session in
            let now = try session.clock().now
            try session.run(
                "UPDATE gateway_sources SET wanted_at = $1 WHERE id = $2", [.integer(now), .integer(id)])
            return now
        }
    }
}
