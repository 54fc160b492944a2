import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
package import Server

/// All routes for books.
package struct BooksAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let library: BookLibrary
    private let fetch: BookFetch
    private let isRead: ReadingWatch
    private let bodyLimit: Int

    /// Learns how far a book was read; nil for all of it. Returns at once.
    package typealias ReadingWatch =
        @Sendable (_ book: Int64, _ position: Int?, _ context: GatewayRequestContext) -> Void

    package init(library: BookLibrary, fetch: BookFetch, isRead: @escaping ReadingWatch, bodyLimit: Int) {
        self.library = library
        self.fetch = fetch
        self.isRead = isRead
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        let books = BookRoutes(library: library, fetch: fetch, isRead: isRead, bodyLimit: bodyLimit)
        router.add(.get, "/api/books", .requireScope(.notesRead), books.list)
        router.add(.post, "/api/books", .requireScope(.notesWrite, spendsTokens: true), books.add)
        router.add(.get, "/api/books/:id", .requireScope(.notesRead), books.one)
        router.add(.patch, "/api/books/:id", .requireScope(.notesWrite), books.change)
        router.add(.delete, "/api/books/:id", .requireScope(.notesWrite), books.delete)
        router.add(
            .post, "/api/books/:id/retry", .requireScope(.notesWrite, spendsTokens: true), takesFields: false,
            books.retry)
        router.add(.put, "/api/books/:id/position", .requireScope(.notesWrite), books.setPosition)
        router.add(.delete, "/api/books/:id/position", .requireScope(.notesWrite), books.clearPosition)
        let reading = BookReadingRoutes(library: library)
        router.add(.get, "/api/books/:id/outline", .requireScope(.notesRead), reading.outline)
        router.add(.get, "/api/books/:id/pages/:n", .requireScope(.notesRead), reading.page)
        router.add(.get, "/api/books/:id/pages/:n/image", .requireScope(.notesRead), reading.image)
        router.add(.get, "/api/books/:id/page", .requireScope(.notesRead), reading.labelledPage)
        router.add(.get, "/api/books/:id/find", .requireScope(.notesRead), reading.find)
        router.add(.get, "/api/books/:id/cover", .requireScope(.notesRead), reading.cover)
        router.add(.get, "/api/books/:id/text", .requireScope(.notesRead), reading.text)
        let retrieval = BookRetrievalRoutes(retrieval: library.retrieval, bodyLimit: bodyLimit)
        router.add(.post, "/api/books/retrieve", .requireScope(.notesRead), retrieval.library)
        router.add(.post, "/api/books/:id/retrieve", .requireScope(.notesRead), retrieval.book)
    }
}
