import Foundation
import GRDB
import GatewayAPI
import Retrieval
import Storage
import TestSupport
import Testing

@testable import Search

/// Another program's rebuild of its tables: the index goes on answering, and has every change in the end.
@Suite struct TableRebuilds {
    private func filled(_ gate: Gate?) async throws -> (NotesFile, IndexFollower) {
        let file = try NotesFile()
        _ = try await file.database.notes.insert(
            (1...600).map { NoteDraft(title: "note \($0)", content: "tide n\($0)n", externalID: "\($0)") })
        let follower = file.follower(gate)
        #expect(try await follower.current().ids("n7n") == [7])
        return (file, follower)
    }

    @Test(.slow) func `a note that is written after a rebuild is found at once, while the successor waits`()
        async throws
    {
        let gate = Gate()
        let (file, follower) = try await filled(gate)
        let before = try await follower.current().index
        try file.rebuild()
        try file.insert(601, "heron")
        let live = try await follower.current()
        #expect(live.index === before)
        #expect(try await live.ids("heron") == [601])
        // The log is followed again: edits and deletions of any note are seen.
        try file.insert(602, "wader")
        try file.write("UPDATE raw_notes SET content = 'otter' WHERE id = 3", "DELETE FROM raw_notes WHERE id = 4")
        let next = try await follower.current()
        #expect(next.index === before)
        #expect(try await next.ids("wader") == [602])
        #expect(try await next.ids("otter") == [3])
        #expect(try await next.ids("n3n") == [])
        #expect(try await next.ids("n4n") == [])
        gate.open()
        let successor = try await follower.complete()
        #expect(successor.index !== before)
        #expect(try await successor.ids("heron") == [601])
        #expect(try await successor.ids("otter") == [3])
        #expect(successor.index.statistics.documents == 601)
    }

    @Test func `an id that a deleted note had is compared, too`() async throws {
        let (file, follower) = try await filled(Gate())
        try file.rebuild(changing: "DELETE FROM raw_notes WHERE id > 590")
        try file.insert(591, "heron")
        let live = try await follower.current()
        #expect(try await live.ids("heron") == [591])
        #expect(try await live.ids("n591n") == [])
        #expect(try await live.ids("n600n") == [])
    }

    @Test(.slow) func `what was changed in the rebuild is right when the successor takes over`() async throws {
        let gate = Gate()
        let (file, follower) = try await filled(gate)
        try file.write("UPDATE raw_notes SET tags = '[\"sea\"]' WHERE id = 10")
        #expect(try await follower.current().ids("tide", tags: ["sea"]) == [10])
        try file.rebuild(
            changing: "UPDATE raw_notes SET content = 'otter' WHERE id = 1", "DELETE FROM raw_notes WHERE id = 2",
            "UPDATE raw_notes SET test_run = 'run' WHERE id = 3",
            "UPDATE raw_notes SET tags = '[\"sky\"]' WHERE id = 10", "UPDATE raw_notes SET id = 5000 WHERE id = 20")
        let stale = try await follower.current()
        // A note that moved beyond the others is found by its new id at once.
        #expect(try await stale.ids("n20n").contains(5000))
        // Results are loaded from the database: what is gone or hidden is in no reply.
        let ids = try await stale.ids("n2n") + (try await stale.ids("n3n"))
        #expect(try await file.database.notes.find(ids: ids).isEmpty)
        gate.open()
        let live = try await follower.complete()
        #expect(try await live.ids("otter") == [1])
        #expect(try await live.ids("n1n") == [])
        #expect(try await live.ids("n2n") == [])
        #expect(try await live.ids("n3n") == [])
        #expect(try await live.ids("tide", tags: ["sky"]) == [10])
        #expect(try await live.ids("tide", tags: ["sea"]) == [])
        #expect(try await live.ids("n20n") == [5000])
        #expect(live.index.statistics.documents == 598)
        // The other way round: a hidden note is shown, while no trigger watches.
        try file.rebuild(changing: "UPDATE raw_notes SET test_run = NULL WHERE id = 3")
        _ = try await follower.current()
        gate.open()
        let shown = try await follower.complete()
        #expect(try await shown.ids("n3n") == [3])
    }

    @Test(.slow) func `a rebuild during the build of the successor begins it anew`() async throws {
        let gate = Gate()
        let (file, follower) = try await filled(gate)
        try file.rebuild(changing: "DELETE FROM raw_notes WHERE id = 1")
        _ = try await follower.current()
        try file.rebuild(changing: "DELETE FROM raw_notes WHERE id = 2")
        try file.insert(700, "heron")
        #expect(try await follower.current().ids("heron") == [700])
        try file.rebuild(changing: "UPDATE raw_notes SET content = 'otter' WHERE id = 5")
        try file.insert(701, "wader")
        #expect(try await follower.current().ids("wader") == [701])
        gate.open()
        gate.open()
        let live = try await follower.complete()
        #expect(try await live.ids("n1n") == [])
        #expect(try await live.ids("n2n") == [])
        #expect(try await live.ids("n5n") == [])
        #expect(try await live.ids("otter") == [5])
        #expect(try await live.ids("heron") == [700])
        #expect(try await live.ids("wader") == [701])
        #expect(live.index.statistics.documents == 600)
    }

    @Test(.slow) func `a rebuild that no search saw is known to the successor`() async throws {
        let gate = Gate()
        let (file, follower) = try await filled(gate)
        try file.rebuild()
        _ = try await follower.current()
        // The one who builds sees it first.
        try file.rebuild(changing: "DELETE FROM raw_notes WHERE id = 9")
        _ = try await file.database.changes.changeState()
        try file.insert(800, "heron")
        gate.open()
        gate.open()
        let live = try await follower.complete()
        #expect(try await live.ids("n9n") == [])
        #expect(try await live.ids("heron") == [800])
    }

    @Test(.slow) func `rebuilds one after the other, with searches beside them, end in an index that is right`()
        async throws
    {
        let (file, follower) = try await filled(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<12 {
                    try file.rebuild(changing: "DELETE FROM raw_notes WHERE id = \(100 + round)")
                    try file.insert(2000 + round, "h\(round)h")
                    let live = try await follower.current()
                    #expect(try await live.ids("h\(round)h") == [Int64(2000 + round)])
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let live = try await follower.current()
                    let found = try await file.database.notes.find(ids: live.ids("n77n"))
                    #expect(found.map(\.id) == [77])
                }
            }
            try await group.waitForAll()
        }
        let live = try await follower.complete()
        #expect(live.index.statistics.documents == 600)
        for round in 0..<12 {
            #expect(try await live.ids("n\(100 + round)n") == [])
            #expect(try await live.ids("h\(round)h") == [Int64(2000 + round)])
        }
    }

    @Test(.slow) func `another file in the place of the old one is read before anything is answered`() async throws {
        let (file, follower) = try await filled(Gate())
        let other = try NotesFile()
        try other.insert(7, "zebra")
        let source = try DatabaseQueue(path: other.database.path)
        let target = try DatabaseQueue(path: file.database.path)
        try source.backup(to: target)
        try target.close()
        try source.close()
        let live = try await follower.current()
        #expect(try await live.ids("zebra") == [7])
        #expect(try await live.ids("n7n") == [])
        #expect(live.index.statistics.documents == 1)
    }

    @Test func `a follower that is stopped ends its build, and goes on answering`() async throws {
        let (file, follower) = try await filled(Gate())
        try file.rebuild()
        _ = try await follower.current()
        await follower.stop()
        try file.insert(900, "heron")
        #expect(try await follower.current().ids("heron") == [900])
    }
}
