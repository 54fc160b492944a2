import Foundation
import GatewayAPI
import Retrieval
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Notes read and written one by one, compared with those of a file.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresNoteBookTests {
    private static let words = ["tide", "Straße", "STRASSE", "ＭＯＯＮ", "moon", "80%", "潮", "İzmir", "ς", "a_b"]

    /// What a call gave: a value or the code of its error.
    private func outcome(_ call: () async throws -> String) async -> String {
        do {
            return try await call()
        } catch let error as StorageError {
            return "\(error.code.rawValue): \(error.message)"
        } catch {
            return "\(error)"
        }
    }

    /// A note as clients see it, without the numbers of its threads.
    private func text(_ note: Note) -> String {
        let parts = [note.title, note.content, note.createdAt, note.noteType ?? "-", note.actionability ?? "-"]
        let lists = [note.tags, note.threads.map(\.name).sorted()].map { $0.joined(separator: ",") }
        return "\(note.id) " + (parts + lists).joined(separator: "|")
    }

    /// All pages of a selection.
    private func pages(_ book: any NoteBook, _ selection: NoteSelection, limit: Int) async throws -> [[String]] {
        var (pages, cursor) = ([[String]](), PageCursor?.none)
        repeat {
            let page = try await book.page(selection, after: cursor, limit: limit)
            pages.append(page.items.map(text))
            cursor = page.next
        } while cursor != nil
        return pages
    }

    private func draft(_ random: inout SeededGenerator) -> NoteDraft {
        func word() -> String { Self.words.randomElement(using: &random) ?? "" }
        return NoteDraft(
            title: word(), content: "\(word()) \(word())", createdAt: .random(in: 0...9, using: &random) * 86_400,
            noteType: Bool.random(using: &random) ? "idea" : nil,
            threads: Bool.random(using: &random) ? [word()] : [], tags: Bool.random(using: &random) ? [word()] : [])
    }

    private func change(_ random: inout SeededGenerator) -> NoteChange {
        var change = NoteChange()
        let new = draft(&random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: change.title = new.title
        case 1: change.content = new.content
        case 2: change.createdAt = new.createdAt
        case 3: change.noteType = new.noteType.map { .set($0) } ?? .clear
        case 4: change.threads = new.threads
        default: (change.tags, change.actionability) = (new.tags, .set("later"))
        }
        return change
    }

    @Test(.slow) func `any row of changes gives the notes, pages and errors of a file`() async throws {
        let folder = try TemporaryFolder()
        let file = try GatewayDatabase(path: folder.path("notes.sqlite"))
        let store = try await PostgresStage().store
        let books: [any NoteBook] = [file.notes, store.notes]
        var random = SeededGenerator(11)
        for step in 0..<260 {
            let (kind, id) = (Int.random(in: 0..<10, using: &random), Int64.random(in: 1...60, using: &random))
            let (draft, change) = (draft(&random), change(&random))
            let request =
                Int.random(in: 0..<3, using: &random) == 0
                ? NoteRequest(caller: id % 2, key: "\(step % 7)") : nil
            let isStale = Int.random(in: 0..<4, using: &random) == 0
            var outcomes: [String] = []
            for book in books {
                await outcomes.append(
                    outcome {
                        switch kind {
                        case 0...4:
                            return "\(try await book.create(draft, testRun: kind == 0 ? "r" : nil, request: request))"
                        case 5...8:
                            let revision = try await book.find(ids: [id]).first?.currentRevision
                            return "\(try await book.update(id, change, revision: isStale ? "0123456789ab" : revision))"
                        default: return "\(try await book.delete(id, revision: isStale ? "0123456789ab" : nil))"
                        }
                    })
            }
            #expect(outcomes[0] == outcomes[1], "step \(step)")
        }
        for selection in [
            NoteSelection(), NoteSelection(since: 4 * 86_400), NoteSelection(text: "strasse"),
            NoteSelection(text: "moon"), NoteSelection(text: "0%"), NoteSelection(text: "_"),
            NoteSelection(text: "Σ", since: 86_400),
        ] {
            for limit in [1, 7, 500] {
                let found = try await (
                    pages(books[0], selection, limit: limit), pages(books[1], selection, limit: limit)
                )
                #expect(found.0 == found.1, "\(selection) \(limit)")
                #expect(limit == 500 || found.0.count > 1 || selection.text != nil)
            }
        }
        let ids = try await books[0].page(after: nil, limit: 500).items.map(\.id)
        #expect(ids.count > 20)
        let assigned = try await (books[0].threadAssignments(of: ids), books[1].threadAssignments(of: ids))
        #expect(assigned.0.map(\.noteId).sorted() == assigned.1.map(\.noteId).sorted())
        #expect(assigned.0.map(\.threadName).sorted() == assigned.1.map(\.threadName).sorted())
        // Words, queue and searches followed the changes.
        let search = PostgresSearch(store)
        let view = try await search.view()
        let shown = try await store.rows("SELECT count(*) FROM note_words")
        #expect(shown.integer(0, 0) == Int64(ids.count) && view.totals.documents == ids.count)
    }

    @Test(.slow) func `of gateways that create the same note at once, one creates it`() async throws {
        let stage = try await PostgresStage()
        let books = try (0..<4).map { _ in try PostgresStage.store(stage.uri).notes }
        let draft = NoteDraft(title: "boat", content: "oil the winch", threads: ["pier"])
        func race(_ request: NoteRequest?) async throws -> [NoteCreation] {
            try await withThrowingTaskGroup(of: NoteCreation.self) { group in
                for book in books + books {
                    group.addTask { try await book.create(draft, testRun: nil, request: request) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let first = try await race(nil)
        #expect(first.count { $0 == .created(1) } == 1 && first.count { $0 == .duplicate(1) } == 7, "\(first)")
        #expect(try await books[0].delete(1, revision: nil))
        let repeated = try await race(NoteRequest(caller: 1, key: "k"))
        #expect(Set(repeated).count == 1, "\(repeated)")
        #expect(try await books[0].count() == 1)
        #expect(try await stage.store.rows("SELECT count(*) FROM threads").integer(0, 0) == 1)
    }

    @Test(.slow) func `of changes made at the same time, those of one revision give one, others all count`()
        async throws
    {
        let stage = try await PostgresStage()
        let books = try (0..<4).map { _ in try PostgresStage.store(stage.uri).notes }
        _ = try await books[0].create(NoteDraft(title: "boat", content: "0"), testRun: nil, request: nil)
        let revision = try #require(try await books[0].find(ids: [1]).first).currentRevision
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for (number, book) in books.enumerated() {
                group.addTask {
                    var change = NoteChange()
                    change.content = "\(number + 1)"
                    return (try? await book.update(1, change, revision: revision)) ?? false
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, book) in books.enumerated() {
                group.addTask {
                    var change = NoteChange()
                    if number % 2 == 0 { change.tags = ["t"] } else { change.noteType = .set("idea") }
                    let isDone = try await book.update(1, change, revision: nil)
                    #expect(isDone)
                }
            }
            try await group.waitForAll()
        }
        let note = try #require(try await books[0].find(ids: [1]).first)
        #expect(note.tags == ["t"] && note.noteType == "idea")
    }

    @Test(.slow) func `a page ends where its texts are large`() async throws {
        let store = try await PostgresStage().store
        let long = String(repeating: "tide ", count: 1 << 20)
        for number in 0..<5 {
            _ = try await store.notes.create(
                NoteDraft(title: "\(number)", content: long, createdAt: Int64(number)), testRun: nil, request: nil)
        }
        let pages = try await pages(store.notes, NoteSelection(), limit: 10)
        #expect(pages.map(\.count) == [3, 2])
    }

    @Test func `receipts are forgotten after a number and a time`() async throws {
        let store = try await PostgresStage().store
        func create(_ number: Int) async throws -> NoteCreation {
            try await store.notes.create(
                NoteDraft(title: "\(number)", content: ""), testRun: nil,
                request: NoteRequest(caller: 1, key: "\(number)"))
        }
        #expect(try await create(1) == .created(1))
        _ = try await store.write {
            try await $0.run("UPDATE note_receipts SET created = now() - interval '31 days'")
        }
        #expect(try await create(2) == .created(2))
        #expect(try await store.rows("SELECT count(*) FROM note_receipts").integer(0, 0) == 1)
        // Without its receipt a repeat finds the note itself.
        #expect(try await create(1) == .duplicate(1))
        _ = try await store.write {
            try await $0.run(
                """
                INSERT INTO note_receipts (caller, key, request, note_id)
                SELECT 1, int8send(n), '', 1 FROM generate_series(1, 1200) AS g (n)
                """)
        }
        #expect(try await create(3) == .created(3))
        #expect(
            try await store.rows("SELECT count(*) FROM note_receipts").integer(0, 0) == Int64(NoteRequest.maxPerCaller))
    }
}
