import AssociationRoom
import Foundation
import GRDB
import GatewayAPI
import JobRoom
import Machine
import StoreTestSupport
import Testing

@testable import Storage

/// Pairs of similar notes that a job finds for the first time.
@Suite struct NewPairs {
    private static let space = SpaceID(1)

    private static func run(_ pairs: [(Int64, Int64)], _ database: GatewayDatabase) async throws {
        let job = try await database.jobs.begin(kind: .associations, parameters: "{}", as: WorkerName()).job.id
        _ = try await database.associations.begin(job, in: space, running: [job])
        let found = pairs.map { NotePair(first: $0.0, second: $0.1, similarity: 1 - Double($0.1) / 1000) }
        try await database.associations.keep(found, of: job, upTo: 100)
        _ = try await database.associations.publish(of: job)
        try await database.jobs.end(job, .done, message: nil)
    }

    private static func new(_ database: GatewayDatabase) async throws -> [String] {
        try await database.associations.new(since: 0, limit: 100).map { "pair/\($0.first)/\($0.second)" }
    }

    private static func notes(_ count: Int, _ database: GatewayDatabase) async throws {
        try await database.write { database in
            for number in 1...count {
                try database.execute(
                    sql: "INSERT INTO raw_notes (title, content, created_at) VALUES (?, 'c', '2026-01-01 00:00:00')",
                    arguments: ["n\(number)"])
            }
        }
    }

    @Test func `a pair is new once, in either direction, and none is in the first run`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        try await Self.notes(40, database)
        try await Self.run([(1, 2), (1, 3)], database)
        #expect(try await Self.new(database).isEmpty)
        try await database.write { try $0.execute(sql: "INSERT INTO note_associations VALUES (5, 4, 0.9)") }
        try await Self.run([(1, 2), (2, 3), (4, 5)], database)
        #expect(try await Self.new(database) == ["pair/2/3"])
        let occasion = try #require(
            try await database.associations.new(since: 0, limit: 100).first)
        #expect(occasion.firstTitle == "n2" && occasion.secondTitle == "n3")
        // It goes and comes back: it is known.
        try await Self.run([(1, 2)], database)
        try await Self.run([(1, 2), (2, 3)], database)
        #expect(try await Self.new(database) == ["pair/2/3"])
        #expect(try await database.associations.new(since: 32_472_144_000, limit: 100).isEmpty)
        // A hidden note, and one that was deleted, are not told of.
        try await database.write { try $0.execute(sql: "UPDATE raw_notes SET test_run = 'x' WHERE id = 3") }
        #expect(try await Self.new(database).isEmpty)
        try await database.write { try $0.execute(sql: "DELETE FROM raw_notes WHERE id = 3") }
        #expect(try await Self.new(database).isEmpty)
    }

    @Test func `of a run the ten most similar are told, also over several ranges`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        try await Self.notes(200, database)
        try await Self.run([(1, 2)], database)
        // More pairs than one transaction writes.
        var pairs: [(Int64, Int64)] = []
        for first in Int64(1)...80 {
            for second in (first + 1)...200 where pairs.count < 12_000 { pairs.append((first, second)) }
        }
        try await Self.run(pairs, database)
        let told = try await Self.new(database)
        #expect(told.count == 10)
        // The similarity falls with the second note.
        #expect(told.first == "pair/1/3" && told.contains("pair/2/3") && told.contains("pair/1/4"), "\(told)")
    }
}
