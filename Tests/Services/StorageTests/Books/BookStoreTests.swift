import Foundation
import GRDB
import GatewayAPI
import Machine
import Storage
import TestSupport
import Testing

/// The tables of books: what is stored comes back, and rows that make no sense are no crash.
@Suite struct BookTables {
    private func draft(_ name: String, hash: UInt8) -> BookDraft {
        BookDraft(
            hash: Data(repeating: hash, count: 32), bytes: 10, source: name, title: name, format: "text",
            contentType: nil, isPrivate: false)
    }

    private func contents(_ text: String, pages count: Int = 2) -> BookContents {
        var details = BookDetails(format: "text", numbering: "labels")
        details.title = "A title"
        details.authors = ["One", "Two"]
        details.cover = [0x89, 0x50, 0x4E, 0x47]
        details.notices = [Book.Notice(code: "cut", message: "Cut.", pages: [2])]
        let bytes = Array(text.utf8)
        let step = bytes.count / count
        let pages = (0..<count).map { index in
            var page = BookPageRow(
                number: index + 1, label: ["i", "ii", "1", "2"][index % 4],
                range: index * step..<(index + 1 == count ? bytes.count : (index + 1) * step))
            page.width = 612.5
            page.blocks = [BookPage.Block(kind: "quote", start: page.range.lowerBound, end: page.range.upperBound)]
            page.lines = [
                BookPage.Line(start: page.range.lowerBound, end: page.range.upperBound, box: [1, 2.5, 300, 12])
            ]
            return page
        }
        return BookContents(
            details: details, text: bytes, pages: pages,
            headings: [BookHeadingRow(level: 1, title: "One", range: 0..<bytes.count)],
            passages: [
                BookPassageRow(number: 0, range: 0..<step, page: 1, lastPage: 1, heading: 0, view: nil),
                BookPassageRow(number: 1, range: step..<bytes.count, page: 2, lastPage: 2, heading: 0, view: "a view"),
            ])
    }

    @Test func `contents come back as they were stored, over many parts`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let id = try await database.books.add(draft("a.txt", hash: 1)).book.id
        #expect(try await database.books.claim(id, as: worker) != nil)
        let text = String(repeating: "The tide 潮 comes in. 🎻\n", count: 20_000)
        #expect(try await database.books.store(contents(text), of: id, as: worker))
        let book = try await database.books.find(id)
        #expect(book.title == "A title" && book.authors == ["One", "Two"] && book.state == .embedding)
        #expect(book.textBytes == text.utf8.count && book.pages == 2 && book.passages == 2 && book.hasCover)
        #expect(book.notices == [Book.Notice(code: "cut", message: "Cut.", pages: [2])])
        #expect(try await database.books.text(of: id, in: 0..<book.textBytes).text == text)
        // Any range, also within a scalar and across parts.
        let bytes = Array(text.utf8)
        for start in [0, 9, 10, 65_530, 65_536, 131_070, bytes.count - 3] {
            let part = try await database.books.text(of: id, in: start..<start + 7)
            #expect(part.range.lowerBound <= start && part.range.upperBound >= min(bytes.count, start + 7))
            #expect(Array(part.text.utf8) == Array(bytes[part.range]))
        }
        let page = try await database.books.page(2, of: id)
        #expect(page.label == "ii" && page.width == 612.5 && page.end == bytes.count)
        #expect(page.blocks.map(\.kind) == ["quote"])
        #expect(page.lines == [BookPage.Line(start: page.start, end: page.end, box: [1, 2.5, 300, 12])])
        #expect(try await database.books.page(labelled: "ii", of: id) == 2)
        #expect(try await database.books.page(labelled: "x", of: id) == nil)
        let passages = try await database.books.passages(of: id, from: 0, limit: 10)
        #expect(passages.map(\.text) == [String(decoding: bytes[..<(bytes.count / 2)], as: UTF8.self), "a view"])
        #expect(passages.map(\.heading) == ["One", "One"])
        try database.close()
    }

    @Test func `one holder at a time works on a book, and a dead one loses it`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let id = try await database.books.add(draft("a.txt", hash: 1)).book.id
        let (first, second) = (WorkerName(), WorkerName())
        #expect(try await database.books.claim(id, as: first) != nil)
        #expect(try await database.books.claim(id, as: second) == nil)
        #expect(try await database.books.isHeld(id))
        #expect(try await !database.books.set(.parsing, of: id, as: second))
        #expect(try await !database.books.store(contents("text"), of: id, as: second))
        try await database.books.release(id, as: first)
        #expect(try await database.books.claim(id, as: second) != nil)
        // A process that has ended: the pid of init with another start.
        let dead = second.description.split(separator: "/").map(String.init)
        let name = [dead[0], dead[1], "1", "0", "ff"].joined(separator: "/")
        let queue = try DatabaseQueue(path: file.path)
        try await queue.write { try $0.execute(sql: "UPDATE gateway_books SET owner = ?", arguments: [name]) }
        #expect(try await !database.books.isHeld(id))
        #expect(try await database.books.claim(id, as: first) != nil)
        try queue.close()
        try database.close()
    }

    @Test func `vectors are stored once, and only for passages that are there`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let id = try await database.books.add(draft("a.txt", hash: 1)).book.id
        _ = try await database.books.claim(id, as: worker)
        _ = try await database.books.store(contents("Some text of a book."), of: id, as: worker)
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        #expect(try await database.books.pending(in: space.id, of: id, limit: 10).count == 2)
        let vectors = [
            BookVector(book: id, number: 0, vector: [1, 0]), BookVector(book: id, number: 1, vector: []),
            BookVector(book: id, number: 7, vector: [1, 0]), BookVector(book: id + 1, number: 0, vector: [1, 0]),
        ]
        try await database.books.store(vectors, in: space)
        try await database.books.store([BookVector(book: id, number: 0, vector: [0, 1])], in: space)
        #expect(try await database.books.pending(in: space.id, of: id, limit: 10).isEmpty)
        let stored = try await database.books.vectors(in: space, of: id, from: 0, limit: 10)
        #expect(stored.map(\.vector) == [[1, 0], []])
        #expect(try await database.books.find(id).embedded == 2)
        await #expect(throws: StorageError.self) {
            try await database.books.store([BookVector(book: id, number: 0, vector: [1])], in: space)
        }
        let tail = BookPassageRow(number: 0, range: 0..<4, page: 1, lastPage: 1, heading: nil, view: nil)
        let cut = try await database.books.setPosition(4, of: id, tail: tail)
        #expect(cut.book.position?.offset == 4 && cut.book.passages == 2)
        #expect(try await database.books.incomplete(in: space.id) == [id])
        let pending = try await database.books.pending(in: space.id, of: id, limit: 10)
        #expect(pending.map(\.text) == ["Some"] && pending[0].passage.isTail)
        _ = try await database.books.setPosition(nil, of: id, tail: nil)
        #expect(try await database.books.incomplete(in: space.id).isEmpty)
        try database.close()
    }

    @Test func `a list has pages and finds folded text`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        for number in 0..<25 {
            _ = try await database.books.add(
                draft(number % 5 == 0 ? "Straße \(number)" : "b\(number)", hash: UInt8(number)))
        }
        var ids: [Int64] = []
        var cursor: PageCursor?
        repeat {
            let page = try await database.books.page(containing: nil, after: cursor, limit: 10)
            ids += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(ids == (1...25).reversed())
        let found = try await database.books.page(containing: "STRASSE", after: nil, limit: 3)
        #expect(found.items.map(\.id) == [21, 16, 11] && found.next != nil)
        let rest = try await database.books.page(containing: "STRASSE", after: found.next, limit: 3)
        #expect(rest.items.map(\.id) == [6, 1] && rest.next == nil)
        try database.close()
    }

    @Test(.slow) func `values of any type in the tables are no crash`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        let id = try await database.books.add(draft("a.txt", hash: 1)).book.id
        _ = try await database.books.claim(id, as: worker)
        let text = String(repeating: "The tide comes in. ", count: 100)
        _ = try await database.books.store(contents(text), of: id, as: worker)
        _ = try await database.books.setPosition(40, of: id, tail: nil)
        try await database.books.store([BookVector(book: id, number: 0, vector: [1, 0])], in: space)
        var odd = OddValues(seed: 11)
        let queue = try DatabaseQueue(path: file.path)
        let columns = [
            "books": [
                "state", "title", "given_title", "authors", "language", "format", "source", "error_code", "owner",
                "error_message", "numbering", "notices", "is_private", "edition_of", "job_id",
            ],
            "texts": ["text"], "pages": ["label", "width"], "layouts": ["blocks", "lines"],
            "headings": ["level", "title"], "passages": ["page", "last_page", "heading", "view"], "vectors": ["vector"],
            "covers": ["image"],
        ]
        for round in 0..<60 {
            for (table, names) in columns {
                let name = names[round % names.count]
                let value = round % 20 == 19 ? odd.huge() : odd.literal()
                // A column that must not be NULL refuses the write.
                try? await queue.write {
                    try $0.execute(
                        sql: "UPDATE gateway_\(table == "books" ? "books" : "book_" + table) SET \(name) = \(value)")
                }
            }
            _ = try await database.books.all()
            _ = try await database.books.page(containing: "tide", after: nil, limit: 5)
            _ = try await database.books.indexed()
            _ = try await database.books.incomplete(in: space.id)
            _ = try await database.books.passages(of: id, from: 0, limit: 10)
            _ = try await database.books.vectors(in: space, of: id, from: 0, limit: 10)
            _ = try await database.books.vectors(in: space, after: 0, limit: 10)
            _ = try await database.books.blocks(of: id, touching: 0..<100)
            // A book whose state is unreadable is not found.
            _ = try? await database.books.page(1, of: id)
            _ = try? await database.books.outline(of: id, before: nil)
            _ = try? await database.books.cover(of: id)
            _ = try? await database.books.text(of: id, in: 3..<90)
        }
        try queue.close()
        try database.close()
    }
}
