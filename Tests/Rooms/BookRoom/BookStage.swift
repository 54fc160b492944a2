import BookRoom
import Foundation
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport

/// Books in a store, as two processes see them.
struct BookStage {
    private let stage: StoreStage

    var store: any GatewayStore { stage.store }
    /// The store of another process.
    var others: any GatewayStore { stage.other }
    var books: BookRoom { store.books }

    /// Makes an empty store; nil where there can be no server.
    init?(_ place: NotesPlace) async throws {
        guard let stage = try await StoreStage(place) else { return nil }
        self.stage = stage
    }

    /// A space of two dimensions that answers queries.
    func space() async throws -> StoredSpace {
        if let server = stage.server { return try await server.space(2) }
        guard let file = store as? GatewayDatabase else { throw StorageError(.failed, "no file") }
        let space = try await file.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await file.spaces.activate(space.id)
        return space
    }

    static func draft(_ name: String, hash: UInt8) -> BookDraft {
        BookDraft(
            hash: Data(repeating: hash, count: 32), bytes: 10, source: name, title: name, format: "text",
            contentType: nil, isPrivate: false)
    }

    static func contents(_ text: String, pages count: Int = 2) -> BookContents {
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
}
