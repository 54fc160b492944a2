public import Foundation
public import GatewayAPI

/// Calls the book routes of a gateway.
///
/// Every method throws ``GatewayClientError``. All calls are retried: the same file again is the same book.
public struct RemoteBookService: Sendable {
    private let connection: GatewayConnection

    /// Creates a service over a connection.
    public init(_ connection: GatewayConnection) { self.connection = connection }

    /// `POST /api/books`: sends a file. The reply comes before the file is read; ``Book/state`` tells how far it is.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file; `Data(contentsOf:options:)` with `.mappedIfSafe` keeps a large one out of memory.
    ///   - name: The name of the file, whose extension helps to tell the format.
    ///   - isPrivate: Whether no model on another machine gets the book.
    public func add(_ file: Data, name: String, isPrivate: Bool = false) async throws -> Book {
        var call = Call("POST", "/api/books").with("name", name).with("private", isPrivate ? "true" : nil)
        call.body = file
        call.headers["Content-Type"] = "application/octet-stream"
        return try await connection.send(call)
    }

    /// `POST /api/books`: lets the gateway fetch a page or a file.
    public func add(url: String, isPrivate: Bool = false) async throws -> Book {
        try await connection.send(
            Call("POST", "/api/books", BookURLRequest(url: url, private: isPrivate ? true : nil), .always))
    }

    /// `GET /api/books`: returns books, latest first.
    ///
    /// - Parameter text: Only books with these words in title, authors or source; all when nil.
    public func books(matching text: String? = nil, _ page: PageRequest) async throws -> BookList {
        try await connection.send(Call("GET", "/api/books").with("q", text).with(page))
    }

    /// `GET /api/books/:id`.
    public func book(_ id: Int64) async throws -> Book { try await connection.send(Call("GET", "/api/books/\(id)")) }

    /// `PATCH /api/books/:id`: changes the title or who may get the book.
    @discardableResult
    public func change(_ id: Int64, _ change: BookChange) async throws -> Book {
        try await connection.send(Call("PATCH", "/api/books/\(id)", change, .always))
    }

    /// `DELETE /api/books/:id`: deletes a book with its file.
    public func delete(_ id: Int64) async throws {
        try await connection.sendForNothing(Call("DELETE", "/api/books/\(id)"))
    }

    /// `POST /api/books/:id/retry`: reads a book again whose import failed.
    @discardableResult
    public func retry(_ id: Int64) async throws -> Book {
        try await connection.send(Call("POST", "/api/books/\(id)/retry", .whenRefused))
    }

    /// `PUT /api/books/:id/position`: sets how far the book was read. Searches, tools and answers show nothing beyond it.
    @discardableResult
    public func setPosition(_ position: BookPositionRequest, of id: Int64) async throws -> Book {
        try await connection.send(Call("PUT", "/api/books/\(id)/position", position, .always))
    }

    /// `DELETE /api/books/:id/position`: the whole book may be shown.
    @discardableResult
    public func clearPosition(of id: Int64) async throws -> Book {
        try await connection.send(Call("DELETE", "/api/books/\(id)/position"))
    }

    /// `GET /api/books/:id/outline`: returns the headings.
    ///
    /// - Parameter toPosition: Whether headings beyond the reading position are left out.
    public func outline(of id: Int64, toPosition: Bool = false) async throws -> BookOutline {
        try await connection.send(
            Call("GET", "/api/books/\(id)/outline").with("to_position", toPosition ? "true" : nil))
    }

    /// `GET /api/books/:id/pages/:n`: returns a page by its physical number, from 1.
    public func page(_ number: Int, of id: Int64) async throws -> BookPage {
        try await connection.send(Call("GET", "/api/books/\(id)/pages/\(number)"))
    }

    /// `GET /api/books/:id/pages/:n/image`: returns a page of a PDF as it is printed, as a PNG image.
    ///
    /// - Parameter size: The pixels of the longer side, 100 to 2,400; the gateway's default when nil.
    public func pageImage(_ number: Int, of id: Int64, size: Int? = nil) async throws -> Data {
        try await connection.sendForData(
            Call("GET", "/api/books/\(id)/pages/\(number)/image").with("size", size.map(String.init)))
    }

    /// `GET /api/books/:id/page`: returns a page by its printed number.
    public func page(labelled label: String, of id: Int64) async throws -> BookPage {
        try await connection.send(Call("GET", "/api/books/\(id)/page").with("label", label))
    }

    /// `GET /api/books/:id/find`: finds places that have exactly these words; case does not matter.
    public func find(_ text: String, in id: Int64, _ page: PageRequest) async throws -> BookHits {
        try await connection.send(Call("GET", "/api/books/\(id)/find").with("q", text).with(page))
    }

    /// `POST /api/books/:id/retrieve`, or `POST /api/books/retrieve` without an id: finds passages by meaning and words.
    public func retrieve(_ request: BookRetrieveRequest, in id: Int64? = nil) async throws -> BookRetrieveResponse {
        let path = id.map { "/api/books/\($0)/retrieve" } ?? "/api/books/retrieve"
        return try await connection.send(Call("POST", path, request, .always, timeout: .model))
    }
}
