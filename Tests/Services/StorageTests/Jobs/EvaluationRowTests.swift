import Foundation
import GRDB
import GatewayAPI
import Storage
import Testing

/// Stored evaluations, beside whatever another program writes.
@Suite struct EvaluationRows {
    @Test func `the latest are kept, and pages follow each other`() async throws {
        let file = try TemporaryDatabase()
        let store = try file.open().evaluations
        for number in 1...EvaluationStore.maxReports + 3 {
            let id = try await store.add(
                collection: "c", name: "n\(number)", means: .object([:]), report: Data(#"{"modes":[]}"#.utf8),
                figures: Data("f".utf8))
            #expect(id == number)
        }
        let first = try await store.page(after: nil, limit: 60)
        let second = try await store.page(after: first.next, limit: 60)
        #expect(first.items.count == 60 && second.items.count == 40 && second.next == nil)
        #expect(first.items.first?.id == 103 && second.items.last?.id == 4)
        #expect(try await store.find(4).report == .object(["modes": .array([])]))
        #expect(try await store.figures(4).figures == Data("f".utf8))
        #expect(try await store.delete(4))
        #expect(try await !store.delete(4))
        for id in [4, -1] as [Int64] {
            let error = await #expect(throws: StorageError.self) { _ = try await store.find(id) }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `a report that is too large is refused, and odd rows are read`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let store = database.evaluations
        let error = await #expect(throws: StorageError.self) {
            _ = try await store.add(
                collection: "c", name: "n", means: .object([:]), report: Data(count: EvaluationStore.maxBytes + 1),
                figures: Data())
        }
        #expect(error?.code == .invalid)
        try await DatabaseQueue(path: file.path).write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_evaluations (collection, name, means, report, figures, created_at)
                    VALUES (1, x'ff', 'no JSON', 2.5, 'text', 2), ('c', 'n', '[1]', x'00', 3, '')
                    """)
        }
        let found = try await store.page(after: nil, limit: 10).items
        #expect(found.count == 2 && found.allSatisfy { $0.means == .object([:]) })
        #expect(try await store.find(found[1].id).report == .object([:]))
        #expect(try await store.figures(found[0].id).figures.isEmpty)
    }
}
