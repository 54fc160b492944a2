import BookRoom
import Database
import Foundation
import GatewayAPI
import Machine
import Storage
import TestSupport
import Testing

/// The tables of books in a file and on a server: what is stored comes back.
@Suite(.serialized) struct BookRoomTests {
    @Test(arguments: NotesPlace.allCases)
    func `contents come back as they were stored, over many parts`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let books = stage.books
        let worker = WorkerName()
        let id = try await books.add(BookStage.draft("a.txt", hash: 1)).book.id
        #expect(try await books.claim(id, as: worker) != nil)
        let text = String(repeating: "The tide 潮 comes in. 🎻\n", count: 20_000)
        #expect(try await books.store(BookStage.contents(text), of: id, as: worker))
        let book = try await books.find(id)
        #expect(book.title == "A title" && book.authors == ["One", "Two"] && book.state == .embedding)
        #expect(book.textBytes == text.utf8.count && book.pages == 2 && book.passages == 2 && book.hasCover)
        #expect(book.notices == [Book.Notice(code: "cut", message: "Cut.", pages: [2])])
        #expect(try await books.text(of: id, in: 0..<book.textBytes).text == text)
        // Any range, also within a scalar and across parts.
        let bytes = Array(text.utf8)
        for start in [0, 9, 10, 65_530, 65_536, 131_070, bytes.count - 3] {
            let part = try await books.text(of: id, in: start..<start + 7)
            #expect(part.range.lowerBound <= start && part.range.upperBound >= min(bytes.count, start + 7))
            #expect(Array(part.text.utf8) == Array(bytes[part.range]))
        }
        let page = try await books.page(2, of: id)
        #expect(page.label == "ii" && page.width == 612.5 && page.end == bytes.count)
        #expect(page.blocks.map(\.kind) == ["quote"])
        #expect(page.lines == [BookPage.Line(start: page.start, end: page.end, box: [1, 2.5, 300, 12])])
        #expect(try await books.page(labelled: "ii", of: id) == 2)
        #expect(try await books.page(labelled: "x", of: id) == nil)
        let passages = try await books.passages(of: id, from: 0, limit: 10)
        #expect(passages.map(\.text) == [String(decoding: bytes[..<(bytes.count / 2)], as: UTF8.self), "a view"])
        #expect(passages.map(\.heading) == ["One", "One"])
    }

    @Test(arguments: NotesPlace.allCases)
    func `one holder at a time works on a book, and a dead one loses it`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let books = stage.books
        let id = try await books.add(BookStage.draft("a.txt", hash: 1)).book.id
        let (first, second) = (WorkerName(), WorkerName())
        #expect(try await books.claim(id, as: first) != nil)
        #expect(try await books.claim(id, as: second) == nil)
        #expect(try await books.isHeld(id))
        #expect(try await !books.set(.parsing, of: id, as: second))
        #expect(try await !books.store(BookStage.contents("text"), of: id, as: second))
        try await books.release(id, as: first)
        #expect(try await books.claim(id, as: second) != nil)
        // A process that has ended: the pid of init with another start.
        let dead = second.description.split(separator: "/").map(String.init)
        let name = [dead[0], dead[1], "1", "0", "ff"].joined(separator: "/")
        try await stage.store.run("UPDATE gateway_books SET owner = $1", [.text(name)])
        #expect(try await !books.isHeld(id))
        #expect(try await books.claim(id, as: first) != nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `vectors are stored once, and only for passages that are there`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let books = stage.books
        let worker = WorkerName()
        let id = try await books.add(BookStage.draft("a.txt", hash: 1)).book.id
        _ = try await books.claim(id, as: worker)
        _ = try await books.store(BookStage.contents("Some text of a book."), of: id, as: worker)
        let space = try await stage.space()
        #expect(try await books.pending(in: space.id, of: id, limit: 10).count == 2)
        let vectors = [
            BookVector(book: id, number: 0, vector: [1, 0]), BookVector(book: id, number: 1, vector: []),
            BookVector(book: id, number: 7, vector: [1, 0]), BookVector(book: id + 1, number: 0, vector: [1, 0]),
        ]
        try await books.store(vectors, in: space.id, dimensions: 2)
        try await books.store([BookVector(book: id, number: 0, vector: [0, 1])], in: space.id, dimensions: 2)
        #expect(try await books.pending(in: space.id, of: id, limit: 10).isEmpty)
        let stored = try await books.vectors(in: space.id, dimensions: 2, of: id, from: 0, limit: 10)
        #expect(stored.map(\.vector) == [[1, 0], []])
        #expect(try await books.find(id).embedded == 2)
        await #expect(throws: StorageError.self) {
            try await books.store([BookVector(book: id, number: 0, vector: [1])], in: space.id, dimensions: 2)
        }
        let tail = BookPassageRow(number: 0, range: 0..<4, page: 1, lastPage: 1, heading: nil, view: nil)
        let cut = try await books.setPosition(4, of: id, tail: tail)
        #expect(cut.book.position?.offset == 4 && cut.book.passages == 2)
        #expect(try await books.incomplete(in: space.id) == [id])
        let pending = try await books.pending(in: space.id, of: id, limit: 10)
        #expect(pending.map(\.text) == ["Some"] && pending[0].passage.isTail)
        _ = try await books.setPosition(nil, of: id, tail: nil)
        #expect(try await books.incomplete(in: space.id).isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a list has pages and finds folded text`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let books = stage.books
        for number in 0..<25 {
            _ = try await books.add(
                BookStage.draft(number % 5 == 0 ? "Straße \(number)" : "b\(number)", hash: UInt8(number)))
        }
        var ids: [Int64] = []
        var cursor: PageCursor?
        repeat {
            let page = try await books.page(containing: nil, after: cursor, limit: 10)
            ids += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(ids == (1...25).reversed())
        let found = try await books.page(containing: "STRASSE", after: nil, limit: 3)
        #expect(found.items.map(\.id) == [21, 16, 11] && found.next != nil)
        let rest = try await books.page(containing: "STRASSE", after: found.next, limit: 3)
        #expect(rest.items.map(\.id) == [6, 1] && rest.next == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a worker of another machine holds a book while it gives signs of life`(_ kind: NotesPlace) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let id = try await stage.books.add(BookStage.draft("a.txt", hash: 1)).book.id
        let elsewhere = WorkerName.elsewhere
        let short = BookRoom(stage.others, lease: .zero)
        #expect(try await stage.books.claim(id, as: elsewhere) != nil)
        #expect(try await stage.others.books.claim(id, as: WorkerName()) == nil)
        #expect(try await short.renew(id, as: elsewhere))
        try await waitUntil { try await !short.isHeld(id) }
        #expect(try await short.claim(id, as: WorkerName()) != nil)
        #expect(try await !stage.books.renew(id, as: elsewhere))
        #expect(try await !stage.books.store(BookStage.contents("text"), of: id, as: elsewhere))
    }

    @Test(arguments: NotesPlace.allCases)
    func `contents of a book that is deleted or taken meanwhile leave no rows, and another holder's stay`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let worker = WorkerName()
        let id = try await stage.books.add(BookStage.draft("a.txt", hash: 1)).book.id
        _ = try await stage.books.claim(id, as: worker)
        #expect(try await stage.books.store(BookStage.contents("Some text of a book."), of: id, as: worker))
        #expect(try await !stage.others.books.store(BookStage.contents("Another"), of: id, as: WorkerName()))
        #expect(try await stage.books.text(of: id, in: 0..<4).text == "Some")
        _ = try await stage.others.books.delete(id)
        #expect(try await !stage.books.store(BookStage.contents("Some text of a book."), of: id, as: worker))
        for table in ["texts", "pages", "layouts", "headings", "passages", "covers"] {
            #expect(try await stage.store.rows("SELECT book_id FROM gateway_book_\(table)", []).isEmpty, "\(table)")
        }
        // What a killed process left.
        try await stage.store.run(
            "INSERT INTO gateway_book_texts (book_id, start, text) VALUES ($1, 0, $2)", [.integer(id), .bytes([65])])
        try await stage.books.sweep()
        #expect(try await stage.store.rows("SELECT book_id FROM gateway_book_texts", []).isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `one file that many add at once is one book`(_ kind: NotesPlace) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let added = try await withThrowingTaskGroup(of: (id: Int64, isNew: Bool).self) { group in
            for index in 0..<12 {
                group.addTask {
                    let room = index % 2 == 0 ? stage.books : stage.others.books
                    let added = try await room.add(BookStage.draft("\(index).txt", hash: 7))
                    return (added.book.id, added.isNew)
                }
            }
            return try await group.reduce(into: [(id: Int64, isNew: Bool)]()) { $0.append($1) }
        }
        #expect(Set(added.map(\.id)).count == 1 && added.filter(\.isNew).count == 1)
        #expect(try await stage.books.all().count == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a reader of new vectors misses none, whoever stores them`(_ kind: NotesPlace) async throws {
        guard let stage = try await BookStage(kind) else { return }
        let (space, worker, rounds) = (try await stage.space(), WorkerName(), 40)
        var ids: [Int64] = []
        for hash in 0..<UInt8(rounds) {
            let id = try await stage.books.add(BookStage.draft("\(hash)", hash: hash)).book.id
            _ = try await stage.books.claim(id, as: worker)
            _ = try await stage.books.store(BookStage.contents("Some text of a book."), of: id, as: worker)
            ids.append(id)
        }
        let seen = try await withThrowingTaskGroup(of: Void.self) { [ids] group in
            for (index, id) in ids.enumerated() {
                group.addTask {
                    let room = index % 2 == 0 ? stage.books : stage.others.books
                    try await room.store(
                        (0..<2).map { BookVector(book: id, number: $0, vector: [1, 0]) }, in: space.id, dimensions: 2)
                }
            }
            var (seen, last) = (0, Int64(0))
            while seen < 2 * rounds {
                let found = try await stage.others.books.vectors(in: space.id, dimensions: 2, after: last, limit: 7)
                if found.vectors.isEmpty, group.isEmpty { break }
                seen += found.vectors.count
                last = found.last
                if found.vectors.isEmpty { _ = try await group.next() }
            }
            try await group.waitForAll()
            return seen
        }
        #expect(seen == 2 * rounds)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a commit of another process changes the store's mark`(_ kind: NotesPlace) async throws {
        guard let stage = try await BookStage(kind) else { return }
        for hash in 0..<UInt8(3) {
            let before = try await stage.store.commitMark()
            _ = try await stage.others.books.add(BookStage.draft("a", hash: hash))
            #expect(try await stage.store.commitMark() != before)
        }
    }
}
