import Foundation
import GRDB
import GatewayAPI
import JobRoom
import Machine
import Storage
import TestSupport

@testable import PostgresStorage

/// Jobs of an SQLite file or of PostgreSQL, as two processes see them.
final class JobStage: Sendable {
    enum Kind: String, CaseIterable, Sendable { case file, postgres }

    let records: JobRoom
    /// The records of another process on the same store.
    let others: JobRoom
    private let folder: TemporaryFolder?
    private let other: DatabaseQueue?
    private let postgres: PostgresStore?

    /// Makes an empty store; nil where there can be no server.
    init?(_ kind: Kind) async throws {
        switch kind {
        case .file:
            let folder = try TemporaryFolder()
            let path = folder.path("notes.sqlite")
            (records, others) = (try GatewayDatabase(path: path).jobs, try GatewayDatabase(path: path).jobs)
            (self.folder, other, postgres) = (folder, try DatabaseQueue(path: path), nil)
        case .postgres:
            guard await PostgresServer.isPossible else { return nil }
            let stage = try await PostgresStage()
            (records, others) = (stage.store.jobs, try PostgresStage.store(stage.uri).jobs)
            (folder, other, postgres) = (nil, nil, stage.store)
            try await stage.store.prepare()
        }
    }

    /// Inserts a running job of a kind that only another version knows.
    func insertUnknown(_ id: Int64) async throws {
        try await other?.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_jobs (id, kind, state, parameters, created_at, owner)
                    VALUES (?, 'digest', 'running', '{}', '2026-01-01 00:00:00', 'another')
                    """, arguments: [id])
        }
        try await postgres?.write { connection in
            try await connection.run(
                """
                INSERT INTO gateway_jobs (id, kind, state, parameters, created_at, owner)
                VALUES ($1, 'digest', 'running', '{}', '2026-01-01 00:00:00', 'another')
                """, [.integer(id)])
        }
    }

    /// The state of a row.
    func state(_ id: Int64) async throws -> String? {
        if let other {
            return try await other.read { database in
                try String.fetchOne(database, sql: "SELECT state FROM gateway_jobs WHERE id = ?", arguments: [id])
            }
        }
        return try await postgres?.rows(
            "SELECT state FROM gateway_jobs WHERE id = $1", [SQLValue.integer(id)]
        ).first?.text(0)
    }
}

extension WorkerName {
    /// A worker of this machine whose process has ended.
    static var gone: WorkerName {
        var parts = WorkerName().description.split(separator: "/", omittingEmptySubsequences: false)
        parts[2] = "2147483646"
        return WorkerName(parts.joined(separator: "/"))
    }

    /// A worker of another machine with the same host name, whose process id no process has here.
    static var elsewhere: WorkerName {
        var parts = WorkerName.gone.description.split(separator: "/", omittingEmptySubsequences: false)
        parts[1] = "pid:[4026531836]00000000"
        return WorkerName(parts.joined(separator: "/"))
    }
}

extension JobRoom {
    func begin(
        _ kind: Job.Kind, _ parameters: String = "{}", as worker: WorkerName = WorkerName()
    ) async throws -> (job: StoredJob, isNew: Bool) {
        try await begin(kind: kind, parameters: parameters, key: nil, as: worker)
    }

    @discardableResult
    func end(_ id: Int64, _ state: Job.State, _ message: String? = nil, as worker: WorkerName? = nil) async throws
        -> Job
    {
        try await end(id, state, progress: nil, message: message, as: worker).job
    }
}
