import Storage
import Testing

@testable import Search

/// The stamp of a database's files, over a real database.
@Suite struct DatabaseStampTests {
    @Test func `a commit of another program changes the stamp, a read does not`() async throws {
        let notes = try NotesFile()
        var last = try #require(DatabaseStamp(path: notes.database.path))
        for number in 1...20 {
            try notes.insert(number, "tide \(number)")
            let now = try #require(DatabaseStamp(path: notes.database.path))
            #expect(now != last)
            #expect(try await notes.database.notes.find(ids: [Int64(number)]).count == 1)
            #expect(DatabaseStamp(path: notes.database.path) == now)
            last = now
        }
    }

    @Test func `without a file there is no stamp`() {
        #expect(DatabaseStamp(path: "/nowhere/notes.sqlite") == nil)
    }
}
