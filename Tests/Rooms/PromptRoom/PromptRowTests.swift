import GRDB
import GatewayAPI
import PromptRoom
import Storage
import StoreTestSupport
import Testing

/// Prompts in the database: versions of one prompt are stored one by one, beside whatever another program writes.
@Suite struct PromptRows {
    @Test func `a version follows the one that it names, and equal texts make none`() async throws {
        let file = try TemporaryDatabase()
        let store = try file.open().prompts
        let first = try await store.save("p", document: "a", hash: "aa11", base: nil)
        #expect(first.number == 1)
        #expect(try await store.save("p", document: "a", hash: "aa11", base: nil) == first)
        #expect(try await store.save("p", document: "b", hash: "bb22", base: "aa").number == 2)
        for base in ["aa11", "", "zz"] {
            let error = await #expect(throws: StorageError.self) {
                _ = try await store.save("p", document: "c", hash: "cc33", base: base)
            }
            #expect(error?.code == .conflict, "\(base)")
        }
        // The first version of a curated prompt follows the curated one.
        #expect(try await store.save("q", document: "c", hash: "cc33", base: "dd", original: "dd44").number == 1)
        let error = await #expect(throws: StorageError.self) {
            _ = try await store.save("r", document: "c", hash: "cc33", base: "dd")
        }
        #expect(error?.code == .conflict)
        #expect(try await store.all().map(\.id) == ["p", "q"])
        #expect(try await store.delete("p"))
        #expect(try await !store.delete("p"))
    }

    @Test func `two writers at once make two versions, and only one follows a base`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let store = database.prompts
        let first = try await store.save("p", document: "a", hash: "a0", base: nil)
        let stored = await withTaskGroup(of: Bool.self) { group in
            for number in 1...8 {
                group.addTask {
                    (try? await store.save("p", document: "d\(number)", hash: "h\(number)", base: first.hash)) != nil
                }
            }
            var count = 0
            for await isStored in group where isStored { count += 1 }
            return count
        }
        #expect(stored == 1)
        #expect(try await store.versions(of: "p").map(\.number) == [2, 1])
    }

    @Test func `values of another program are skipped or read`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        _ = try await database.prompts.save("p", document: "a", hash: "a0", base: nil)
        let other = try DatabaseQueue(path: file.path)
        try await other.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_prompt_versions VALUES ('p', 2, x'00', x'ff', 3), ('q', 1, 5, 6, 7);
                    INSERT INTO gateway_bench_runs (name, report, created_at) VALUES (1, 'no JSON', 2), ('x', x'ff', '');
                    """)
        }
        #expect(try await database.prompts.versions(of: "p").map(\.number) == [1])
        #expect(try await database.prompts.all().map(\.document) == ["6"])
        let runs = try await database.benches.all()
        #expect(runs.map(\.name) == ["x", "1"])
        #expect(try await database.benches.find(runs[1].id).report == .object([:]))
    }
}
