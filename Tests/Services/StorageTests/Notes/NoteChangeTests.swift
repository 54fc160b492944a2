import PushRoom
import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

@Suite struct NoteChanges {
    @Test func `a note is made once, changed in part, and never becomes another's double`() async throws {
        let database = try TemporaryDatabase().open()
        let draft = NoteDraft(title: "a", content: "b", noteType: "idea", threads: ["T"], tags: ["x"])
        #expect(try await database.notes.create(draft) == .created(1))
        #expect(try await database.notes.create(draft) == .duplicate(1))
        #expect(try await database.notes.create(NoteDraft(title: "c", content: "d")) == .created(2))
        var change = NoteChange()
        change.content = "new"
        change.tags = []
        change.threads = ["U"]
        change.noteType = .clear
        change.actionability = .set("someday")
        change.createdAt = 0
        #expect(try await database.notes.update(1, change))
        let note = try #require(try await database.notes.find(ids: [1]).first)
        #expect(note.title == "a" && note.content == "new" && note.tags == [] && note.noteType == nil)
        #expect(note.threads.map(\.name) == ["U"])
        #expect(note.actionability == "someday")
        #expect(note.createdAt == "1970-01-01 00:00:00")
        #expect(try await database.notes.create(draft) == .created(3))
        #expect(try await !database.notes.update(99, change))
        var double = NoteChange()
        double.title = "c"
        double.content = "d"
        do {
            _ = try await database.notes.update(1, double)
            Issue.record("a double was made")
        } catch let error as StorageError {
            #expect(error.code == .conflict)
        }
        #expect(try await database.notes.find(ids: [1]).first?.content == "new")
        #expect(try await database.notes.create(NoteDraft(title: "t", content: "u"), testRun: "r") == .created(4))
        #expect(try await database.notes.find(ids: [4]).isEmpty)
    }

    @Test(
        .slow,
        arguments: [
            ("100%", [3]), ("TIDE", [1]), ("_", [4]), ("\\", [4]), ("ÜBER", [2]), ("über", [2]), ("e\u{301}", [5]),
            ("É", [5]), ("nothing", []), ("a", [5, 4, 3, 2, 1]), ("日本", [2]), ("\u{212A}", []),
        ])
    func `search finds a text literally, whatever its case`(text: String, ids: [Int64]) async throws {
        let database = try TemporaryDatabase().open()
        for (title, content) in [
            ("A tide", ""), ("Über a 日本", ""), ("100% a", ""), ("a_b\\c", "x"), ("caf\u{E9} a", "y"),
        ] {
            _ = try await database.notes.create(NoteDraft(title: title, content: content, createdAt: 5))
        }
        #expect(try await database.notes.page(NoteSelection(text: text), limit: 10).items.map(\.id) == ids)
    }

    @Test func `threads are found by what one remembers of their names`() {
        let names = ["Tide gauge", "Cello lessons", "Garden", "Überraschung", "Gardening tools"]
        func best(_ sought: String) -> String? {
            let scored = names.map { ($0, ThreadNameMatch(sought).score($0)) }.filter {
                $0.1 >= ThreadNameMatch.threshold
            }
            return scored.max { $0.1 < $1.1 }?.0
        }
        #expect(best("garden") == "Garden")
        #expect(best("gardening") == "Gardening tools")
        #expect(best("less") == "Cello lessons")
        #expect(best("gauge tide") == "Tide gauge")
        #expect(best("cello lesons") == "Cello lessons")
        #expect(best("ÜBERRASCHUNG") == "Überraschung")
        #expect(best("guage") == "Tide gauge")
        #expect(best("quantum") == nil)
        #expect(best("xyz") == nil)
        #expect(best("") == nil)
    }

    @Test func `a device is remembered once`() async throws {
        let database = try TemporaryDatabase().open()
        try await database.push.devices.register(token: "t", platform: nil)
        #expect(try await database.push.devices.tokens() == ["t": "ios"])
        try await database.push.devices.register(token: "t", platform: "macos")
        try await database.push.devices.register(token: "t", platform: nil)
        #expect(try await database.push.devices.tokens() == ["t": "macos"])
        try await database.push.devices.unregister(token: "t", key: nil, ofAnyKey: true)
        try await database.push.devices.unregister(token: "t", key: nil, ofAnyKey: true)
        #expect(try await database.push.devices.tokens().isEmpty)
    }

    @Test func `two openings that write at once lose nothing`() async throws {
        let temporary = try TemporaryDatabase()
        let databases = [try temporary.open(), try temporary.open()]
        var change = SessionChange()
        change.title = "s"
        _ = try await databases[0].sessions.save("s", change)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (which, database) in databases.enumerated() {
                for worker in 0..<3 {
                    group.addTask {
                        for number in 0..<25 {
                            let name = "\(which) \(worker) \(number)"
                            _ = try await database.notes.create(NoteDraft(title: name, content: "c", threads: ["T"]))
                            // Both try the same one: it is made once.
                            _ = try await database.notes.create(NoteDraft(title: "same \(number)", content: "c"))
                            _ = try await database.messages.add(to: "s", role: "user", content: name)
                            var pin = SessionChange()
                            pin.isPinned = number.isMultiple(of: 2)
                            _ = try await database.sessions.save("s", pin)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await databases[1].notes.count() == 150 + 25)
        #expect(try await databases[0].messages.page(of: "s", limit: 500)?.items.count == 150)
        #expect(try await databases[0].threads.active(limit: 9).items.map(\.noteCount) == [150])
        #expect(try await databases[0].sessions.find("s")?.title == "s")
    }
}
