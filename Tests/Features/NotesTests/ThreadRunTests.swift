import ThreadRoom
import Foundation
import GatewayAPI
import Goals
import JobRoom
import Machine
import Notes
import Server
import Storage
import TestSupport
import Testing

/// Runs that group notes and propose threads, on stored pairs.
@Suite struct ThreadRuns {
    private static func service(
        _ diary: Diary, changed: @escaping @Sendable () -> Set<Int64>? = { nil }
    ) -> ThreadService {
        ThreadService(store: diary.database, rule: diary.service.rule, now: diary.now) { _, _, _ in
            (changed(), ThreadGroupState(space: 1, position: 7, isGrouped: false))
        }
    }

    @discardableResult
    private static func run(_ diary: Diary, _ changed: Set<Int64>? = nil) async throws -> String? {
        let worker = WorkerName()
        let begun = try await diary.database.jobs.begin(kind: .threads, parameters: "{}", as: worker)
        let message = try await service(diary, changed: { changed }).work(begun.job) { _ in }
        try await diary.database.jobs.end(begun.job.id, .done, message: message, as: worker)
        return message
    }

    /// Notes of subjects that are similar within a subject, written and paired in an order.
    private static func fill(_ diary: Diary, _ subjects: [(word: String, ids: [Int])], shuffled seed: UInt64 = 0) throws
    {
        var random = SeededGenerator(seed)
        var statements: [String] = []
        for (word, ids) in subjects {
            for id in ids {
                statements.append(
                    """
                    INSERT INTO raw_notes (id, title, content, created_at) VALUES
                    (\(id), '\(word) \(id)', 'What I wrote about \(word.lowercased()) that day', '2026-11-\(10 + id % 10) 10:00:00')
                    """)
            }
            for (place, id) in ids.enumerated() {
                for other in ids[(place + 1)...] {
                    statements.append(
                        "INSERT INTO note_associations VALUES (\(id), \(other), 0.\(80 + (id + other) % 15))")
                }
            }
        }
        if seed > 0 { statements.shuffle(using: &random) }
        try diary.write(all: statements)
    }

    private static func open(_ diary: Diary) async throws -> [ThreadProposal] {
        try await diary.database.threadProposals.page(.open, limit: 100).items
    }

    private static let subjects: [(word: String, ids: [Int])] = [
        ("Roof", Array(1...6)), ("Cello", Array(11...15)), ("Garden", Array(21...23)),
    ]

    @Test func `groups of notes become proposals, and nothing is written into threads`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        let message = try await Self.run(diary)
        #expect(message == "3 groups of notes, 2 open proposals, 2 of them new")
        let open = try await Self.open(diary)
        #expect(open.map(\.kind) == [.new, .new] && Set(open.map(\.name)).count == 2)
        let roof = try #require(open.first { $0.name.hasPrefix("Roof") })
        #expect(roof.parts.map(\.count) == [6] && Set(roof.parts[0].notes.map(\.id)) == Set(1...6))
        #expect(roof.why.hasPrefix("6 notes are similar to each other (") && roof.why.hasSuffix("none is in a thread."))
        #expect(roof.summary.hasPrefix("Notes from 2026-11-11 to 2026-11-16. Most typical: \"Roof "))
        #expect(try diary.count("threads") == 0 && diary.count("thread_notes") == 0)
    }

    @Test(.slow) func `a second run changes nothing, and the order of rows does not matter`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try await Self.run(diary)
        let before = try diary.dump()
        let message = try await Self.run(diary)
        #expect(message == "3 groups of notes, 2 open proposals, 0 of them new")
        #expect(try diary.dump() == before)
        for seed in 1...5 {
            let other = try Diary()
            try Self.fill(other, Self.subjects, shuffled: UInt64(seed))
            try await Self.run(other)
            #expect(try other.dump() == before, "seed \(seed)")
        }
    }

    @Test func `two servers at once, and a run that was cut short, come to the same`() async throws {
        let expected = try Diary()
        try Self.fill(expected, Self.subjects)
        try await Self.run(expected)
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        let other = try GatewayDatabase(path: diary.database.path)
        // One job of the kind runs at a time, over all servers on the file.
        let worker = WorkerName()
        let begun = try await diary.database.jobs.begin(kind: .threads, parameters: "{}", as: worker)
        let second = try await other.jobs.begin(kind: .threads, parameters: "{}", as: WorkerName())
        #expect(begun.isNew && !second.isNew && second.job.id == begun.job.id)
        let cut = Task { try await Self.service(diary).work(begun.job) { _ in } }
        cut.cancel()
        _ = await cut.result
        _ = try await diary.database.jobs.end(begun.job.id, .interrupted, as: worker)
        try await Self.run(diary)
        #expect(try diary.dump() == expected.dump())
        try other.close()
    }

    @Test func `an incremental run equals a full one where only some notes changed`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try await Self.run(diary)
        try Self.fill(diary, [("Tide", Array(31...36))])
        try diary.note(7, "Roof 7", "2026-11-20 10:00:00")
        try diary.write(
            "INSERT INTO note_associations VALUES (1, 7, 0.95), (2, 7, 0.95), (3, 7, 0.9)",
            "DELETE FROM raw_notes WHERE id = 13")
        try await Self.run(diary, Set(31...36).union([7, 13]))
        let partly = try await diary.database.threadGroups.groups()
        try await Self.run(diary)
        #expect(try await diary.database.threadGroups.groups() == partly)
        #expect(partly[7] == 1 && partly[13] == nil && partly[14] == 11 && partly[36] == 31)
        let open = try await Self.open(diary)
        #expect(open.count == 3)
        // The proposal is the same one with one note more.
        #expect(open.contains { $0.id <= 2 && $0.parts[0].count == 7 })
    }

    @Test func `an accepted proposal makes its thread once, a declined one does not come back`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try await Self.run(diary)
        let open = try await Self.open(diary)
        let roof = try #require(open.first { $0.name.hasPrefix("Roof") })
        let cello = try #require(open.first { $0.name.hasPrefix("Cello") })
        let store = diary.database.threadProposals
        let accepted = try #require(try await store.accept(roof.id, name: "The roof"))
        #expect(accepted.state == .accepted && accepted.name == "The roof" && accepted.madeThreads?.count == 1)
        #expect(try await store.accept(roof.id)?.madeThreads == accepted.madeThreads)
        #expect(try diary.count("threads") == 1 && diary.count("thread_notes") == 6)
        #expect(try await store.decline(cello.id)?.state == .declined)
        #expect(try await store.decline(cello.id)?.state == .declined)
        await #expect(throws: StorageError.self) { try await store.accept(cello.id) }
        await #expect(throws: StorageError.self) { try await store.decline(roof.id) }
        #expect(try await store.accept(99) == nil)
        #expect(try await store.decline(99) == nil)
        try await Self.run(diary)
        #expect(try await Self.open(diary) == [])
        // A group that grew a little was declined too; notes that fit the thread join it.
        try diary.note(16, "Cello 16", "2026-11-20 10:00:00")
        for id in 41...43 { try diary.note(id, "Roof \(id)", "2026-11-20 10:00:00") }
        for id in 41...43 {
            for other in 1...6 { try diary.write("INSERT INTO note_associations VALUES (\(other), \(id), 0.9)") }
        }
        try diary.write("INSERT INTO note_associations VALUES (11, 16, 0.95), (12, 16, 0.95), (14, 16, 0.95)")
        try await Self.run(diary)
        let joins = try await Self.open(diary)
        #expect(joins.map(\.kind) == [.join] && joins.first?.thread?.name == "The roof")
        #expect(joins.first?.why.contains("3 notes in no thread are similar to notes of \"The roof\"") == true)
        _ = try await store.accept(try #require(joins.first).id)
        #expect(try diary.count("thread_notes") == 9)
        try await Self.run(diary)
        #expect(try await Self.open(diary) == [])
    }

    @Test func `a thread that has grown apart is split when a person accepts`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try diary.write("INSERT INTO threads (id, name, created_at) VALUES (5, 'House', '2025-01-01')")
        for id in Array(1...6) + Array(11...15) + [21] {
            try diary.write("INSERT INTO thread_notes (thread_id, note_id) VALUES (5, \(id))")
        }
        try await Self.run(diary)
        let split = try #require(try await Self.open(diary).first { $0.kind == .split })
        #expect(split.thread?.name == "House" && split.parts.map(\.count) == [6, 5] && split.parts[0].name == "House")
        #expect(split.why.hasPrefix("The thread has parts of 6 and 5 notes."))
        // A note that a person took out meanwhile does not move.
        try diary.write("DELETE FROM thread_notes WHERE note_id = 15")
        let done = try #require(try await diary.database.threadProposals.accept(split.id))
        let made = try #require(done.madeThreads?.first)
        let threads = try await diary.database.threadGroups.threads()
        #expect(
            threads.map(\.notes) == [[1, 2, 3, 4, 5, 6, 21], [11, 12, 13, 14]] && threads.map(\.id) == [5, made])
        #expect(threads.first?.name == "House")
    }

    @Test func `momentum and heat follow the notes, and only that column is written`() async throws {
        let diary = try Diary()
        try diary.write(
            "INSERT INTO threads (id, name, status, created_at) VALUES (1, 'Hot', 'active', '2025-01-01'), (2, 'Cold', 'active', '2025-01-01'), (3, 'Done', 'completed', '2025-01-01')"
        )
        for id in 1...3 { try diary.note(id, "Hot \(id)", "2026-11-2\(id) 10:00:00", thread: 1) }
        for id in 11...14 { try diary.note(id, "Cold \(id)", "2026-11-\(id) 10:00:00", thread: 2) }
        try diary.note(20, "Done", "2026-11-22 10:00:00", thread: 3)
        try await Self.run(diary)
        let heats = try await diary.database.threadGroups.storedHeats()
        #expect(heats[1]?.heat == "heating" && heats[2]?.heat == "cooling" && heats[3] == nil)
        let hot = try #require(try await diary.database.threads.find(1))
        #expect(hot.heat == "heating" && hot.momentumScore == heats[1]?.momentum && (hot.momentumScore ?? 0) > 2)
        #expect(try await diary.database.threads.find(3)?.momentumScore == 0)
        diary.setTime("2027-02-23T10:00:00Z")
        try await Self.run(diary)
        #expect(try await diary.database.threads.find(1)?.heat == "dormant")
    }

    @Test func `tables of other types, and without columns, end no run`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try diary.write(
            "DROP TABLE threads", "CREATE TABLE threads (id, name)", "INSERT INTO threads VALUES ('x', x'ff'), (1, 7)",
            "DROP TABLE thread_notes", "CREATE TABLE thread_notes (thread_id, raw_note_id)",
            "INSERT INTO thread_notes VALUES (x'00', 'a'), (1, 1), (1, x'ff'), ('1', 2)",
            "DROP TABLE note_associations", "CREATE TABLE note_associations (note_a_id, note_b_id, similarity_score)",
            "INSERT INTO note_associations VALUES ('a', x'01', 'b'), (3, 4, 1e999), (1, 2, 'x'), (5, NULL, 0.9)",
            "INSERT INTO note_associations VALUES (2, 3, 0.9), (3, 4, 0.9), (2, 4, 0.95), (2, 5, 0.9), (5, 2, 0.8)",
            "UPDATE raw_notes SET created_at = x'ff', title = x'00' WHERE id = 3")
        try await Self.run(diary)
        let open = try await Self.open(diary)
        #expect(open.count == 1)
        _ = try? await diary.database.threadProposals.accept(try #require(open.first).id)
        try diary.write("DROP TABLE threads", "DROP TABLE thread_notes", "DROP TABLE note_associations")
        try await Self.run(diary)
        try diary.write(
            "INSERT INTO gateway_thread_proposals (kind, name, summary, why, parts, created_at, updated_at) VALUES ('later', x'00', '', '', '[', 1, 1)",
            "INSERT OR REPLACE INTO gateway_meta VALUES ('thread_groups', 'a b c')")
        try await Self.run(diary)
        #expect(try await Self.open(diary) == [])
    }

    @Test func `hidden and deleted notes are in no group and no proposal`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try diary.write(
            "UPDATE raw_notes SET test_run = 'x' WHERE id IN (1, 2, 3)", "DELETE FROM raw_notes WHERE id = 11")
        try await Self.run(diary)
        let open = try await Self.open(diary)
        #expect(open.map { $0.parts.map(\.count) } == [[4]])
        try diary.write("UPDATE raw_notes SET test_run = 'x' WHERE id = 12")
        #expect(try await Self.open(diary).first?.parts[0].count == 3)
        #expect(try await Self.open(diary).first?.parts[0].notes.contains { $0.id == 12 } == false)
    }

    @Test func `a proposal is a card of the briefing until a person decides`() async throws {
        let diary = try Diary()
        try Self.fill(diary, Self.subjects)
        try await Self.run(diary)
        let briefing = try await diary.service.make(again: true)
        let cards = briefing.cards.filter { $0.kind == .newThread }
        #expect(cards.count == 2 && cards.allSatisfy { $0.proposal != nil && $0.thread == nil && !$0.notes.isEmpty })
        for card in cards { _ = try await diary.database.threadProposals.decline(try #require(card.proposal)) }
        let after = try await diary.service.briefing(of: diary.service.today)
        #expect(after?.cards.contains { $0.kind == .newThread } == false)
    }

    @Test func `the workflow is due once a day, from its time on`() async throws {
        let diary = try Diary()
        var settings = try NotesSettings(
            SettingsReader(
                NotesSettings.all, flags: [:],
                environment: ["SELENE_WORKFLOWS": "briefing,threads", "SELENE_BRIEFING_AT": "11:30"], file: nil))
        let service = Self.service(diary)
        #expect(try await !service.isDue(settings))
        diary.setTime("2026-11-23T11:00:00Z")
        #expect(try await service.isDue(settings))
        try await Self.run(diary)
        #expect(try await !service.isDue(settings))
        diary.setTime("2026-11-24T11:00:00Z")
        #expect(try await service.isDue(settings))
        settings.workflows = [.briefing]
        #expect(try await !service.isDue(settings))
    }
}
