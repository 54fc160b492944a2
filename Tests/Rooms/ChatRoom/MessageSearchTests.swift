import ChatRoom
import Database
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Text

/// The search of messages, in both engines.
@Suite struct SearchOfMessages {
    private struct Said {
        var session: String
        var role: String
        var text: String
    }

    private static let titles = ["a": "Tide gauge", "b": "Bread", "c": "STRASSE", "d": "Empty tide"]
    private static let said = [
        Said(session: "a", role: "user", text: "When is the next spring tide?"),
        Said(session: "a", role: "assistant", text: "The spring tide comes two days after new moon."),
        Said(session: "b", role: "user", text: "How long does the dough rest at the tide line?"),
        Said(session: "b", role: "assistant", text: "Two hours. Knead it twice."),
        Said(session: "c", role: "user", text: "Wo ist die Straße zum Café?"),
    ]

    private static func fill(_ store: any GatewayStore) async throws -> [Int64] {
        for (id, title) in titles.sorted(by: { $0.key < $1.key }) {
            var change = SessionChange()
            change.title = title
            _ = try await store.sessions.save(id, change)
        }
        var ids: [Int64] = []
        for message in said {
            let added = try await store.messages.add(to: message.session, role: message.role, content: message.text)
            ids.append(try #require(added).id)
        }
        return ids
    }

    @Test(arguments: ConversationStage.Kind.allCases)
    func `every word is in the message or in its session's title`(_ kind: ConversationStage.Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let ids = try await Self.fill(stage.store)
        func find(_ groups: [[String]], excluded: [String] = [], titles: [String] = []) async throws -> [Int64?] {
            try await stage.store.find(MessageSearch(groups: groups, excluded: excluded, titles: titles)).items
                .map(\.message?.id)
        }
        #expect(try await find([["SPRING"], ["tide"]]) == [ids[1], ids[0]])
        // "gauge" is in the title only; one of the words has to be in the message.
        #expect(try await find([["gauge"], ["moon"]]) == [ids[1]])
        #expect(try await find([["dough"], ["moon"]]) == [])
        #expect(try await find([["strasse"], ["café"]]) == [ids[4]])
        #expect(try await find([["moon", "dough"]]) == [ids[2], ids[1]])
        #expect(try await find([["tide"]], excluded: ["moon"]) == [ids[2], ids[0], nil])
        #expect(try await find([["two"]], titles: ["bread"]) == [ids[3]])
        // A title alone finds its session: with its latest message, or without any.
        #expect(try await find([["bread"]]) == [ids[3]])
        let empty = try await stage.store.find(MessageSearch(groups: [["empty"]])).items
        #expect(empty.map(\.session) == ["d"] && empty.map(\.message?.id) == [nil] && empty.map(\.matches) == [0])
        #expect(try await find([]) == ids.reversed())
        let found = try await stage.store.find(MessageSearch(groups: [["spring"], ["gauge"]])).items
        #expect(found.map(\.title) == ["Tide gauge", "Tide gauge"] && found.map(\.matches) == [1, 1])
        #expect(found.map { $0.message?.role } == ["assistant", "user"])
    }

    @Test(arguments: ConversationStage.Kind.allCases)
    func `days and the number of a session's messages are bounds`(_ kind: ConversationStage.Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        var change = SessionChange()
        change.title = "Long"
        _ = try await stage.store.sessions.save("long", change)
        var ids: [Int64] = []
        for index in 0..<15 {
            let added = try await stage.store.messages.add(to: "long", role: "user", content: "tide \(index)")
            ids.append(try #require(added).id)
            try await stage.setTime(ids[index], 1_800_000_000 + Int64(index) * 86_400)
        }
        let all = try await stage.store.find(MessageSearch(groups: [["tide"]]))
        #expect(
            all.items.map(\.message?.id) == Array(ids.reversed().prefix(10)) as [Int64?] && all.others == ["long": 5])
        #expect(all.cutAfter == nil)
        let some = try await stage.store.find(
            MessageSearch(groups: [["tide"]], since: 1_800_086_400, until: 1_800_172_800))
        #expect(some.items.map(\.message?.id) == [ids[2], ids[1]])
    }

    @Test(arguments: ConversationStage.Kind.allCases)
    func `messages that an app keeps as JSON are found, too, unless the session has its own`(
        _ kind: ConversationStage.Kind
    ) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let texts = [
            "a":
                #"[{"role":"user","content":"When is the tide\nhighest? \u00c4"},{"role":"assistant","content":"At noon."},7,{"x":1}]"#,
            "b": #"[{"role":"user","content":"tide"}]"#, "c": #"{"role":"user","content":"tide"}"#, "d": "[]",
        ]
        for (id, json) in texts.sorted(by: { $0.key < $1.key }) {
            var change = SessionChange()
            (change.title, change.messagesJSON, change.messageCount) = ("Chat \(id)", .set(json), 1)
            _ = try await stage.store.sessions.save(id, change)
        }
        let own = try #require(try await stage.store.messages.add(to: "b", role: "user", content: "tide"))
        let found = try await stage.store.find(MessageSearch(groups: [["tide"]])).items
        #expect(found.map(\.session) == ["b", "a"] && found.map(\.message?.id) == [own.id, 0])
        #expect(found.last?.message?.content == "When is the tide\nhighest? Ä" && found.last?.message?.createdAt != nil)
        #expect(try await stage.store.find(MessageSearch(groups: [["ä"]])).items.map(\.session) == ["a"])
        #expect(try await stage.store.find(MessageSearch(groups: [["role"]])).items.isEmpty)
        #expect(try await stage.store.find(MessageSearch(groups: [["noon"]], titles: ["chat a"])).items.count == 1)
    }

    /// The slow way: all messages and titles, compared one by one.
    @Test(arguments: ConversationStage.Kind.allCases)
    func `random messages are found as a slow scan finds them`(_ kind: ConversationStage.Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let words = ["tide", "Tide", "straße", "STRASSE", "café", "cafe\u{301}", "moon", "雨", "it’s", "it's", "🎻", ""]
        var generator = SeededGenerator(9)
        func text() -> String {
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
                .joined(separator: " ")
        }
        var messages: [(id: Int64, title: String, text: String)] = []
        for session in 0..<6 {
            var change = SessionChange()
            let title = "s " + text()
            change.title = title
            _ = try await stage.store.sessions.save("\(session)", change)
            for _ in 0..<6 {
                let content = "m " + text()
                let added = try await stage.store.messages.add(to: "\(session)", role: "user", content: content)
                messages.append((try #require(added).id, title, content))
            }
        }
        for _ in 0..<60 {
            let groups = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                [words.dropLast().randomElement(using: &generator) ?? "tide"]
            }
            func has(_ text: String, _ group: [String]) -> Bool {
                group.contains { TextFolding.folded(text).contains(TextFolding.folded($0)) }
            }
            let expected = messages.filter { message in
                groups.allSatisfy { has(message.text, $0) || has(message.title, $0) }
                    && groups.contains { has(message.text, $0) }
            }
            let found = try await stage.store.find(MessageSearch(groups: groups)).items.filter { $0.matches > 0 }
            #expect(Set(found.compactMap(\.message?.id)) == Set(expected.map(\.id)), "\(groups)")
        }
    }
}
