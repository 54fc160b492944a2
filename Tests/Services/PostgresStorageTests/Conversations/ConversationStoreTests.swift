import Foundation
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// What every store of chat sessions does, in a file and in PostgreSQL.
@Suite(.serialized) struct ConversationStoreTests {
    typealias Kind = ConversationStage.Kind

    static func change(_ set: (inout SessionChange) -> Void) -> SessionChange {
        var change = SessionChange()
        set(&change)
        return change
    }

    @Test(arguments: Kind.allCases)
    func `a session is merged field by field, and cleared only when told`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        await #expect {
            try await store.sessions.save("a", SessionChange())
        } throws: {
            let error = $0 as? StorageError
            return error?.code == .invalid && error?.message.contains("title") == true
        }
        var first = SessionChange()
        first.title = "one"
        first.messagesJSON = .set(#"[{"a":1},{"b":"\u0000\ud83d"}]"#)
        first.summaryText = .set("short")
        first.updatedAt = 100
        let made = try await store.sessions.save("a", first)
        #expect(made.messageCount == 2 && made.compressionState == "full" && !made.isPinned)
        #expect(made.updatedAt == "1970-01-01 00:01:40" && made.createdAt?.hasPrefix("20") == true)
        #expect(made.compressedAt == nil && made.compressedThrough == nil && made.compressionError == nil)
        var second = SessionChange()
        second.isPinned = true
        let merged = try await store.sessions.save("a", second)
        #expect(merged.title == "one" && merged.isPinned && merged.summaryText == "short" && merged.messageCount == 2)
        #expect(merged.messagesJSON == first.messagesJSON.value && merged.createdAt == made.createdAt)
        #expect(try #require(merged.updatedAt) > "2026", "a change without a time is one now")
        second.summaryText = .clear
        second.messagesJSON = .clear
        second.compressedAt = .set(200)
        second.compressionState = "compressed"
        let cleared = try await store.sessions.save("a", second)
        #expect(cleared.summaryText == nil && cleared.messagesJSON == "[]")
        #expect(cleared.compressedAt == "1970-01-01 00:03:20" && cleared.compressionState == "compressed")
        let uncompressed = try await store.sessions.save("a", Self.change { $0.compressedAt = .clear })
        #expect(uncompressed.compressedAt == nil)
        #expect(try await store.sessions.find("a") == uncompressed)
        #expect(try await store.sessions.pin("a", false)?.isPinned == false)
        #expect(try await store.sessions.pin("b", false) == nil)
        #expect(try await store.sessions.find("b") == nil)
        let added = try #require(try await store.messages.add(to: "a", role: "user", content: "x"))
        #expect(try await store.messages.page(of: "a", after: nil, limit: 9)?.items == [added])
        #expect(try await store.messages.recent(after: nil, limit: 9).items == [added])
        #expect(try await store.messages.add(to: "b", role: "user", content: "x") == nil)
        #expect(try await store.sessions.delete("a"))
        #expect(try await !store.sessions.delete("a"))
        #expect(try await store.messages.recent(after: nil, limit: 9).items.isEmpty)
    }

    @Test(arguments: [Kind.otherFile, .postgres])
    func `a given number of messages is kept until the messages change`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        let made = try await store.sessions.save("a", Self.change { $0.title = "t" })
        #expect(made.messageCount == 0)
        let given = try await store.sessions.save("a", Self.change { $0.messageCount = 40 })
        #expect(given.messageCount == 40)
        #expect(try await store.sessions.save("a", Self.change { $0.messagesJSON = .clear }).messageCount == 40)
        #expect(try await store.sessions.save("a", Self.change { $0.messagesJSON = .set("[1]") }).messageCount == 1)
    }

    @Test(arguments: Kind.allCases) func `a missing session and an empty one differ`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        _ = try await store.sessions.save("a", Self.change { $0.title = "t" })
        #expect(try await store.messages.page(of: "a", after: nil, limit: 9)?.items.isEmpty == true)
        #expect(try await store.messages.newestPage(of: "a", after: nil, limit: 9)?.items.isEmpty == true)
        #expect(try await store.messages.page(of: "b", after: nil, limit: 9) == nil)
        #expect(try await store.messages.newestPage(of: "b", after: nil, limit: 9) == nil)
        // A reader whose session was deleted between two pages comes to an end.
        let page = try await store.messages.page(of: "b", after: PageCursor(1, 1), limit: 9)
        #expect(page?.items.isEmpty == true && page?.next == nil)
        #expect(try await store.messages.newestPage(of: "b", after: PageCursor(before: 7), limit: 9)?.items == [])
        for cursor in [PageCursor(1), PageCursor(1, 2, 3), PageCursor(1, 2, id: "x")] {
            await #expect(throws: StorageError.self) {
                try await store.messages.page(of: "a", after: cursor, limit: 1)
            }
            await #expect(throws: StorageError.self) { try await store.messages.recent(after: cursor, limit: 1) }
            await #expect(throws: StorageError.self) { try await store.sessions.page(after: cursor, limit: 1) }
        }
        await #expect(throws: StorageError.self) {
            try await store.messages.newestPage(of: "a", after: PageCursor(1, 2), limit: 1)
        }
    }

    /// Reads a list to its end, with a write before each page.
    private func readAll<Item: Sendable, Key: Hashable>(
        _ page: (PageCursor?, Int) async throws -> Page<Item>, key: (Item) -> Key, write: (Int) async throws -> Void
    ) async throws -> [Key] {
        var (keys, cursor, step) = ([Key](), PageCursor?.none, 0)
        repeat {
            let found = try await page(cursor, 1 + (step * 7) % 5)
            keys += found.items.map(key)
            cursor = found.next.flatMap { PageCursor(text: $0.text) }
            #expect((found.next == nil) == (cursor == nil))
            step += 1
            try await write(step)
        } while cursor != nil && step < 1000
        #expect(Set(keys).count == keys.count, "a row came twice")
        return keys
    }

    /// Times that collide.
    private static func time(_ number: Int) -> Int64 { Int64(1_767_000_000 + (number * 37) % 11) }

    @Test(.slow, arguments: Kind.allCases)
    func `sessions and messages come once, in order, while others are added`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let (store, second) = (stage.store, stage.stores[1])
        var ids: [String] = []
        for number in 0..<30 {
            // The order of bytes, not that of a language or of UTF-16.
            let id = ["a", "B", "ä", "\u{FFFD}", "\u{1D11E}", "%_'\""][number % 6] + "\(number)"
            ids.append(id)
            let change = Self.change {
                $0.title = "t"
                $0.updatedAt = Self.time(number)
            }
            _ = try await store.sessions.save(id, change)
        }
        let expected = ids.enumerated().sorted {
            let (left, right) = (Self.time($0.offset), Self.time($1.offset))
            return left == right
                ? $1.element.utf8.lexicographicallyPrecedes($0.element.utf8) : left > right
        }.map(\.element)
        let sessions = try await readAll(
            { try await store.sessions.page(after: $0, limit: $1) }, key: \.id
        ) { step in
            let change = Self.change {
                $0.title = "new"
                $0.updatedAt = Self.time(step)
            }
            _ = try await second.sessions.save("new \(step)", change)
        }
        #expect(sessions.filter { !$0.hasPrefix("new") } == expected)

        var times: [Int64: Int64] = [:]
        func add(_ number: Int) async throws -> Int64 {
            let message = try #require(try await second.messages.add(to: ids[0], role: "user", content: "\(number)"))
            try await stage.setTime(message.id, Self.time(number))
            return message.id
        }
        for number in 0..<40 { times[try await add(number)] = Self.time(number) }
        let oldest = times.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        let known = Set(oldest)
        let read = try await readAll(
            { try #require(try await store.messages.page(of: ids[0], after: $0, limit: $1)) }, key: \.id
        ) { _ = try await add($0) }
        #expect(read.filter(known.contains) == oldest)
        let recent = try await readAll({ try await store.messages.recent(after: $0, limit: $1) }, key: \.id) {
            _ = try await add($0)
        }
        #expect(recent.filter(known.contains) == oldest.reversed())
        let newest = try await readAll(
            { try #require(try await store.messages.newestPage(of: ids[0], after: $0, limit: $1)) }, key: \.id
        ) { _ = try await add($0) }
        #expect(newest.filter(known.contains) == known.sorted(by: >))
        let before = try await store.messages.newestPage(of: ids[0], after: PageCursor(before: oldest[5]), limit: 500)
        #expect(before?.items.allSatisfy { $0.id < oldest[5] } == true)
    }

    @Test(.slow, arguments: Kind.allCases)
    func `pages of large texts end early, and the rest follows`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        let large = String(repeating: "x", count: PageLimits.maxBytes / 3)
        for number in 0..<4 {
            let change = Self.change {
                $0.title = "\(number)"
                $0.updatedAt = Int64(number)
                $0.messagesJSON = .set("[\"\(large)\"]")
            }
            _ = try await store.sessions.save("\(number)", change)
            _ = try await store.messages.add(to: "0", role: "user", content: "\(number)\(large)")
        }
        let sessions = try await store.sessions.page(after: nil, limit: 9)
        #expect(sessions.items.map(\.id) == ["3", "2"])
        #expect(try await store.sessions.page(after: sessions.next, limit: 9).items.map(\.id) == ["1", "0"])
        let messages = try #require(try await store.messages.page(of: "0", after: nil, limit: 9))
        #expect(messages.items.map(\.content.first) == ["0", "1"])
        let rest = try #require(try await store.messages.page(of: "0", after: messages.next, limit: 9))
        #expect(rest.items.map(\.content.first) == ["2", "3"] && rest.next == nil)
        let newest = try #require(try await store.messages.newestPage(of: "0", after: nil, limit: 9))
        #expect(newest.items.map(\.content.first) == ["3", "2"] && newest.next != nil)
    }

    @Test(.slow, arguments: Kind.allCases)
    func `odd values come back, and too large ones count as missing`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        let id = "a/b ü \u{301} '\"\\%_\u{1F469}\u{200D}\u{1F467}\r\n\u{1}"
        let odd = Self.change {
            $0.title = id + "\u{FEFF}"
            $0.createdAt = .min
            $0.updatedAt = .max
            $0.compressedAt = .set(.max)
            $0.summaryText = .set("")
        }
        let session = try await store.sessions.save(id, odd)
        #expect(session.id == id && session.title == id + "\u{FEFF}")
        #expect(session.createdAt == "0000-01-01 00:00:00" && session.updatedAt == "9999-12-31 23:59:59")
        #expect(session.compressedAt == "9999-12-31 23:59:59" && session.summaryText == "")
        let page = try await store.sessions.page(after: nil, limit: 1)
        #expect(page.items == [session] && page.next == nil)
        // Ids that are equal to Swift, but have other bytes, are those of other sessions.
        #expect("e\u{301}" == "\u{E9}")
        _ = try await store.sessions.save("e\u{301}", Self.change { $0.title = "two" })
        _ = try await store.sessions.save("\u{E9}", Self.change { $0.title = "one" })
        #expect(try await store.sessions.find("e\u{301}")?.title == "two")
        for content in ["\u{FEFF}e\u{301}\u{E9}\r\n\t\u{1}", "{}", "\u{10FFFF}"] {
            let added = try #require(try await store.messages.add(to: id, role: "assistant", content: content))
            let read = try await store.messages.newestPage(of: id, after: nil, limit: 1)?.items.first
            #expect(read == added && read.map { Array($0.content.utf8) } == Array(content.utf8))
        }
        let huge = String(repeating: "y", count: ValueLimit.text + 1)
        let change = Self.change {
            $0.messagesJSON = .set("[\"\(huge)\"]")
            $0.summaryText = .set(String(repeating: "z", count: ValueLimit.field + 1))
        }
        let large = try await store.sessions.save(id, change)
        #expect(large.messagesJSON == nil && large.summaryText == nil && large.messageCount == 1)
        let added = try await store.messages.add(to: id, role: "user", content: huge)
        #expect(added?.content.utf8.count == huge.utf8.count)
        let read = try await store.messages.page(of: id, after: nil, limit: 9)
        #expect(read?.items.count == 4 && read?.items.last?.content == "")
    }
}
