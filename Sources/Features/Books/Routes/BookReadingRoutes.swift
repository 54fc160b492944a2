import Access
import BookRoom
import Documents
import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The routes that read a book: outline, pages, exact search, cover and text.
struct BookReadingRoutes: Sendable {
    let library: BookLibrary

    /// `GET /api/books/:id/outline`
    func outline(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let limit = try await limit(request, id)
        return JSONReply.response(BookOutline(headings: try await library.store.outline(of: id, before: limit)))
    }

    /// `GET /api/books/:id/pages/:n`
    func page(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (id, number) = (try context.rowID(), try context.rowID("n"))
        return JSONReply.response(try await library.store.page(Int(clamping: number), of: id))
    }

    /// `GET /api/books/:id/pages/:n/image`
    func image(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (id, number) = (try context.rowID(), try context.rowID("n"))
        let size = try request.wholeNumber("size", default: PagePictures.size, in: PagePictures.sizes)
        let name = context.identity.admissionName
        // A page that is drawn has a limit of its own, and takes seconds.
        context.turn?.end()
        let image = try await context.client.whilePresent { [pictures = library.pictures] in
            try await pictures.picture(of: id, page: Int(clamping: number), size: size, account: name)
        }
        return Response(
            status: .ok, headers: [.contentType: "image/png", .contentLength: String(image.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: image)))
    }

    /// `GET /api/books/:id/page?label=xii`
    func labelledPage(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let label = try request.parameter("label") else { throw GatewayError.field("label", "is required") }
        guard let number = try await library.store.page(labelled: label, of: id) else {
            throw BookRefusal.noLabel(label)
        }
        return JSONReply.response(try await library.store.page(number, of: id))
    }

    /// `GET /api/books/:id/find`
    func find(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let text =
            try FieldCheck.text(
                request.parameter("q") ?? "", "q", maxBytes: NotesLimits.maxSearchBytes) as String
        let limit = try request.wholeNumber("limit", default: 50, in: 1...500)
        var after: Int?
        if let cursor = try request.parameter("cursor") {
            guard let place = Int(cursor), place >= 0, place < BookFinder.maxHits else {
                throw GatewayError.field("cursor", "expected the next_cursor of a reply")
            }
            after = place
        }
        let end = try await self.limit(request, id)
        let start = after
        let hits = try await context.scan { [finder = library.finder] in
            try await finder.find(text, in: id, after: start, limit: limit, before: end)
        }
        return JSONReply.response(hits)
    }

    /// `GET /api/books/:id/cover`
    func cover(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let image = try await library.store.cover(of: id), let type = CoverPicture.mediaType(of: image) else {
            throw BookRefusal.noCover(id)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: type, .contentLength: String(image.count),
                // An SVG shows what it holds, and does nothing.
                .contentSecurityPolicy: "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: image)))
    }

    /// `GET /api/books/:id/text`
    func text(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let book = try await library.store.find(context.rowID())
        guard book.textBytes > 0 else { throw BookRefusal.notRead(book.id) }
        let store = library.store
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody { writer in
                var start = 0
                while let part = try await store.nextPart(of: book.id, from: start) {
                    try await writer.write(ByteBuffer(bytes: part.text))
                    start = part.start + max(1, part.text.count)
                }
                try await writer.finish(nil)
            })
    }

    /// The reading position when the request asks for it; nil for no limit.
    private func limit(_ request: Request, _ id: Int64) async throws -> Int? {
        guard try request.flag("to_position") else { return nil }
        return try await library.store.find(id).position?.offset
    }
}
