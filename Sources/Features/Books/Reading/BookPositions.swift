package import BookRoom
import Database
import Documents
package import GatewayAPI

/// Sets how far a book was read.
package struct BookPositions: Sendable {
    let store: BookRoom

    package init(store: BookRoom) { self.store = store }

    /// What was read.
    package enum Place: Sendable, Hashable {
        /// A page to its end, by its physical number.
        case page(Int)
        /// A page to its end, by its printed number.
        case label(String)
        case offset(Int)
        /// 0 to 100.
        case percent(Double)
    }

    /// Sets the position.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book or a page that does not exist; ``BookRefusal/notRead(_:)``,
    ///   ``BookRefusal/noLabel(_:)``.
    package func set(_ place: Place, of id: Int64) async throws -> Book {
        let book = try await store.find(id)
        guard book.textBytes > 0 else { throw BookRefusal.notRead(id) }
        let wanted: Int
        switch place {
        case .page(let number): wanted = try await end(ofPage: number, book)
        case .label(let label):
            guard let number = try await store.page(labelled: label, of: id) else { throw BookRefusal.noLabel(label) }
            wanted = try await end(ofPage: number, book)
        case .offset(let offset): wanted = offset
        case .percent(let percent): wanted = Int(Double(book.textBytes) * min(100, max(0, percent)) / 100)
        }
        let offset = try await border(min(max(0, wanted), book.textBytes), of: book)
        return try await store.setPosition(offset, of: id, tail: try await tail(at: offset, of: book)).book
    }

    /// Removes the position: nothing is beyond it then.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func clear(_ id: Int64) async throws -> Book {
        try await store.setPosition(nil, of: id, tail: nil).book
    }

    private func end(ofPage number: Int, _ book: Book) async throws -> Int {
        guard let range = try await store.range(ofPage: number, in: book.id) else {
            throw StorageError(.notFound, "book \(book.id) has no page \(number); it has \(book.pages) pages")
        }
        return range.upperBound
    }

    /// The last scalar border at or before an offset.
    private func border(_ offset: Int, of book: Book) async throws -> Int {
        guard offset > 0, offset < book.textBytes else { return offset }
        // The start of a range moves back to a scalar border.
        return try await store.text(of: book.id, in: offset..<offset + 1).range.lowerBound
    }

    /// The part of the passage at the position that lies before it; nil when the position is between two passages.
    private func tail(at offset: Int, of book: Book) async throws -> BookPassageRow? {
        guard offset > 0, var row = try await store.firstPassage(endingAfter: offset, of: book.id),
            row.range.lowerBound < offset
        else { return nil }
        let part = try await store.part(of: book.id, row.range.lowerBound..<offset)
        let view = part.view.text
        guard part.range == row.range.lowerBound..<offset, view.contains(where: { $0.isLetter || $0.isNumber }) else {
            return nil
        }
        let last = try await store.pages(of: [offset - 1], in: book.id).first?.number ?? row.page
        row.range = part.range
        row.lastPage = max(row.page, last)
        row.view = view == part.text ? nil : view
        return row
    }
}
