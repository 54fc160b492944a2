import AssociationRoom
import BriefingRoom
import Database
import GatewayAPI
import Storage
import TaskRoom
import StoreTestSupport
import TestSupport
import Testing
import ThreadRoom

@testable import PostgresStorage

/// What rooms keep about notes and threads, on a file and on a server.
@Suite(.serialized) struct NoteRoomTests {
    /// A store with its notes and threads.
    struct Place {
        let stage: StoreStage
        var store: any GatewayStore { stage.store }
        var notes: any NoteBook { store.notes }
        var threads: any ThreadBook { store.threads }

        func note(_ title: String, _ content: String = "text", at time: Int64? = nil, thread: String? = nil)
            async throws
        {
            let draft = NoteDraft(
                title: title, content: content, createdAt: time, threads: thread.map { [$0] } ?? [])
            _ = try await notes.create(draft, testRun: nil, request: nil)
        }
    }

    /// Nil where there can be no server.
    private func place(_ place: NotesPlace) async throws -> Place? { try await StoreStage(place).map(Place.init) }

    private func compare(_ pairs: [(Int64, Int64, Double)], _ job: Int64, _ room: AssociationRoom) async throws -> Int {
        _ = try await room.begin(job, in: 1, running: [job])
        try await room.keep(
            pairs.map { NotePair(first: $0.0, second: $0.1, similarity: $0.2) }, of: job, upTo: job * 10)
        #expect(try await room.position(of: job) == job * 10)
        let count = try await room.publish(of: job)
        #expect(try await room.position(of: job) == nil)
        return count
    }

    private func all(_ room: AssociationRoom, of notes: [Int64]? = nil) async throws -> [NotePair] {
        var found: [NotePair] = []
        try await room.pairs(minSimilarity: 0.5, of: notes) { part in
            found += part
            return true
        }
        return found
    }

    @Test(arguments: NotesPlace.allCases)
    func `pairs are collected, published, replaced and listed, each once`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        for number in 1...6 { try await place.note("n\(number)", at: Int64(number) * 1000) }
        let room = place.store.associations
        // The greater similarity counts, and a note that does not exist has no pairs.
        #expect(try await compare([(1, 2, 0.6), (1, 2, 0.9), (2, 3, 0.8), (3, 99, 0.9)], 1, room) == 2)
        #expect(try await all(room).map(\.similarity) == [0.9, 0.8])
        #expect(try await all(room, of: [2, 5]).map(\.second) == [3])
        #expect(try await room.partners(of: [2], minSimilarity: 0.85) == [1])
        #expect(try await compare([(1, 2, 0.9), (4, 5, 0.7)], 2, room) == 2)
        let new = try await room.new(since: 0, limit: 9)
        #expect(new.map(\.first) == [4] && new.map(\.second) == [5])
        #expect(new.map(\.firstTitle) == ["n4"] && new.map(\.secondTitle) == ["n5"])
        #expect(try await room.new(since: 32_472_144_000, limit: 9).isEmpty)
        // Another job's beginning forgets what a job that stopped had collected.
        _ = try await room.begin(3, in: 1, running: [3])
        try await room.keep([NotePair(first: 1, second: 3, similarity: 0.9)], of: 3, upTo: 30)
        #expect(try await room.begin(4, in: 1, running: [4]))
        #expect(try await !room.begin(4, in: 1, running: [4]))
        #expect(try await room.position(of: 3) == 30)
        #expect(try await room.position(of: 4) == nil)
        #expect(try await room.publish(of: 3) == 0)

        let pairs = [(1, 6, 0.95), (2, 6, 0.95), (4, 5, 0.7)].map {
            NotePair(first: Int64($0.0), second: Int64($0.1), similarity: $0.2)
        }
        try await room.replace(pairs, of: [4, 5, 6])
        try await room.replace(pairs, of: [6])
        let first = try await room.page(minSimilarity: 0, since: nil, limit: 2)
        #expect(
            first.items.map { [$0.noteAId, $0.noteBId] } == [[2, 6], [1, 6]] && first.items[0].noteATitle == "n2")
        #expect(first.next != nil)
        let rest = try await room.page(minSimilarity: 0, since: nil, after: first.next, limit: 2)
        #expect(rest.items.map { [$0.noteAId, $0.noteBId] } == [[4, 5]] && rest.next == nil)
        #expect(try await room.page(minSimilarity: 0, since: 6000, limit: 9).items.count == 2)
        #expect(try await room.page(minSimilarity: 0.99, since: nil, limit: 9).items.isEmpty)
        let near = try await room.pairs(minSimilarity: 0.5, newer: 5500...7000, older: 0...1500, limit: 9)
        #expect(near.map(\.first) == [1])
        _ = try await place.notes.delete(6, revision: nil)
        #expect(try await room.page(minSimilarity: 0, since: nil, limit: 9).items.count == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `an accent that is written otherwise is a change, and its version is kept`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        let forms = ["\u{E9}cole", "e\u{301}cole"]
        try await place.note(forms[0], forms[0])
        var (title, content) = (NoteChange(), NoteChange())
        (title.title, content.content) = (forms[1], forms[1])
        for change in [title, content] {
            #expect(try await place.notes.update(1, change, revision: nil))
            let note = try #require(try await place.notes.find(ids: [1]).first)
            let text = change.title == nil ? note.content : note.title
            #expect(Array(text.utf8) == Array(forms[1].utf8))
        }
        #expect(try await place.store.noteHistory.versions(of: 1).count == 2)
        // A repeated change changes nothing.
        #expect(try await place.notes.update(1, title, revision: nil))
        #expect(try await place.store.noteHistory.versions(of: 1).count == 2)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a proposal makes, joins and splits threads once`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        for number in 1...8 { try await place.note("n\(number)", thread: number > 5 ? "House" : nil) }
        let (room, groups) = (place.store.threadProposals, place.store.threadGroups)
        let house = try #require(try await place.threads.find(named: "House")).id
        func proposal(_ kind: ThreadProposal.Kind, _ parts: [[Int64]]) -> StoredThreadProposal {
            StoredThreadProposal(
                kind: kind, thread: kind == .new ? nil : house, name: "Roof", summary: "s", why: "w",
                parts: parts.map { .init(name: "part \($0[0])", notes: $0) })
        }
        try await room.update(
            [proposal(.new, [[1, 2, 99]]), proposal(.join, [[3]]), proposal(.split, [[6], [7, 8, 1]])], withdrawn: [],
            now: 1000)
        let ids = try await room.stored(.open).map(\.id)
        let shown = try #require(try await room.find(ids[0]))
        #expect(shown.parts.map(\.count) == [2] && shown.parts[0].notes.map(\.title) == ["n1", "n2"])
        #expect(try await room.page(.open, limit: 2).items.map(\.kind) == [.split, .join])
        #expect(try await room.page(nil, after: PageCursor(ids[1]), limit: 2).items.map(\.id) == [ids[0]])
        #expect(try await room.open(.new, since: 1000, limit: 5).map(\.id) == [ids[0]])
        #expect(try await room.open(.new, since: 1001, limit: 5).isEmpty)
        // However many accept it at once, it makes one thread.
        let made = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<6 { group.addTask { try await room.accept(ids[0], name: "The roof")?.madeThreads ?? [] } }
            return try await group.reduce(into: Set<Int64>()) { $0.formUnion($1) }
        }
        let roof = try #require(made.first)
        #expect(made.count == 1)
        let thread = try #require(try await place.threads.find(roof))
        #expect(thread.name == "The roof" && thread.status == "active" && thread.noteCount == 2)
        // The table of threads that a file has from the gateway has no column for it.
        #expect(thread.why == (engine == .postgres ? "w" : nil))
        _ = try await room.accept(ids[1])
        let split = try #require(try await room.accept(ids[2])?.madeThreads?.first)
        let members = Dictionary(
            uniqueKeysWithValues: try await groups.threads().map { ($0.id, $0.notes) })
        #expect(members == [house: [3, 6], roof: [1, 2], split: [7, 8]])
        // What another program adds is new, and what a proposal made is not.
        #expect(try await room.newestThread() == max(house, roof, split))
        try await place.note("n9", thread: "Boat")
        let boat = try #require(try await place.threads.find(named: "Boat")).id
        let new = try await room.threads(after: house, limit: 9)
        #expect(new.threads.map(\.id) == [boat] && new.threads.map(\.name) == ["Boat"] && new.newest == boat)
        #expect(try await room.threads(after: house - 1, limit: 1).threads.map(\.name) == ["House"])
        #expect(try await room.threads(after: boat, limit: 9).threads.isEmpty)
        #expect(try await groups.threads().allSatisfy(\.isActive))
        await #expect(throws: StorageError.self) { try await room.decline(ids[0]) }
        try await room.update([proposal(.join, [[99]])], withdrawn: [], now: 2000)
        let last = try #require(try await room.stored(.open).first)
        await #expect(throws: StorageError.self) { try await room.accept(last.id) }
        #expect(try await room.decline(last.id)?.state == .declined)
        await #expect(throws: StorageError.self) { try await room.accept(last.id) }
        #expect(try await room.accept(999) == nil)
        #expect(try await room.decline(999) == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `groups, liveliness and how far they are stay`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        for number in 1...3 { try await place.note("n\(number)", at: Int64(number) * 1000, thread: "House") }
        let room = place.store.threadGroups
        #expect(try await room.state() == nil)
        #expect(try await room.doneDay() == nil)
        let state = ThreadGroupState(space: 3, position: 1 << 40, isGrouped: true)
        try await room.change([1: 1, 2: 1, 3: 3], state)
        try await room.change([2: 3, 3: nil], state)
        #expect(try await room.groups() == [1: 1, 2: 3])
        #expect(try await room.state() == state)
        try await room.setDone("2026-11-28")
        #expect(try await room.doneDay() == "2026-11-28")
        #expect(try await room.noteTimes() == [1: 1000, 2: 2000, 3: 3000])
        #expect(try await room.texts(of: [2, 9])[2]?.title == "n2")
        let house = try #require(try await place.threads.find(named: "House")).id
        let row = ThreadHeatRow(thread: house, heat: "heating", momentum: 0.5, recent: 2, before: 1)
        #expect(try await room.keep([row], now: 10) == 1)
        #expect(try await room.keep([row], now: 20) == 0)
        #expect(try await room.storedHeats() == [house: row])
        let heating = try await room.heating(since: 10, limit: 9)
        #expect(heating.map(\.id) == [house] && heating.map(\.name) == ["House"] && heating.map(\.since) == [10])
        #expect(heating.map(\.recent) == [2] && heating.map(\.before) == [1])
        #expect(try await room.heating(since: 11, limit: 9).isEmpty)
        let listed = try #require(try await place.threads.active(limit: 9).first)
        #expect(listed.heat == "heating" && listed.momentumScore == 0.5)
        #expect(try await room.keep([], now: 30) == 0)
        #expect(try await room.storedHeats().isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a briefing knows what was written when`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        for (number, thread) in ["House", "House", "Boat", nil, "House"].enumerated() {
            try await place.note("n\(number + 1)", at: Int64(number + 1) * 1000, thread: thread)
        }
        let room = place.store.briefings
        let house = try #require(try await place.threads.find(named: "House")).id
        let boat = try #require(try await place.threads.find(named: "Boat")).id
        #expect(
            try await room.activity(from: 1000, since: 2000, until: 9000).map { [$0.thread, Int64($0.recent)] }
                == [[house, 2], [boat, 1]])
        #expect(try await room.activity(from: 1000, since: 4000, until: 9000).map(\.before) == [2])
        #expect(try await room.notes(ofThread: house, until: 4000, limit: 9) == [2, 1])
        #expect(try await room.notes(in: [0..<1001, 4000..<5000], limit: 9) == [4, 1])
        #expect(try await room.notes(in: [], limit: 9).isEmpty)
        #expect(try await Set(room.newThreads(since: 1_000_000, until: .max, limit: 9)) == [house, boat])
        #expect(try await room.newThreads(since: 1, until: 9000, limit: 9).isEmpty)
        let first = StoredBriefing(day: "2026-11-28", zone: "UTC", facts: "[]", madeAt: 5)
        #expect(try await room.keep(first, replacing: false) == first)
        let second = StoredBriefing(day: "2026-11-28", zone: "UTC", facts: "[1]", madeAt: 6)
        #expect(try await room.keep(second, replacing: false) == first)
        #expect(try await room.keep(second, replacing: true) == second)
        #expect(try await room.find("2026-11-27") == nil)
        #expect(try await room.days(madeSince: 6, limit: 9) == ["2026-11-28"])
        #expect(try await room.days(madeSince: 7, limit: 9).isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a note is read once until it changes, and its drafts go with it`(_ engine: NotesPlace) async throws {
        guard let place = try await place(engine) else { return }
        for number in 1...20 { try await place.note("n\(number)", "Call \(number).", at: Int64(number) * 1000) }
        let room = place.store.taskDrafts
        #expect(try await room.unreadCount(since: 2000) == 19)
        let read = try await room.unread(since: 2000, after: 3, limit: 12)
        #expect(read.map(\.id) == Array(4...15) && read[0].content == "Call 4.")
        var change = NoteChange()
        change.content = "Nothing."
        _ = try await place.notes.update(5, change, revision: nil)
        let found = read.map { note in
            (note: note, tasks: [FoundTask(title: note.content, due: nil, source: note.content, range: 0..<6)])
        }
        #expect(try await room.keep(found, at: 0) == 11)
        #expect(try await room.keep(found, at: 0) == 0)
        #expect(try await room.unreadCount(since: 4000) == 6)
        _ = try await place.notes.delete(6, revision: nil)
        #expect(try await room.page(limit: 100).items.map(\.source.noteID) == [15, 14, 13, 12, 11, 10, 9, 8, 7, 4])
        #expect(try await room.openCount() == 11)
        try await room.forgetGone()
        #expect(try await room.openCount() == 10)
        let page = try await room.page(limit: 3)
        #expect(page.next != nil)
        #expect(try await room.page(after: page.next, limit: 3).items.map(\.source.noteID) == [12, 11, 10])
    }
}
