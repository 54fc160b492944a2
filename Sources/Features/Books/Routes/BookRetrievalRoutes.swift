import GatewayAPI
import HTTPTypes
import Hummingbird
import Server

/// `POST /api/books/:id/retrieve` and `POST /api/books/retrieve`: find passages of one book, or of several.
struct BookRetrievalRoutes: Sendable {
    private static let maxQueryBytes = 16 << 10
    private static let maxBooks = 1000

    let retrieval: BookRetrieval
    let bodyLimit: Int

    func book(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let (wanted, query) = try await read(request, context)
        guard wanted.books == nil else { throw GatewayError.field("books", "belongs to POST /api/books/retrieve") }
        var own = query
        own.books = [id]
        own.ignoresPosition = wanted.ignorePosition ?? false
        return try await answer(own, context)
    }

    func library(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (wanted, query) = try await read(request, context)
        guard wanted.ignorePosition != true else {
            throw GatewayError.field("ignore_position", "belongs to POST /api/books/:id/retrieve")
        }
        guard wanted.books.map({ $0.count <= Self.maxBooks }) ?? true else {
            throw GatewayError.field("books", "has more than \(Self.maxBooks) ids")
        }
        var own = query
        own.books = wanted.books.map { Array(Set($0)).sorted() }
        return try await answer(own, context)
    }

    private func read(
        _ request: Request, _ context: GatewayRequestContext
    ) async throws -> (BookRetrieveRequest, BookRetrieval.Query) {
        let wanted = try await JSONRequest.decode(
            BookRetrieveRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        var query = BookRetrieval.Query(
            text: try FieldCheck.text(wanted.query, "query", maxBytes: Self.maxQueryBytes))
        query.limit = try FieldCheck.limit(wanted.limit, default: query.limit, in: 1...50)
        query.rerank = try FieldCheck.rerank(wanted.rerank)
        query.account = context.account
        return (wanted, query)
    }

    private func answer(_ query: BookRetrieval.Query, _ context: GatewayRequestContext) async throws -> Response {
        let response = try await context.client.whilePresent { [retrieval] in try await retrieval.retrieve(query) }
        return JSONReply.response(response)
    }
}
