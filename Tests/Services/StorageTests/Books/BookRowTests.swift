import BookRoom
import Database
import Foundation
import GRDB
import GatewayAPI
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Rows of books that another program changed.
@Suite struct BookRowTests {
    private static let text = Array(String(repeating: "The tide comes in. ", count: 100).utf8)

    private static var contents: BookContents {
        var details = BookDetails(format: "text", numbering: "labels")
        (details.title, details.authors, details.cover) = ("A title", ["One", "Two"], [0x89, 0x50, 0x4E, 0x47])
        let all = 0..<text.count
        var page = BookPageRow(number: 1, label: "i", range: all)
        page.width = 612.5
        page.blocks = [BookPage.Block(kind: "quote", start: 0, end: text.count)]
        page.lines = [BookPage.Line(start: 0, end: text.count, box: [1, 2.5, 300, 12])]
        return BookContents(
            details: details, text: text, pages: [page],
            headings: [BookHeadingRow(level: 1, title: "One", range: all)],
            passages: [
                BookPassageRow(number: 0, range: 0..<900, page: 1, lastPage: 1, heading: 0, view: nil),
                BookPassageRow(number: 1, range: 900..<text.count, page: 1, lastPage: 1, heading: 0, view: "a view"),
            ])
    }

    @Test(.slow) func `values of any type in the tables are no crash`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let worker = WorkerName()
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        let id = try await database.books.add(
            BookDraft(
                hash: Data(repeating: 1, count: 32), bytes: 10, source: "a.txt", title: "a.txt", format: "text",
                contentType: nil, isPrivate: false)
        ).book.id
        _ = try await database.books.claim(id, as: worker)
        _ = try await database.books.store(Self.contents, of: id, as: worker)
        _ = try await database.books.setPosition(40, of: id, tail: nil)
        try await database.books.store([BookVector(book: id, number: 0, vector: [1, 0])], in: space.id, dimensions: 2)
        var odd = OddValues(seed: 11)
        let queue = try DatabaseQueue(path: file.path)
        let columns = [
            "books": [
                "state", "title", "given_title", "authors", "language", "format", "source", "error_code", "owner",
                "error_message", "lease", "numbering", "notices", "is_private", "edition_of", "job_id",
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
            _ = try await database.books.unfinished()
            _ = try? await database.books.isHeld(id)
            _ = try await database.snapshot { try BookSnapshot($0).titles(limit: 9) }
            _ = try await database.books.page(containing: "tide", after: nil, limit: 5)
            _ = try await database.books.indexed()
            _ = try await database.books.incomplete(in: space.id)
            _ = try await database.books.passages(of: id, from: 0, limit: 10)
            _ = try await database.books.vectors(in: space.id, dimensions: 2, of: id, from: 0, limit: 10)
            _ = try await database.books.vectors(in: space.id, dimensions: 2, after: 0, limit: 10)
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
