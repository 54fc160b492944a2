import Access
import BookRoom
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Server

/// The routes that list, add, change and delete books.
struct BookRoutes: Sendable {
    private static let maxPage = 200

    let library: BookLibrary
    let fetch: BookFetch
    let isRead: BooksAPI.ReadingWatch
    let bodyLimit: Int
    /// Files that are received at once; one client's uploads leave room for another's.
    private let uploads = KeyConcurrencyLimiter(.uploads)

    init(library: BookLibrary, fetch: BookFetch, isRead: @escaping BooksAPI.ReadingWatch, bodyLimit: Int) {
        self.library = library
        self.fetch = fetch
        self.isRead = isRead
        self.bodyLimit = bodyLimit
    }

    /// `GET /api/books`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let cursor = try request.cursor()
        let text = try request.parameter("q").map {
            try FieldCheck.bounded($0, "q", maxBytes: NotesLimits.maxSearchBytes)
        }
        let page = try await context.scan { [store = library.store] in
            try await store.page(containing: text.flatMap { $0.isEmpty ? nil : $0 }, after: cursor, limit: limit)
        }
        return JSONReply.response(BookList(books: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/books`: the file as the body, or JSON with a URL. 202 for a new book, 200 for a known file.
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let type = request.headers[.contentType]
        let isJSON = type?.prefix { $0 != ";" }.lowercased() == "application/json"
        let added =
            isJSON
            ? try await addURL(request, context) : try await addFile(request, context, contentType: type)
        var response = JSONReply.response(added.book, status: added.isNew ? .accepted : .ok)
        response.headers[.location] = "/api/books/\(added.book.id)"
        return response
    }

    private func addFile(
        _ request: Request, _ context: GatewayRequestContext, contentType: String?
    ) async throws -> (book: Book, isNew: Bool) {
        let name =
            try FieldCheck.text(
                request.parameter("name") ?? "book", "name", maxBytes: NotesLimits.maxTitleBytes) as String
        let isPrivate = try request.flag("private")
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > library.files.maxFileBytes {
            throw BookRefusal.tooLarge(limit: library.files.maxFileBytes)
        }
        return try await uploads.run(context.identity.admissionName) {
            let stored = try await library.store.fileBytes()
            let incoming = try library.files.receive(stored: stored)
            for try await chunk in request.body { try incoming.write(Array(chunk.readableBytesView)) }
            if let length, incoming.bytes != length {
                throw BookRefusal.upload("the body ended after \(incoming.bytes) of \(length) bytes")
            }
            return try await library.add(
                incoming, source: Self.lastPart(of: name), contentType: contentType, isPrivate: isPrivate,
                key: context.identity.keyID)
        }
    }

    private func addURL(
        _ request: Request, _ context: GatewayRequestContext
    ) async throws -> (book: Book, isNew: Bool) {
        let wanted = try await JSONRequest.decode(BookURLRequest.self, from: request, limit: bodyLimit, in: context)
        let url = try FieldCheck.text(wanted.url, "url", maxBytes: BookFetch.maxURLBytes) as String
        let (library, fetch, key) = (library, fetch, context.identity.keyID)
        return try await uploads.run(context.identity.admissionName) {
            try await context.client.whilePresent {
                let incoming = try library.files.receive(stored: try await library.store.fileBytes())
                let fetched = try await fetch.fetch(url) { try incoming.write($0) }
                return try await library.add(
                    incoming, source: fetched.url, contentType: fetched.contentType,
                    isPrivate: wanted.private ?? false, key: key)
            }
        }
    }

    /// A browser may send a path; only its last part is the file's name.
    private static func lastPart(of name: String) -> String {
        name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? name
    }

    /// `GET /api/books/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await library.store.find(context.rowID()))
    }

    /// `PATCH /api/books/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        var change = try await JSONRequest.decode(BookChange.self, from: request, limit: bodyLimit, in: context)
        change.title = try FieldCheck.text(change.title, "title", maxBytes: NotesLimits.maxTitleBytes)
        guard change != BookChange() else {
            throw GatewayError(.badRequest, .invalidField, "the body changes nothing; set title or is_private")
        }
        return JSONReply.response(try await library.store.change(id, change))
    }

    /// `DELETE /api/books/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await library.delete(context.rowID())
        return Response(status: .noContent)
    }

    /// `POST /api/books/:id/retry`
    func retry(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(
            try await library.retry(context.rowID(), key: context.identity.keyID), status: .accepted)
    }

    /// `PUT /api/books/:id/position`
    func setPosition(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let wanted = try await JSONRequest.decode(
            BookPositionRequest.self, from: request, limit: bodyLimit, in: context)
        let book = try await library.positions.set(try Self.place(wanted), of: id)
        isRead(id, book.position?.offset, context)
        return JSONReply.response(book)
    }

    /// `DELETE /api/books/:id/position`
    func clearPosition(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await library.positions.clear(context.rowID()))
    }

    private static func place(_ wanted: BookPositionRequest) throws(GatewayError) -> BookPositions.Place {
        var places: [BookPositions.Place] = []
        if let page = wanted.page { places.append(.page(page)) }
        if let label = wanted.label {
            places.append(.label(try FieldCheck.text(label, "label", maxBytes: NotesLimits.maxWordBytes)))
        }
        if let offset = wanted.offset {
            guard offset >= 0 else { throw .field("offset", "expected 0 or more, got \(offset)") }
            places.append(.offset(offset))
        }
        if let percent = wanted.percent {
            guard (0...100).contains(percent) else { throw .field("percent", "expected 0 to 100") }
            places.append(.percent(percent))
        }
        guard places.count == 1 else {
            throw GatewayError(.badRequest, .invalidField, "expected exactly one of page, label, offset and percent")
        }
        return places[0]
    }
}
