import Access
import Concurrency
import GatewayAPI
import HTTPTypes
import Hummingbird
package import Server
import Storage

/// The routes of the sources of notes.
package struct SourcesAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// The largest number of notes in a request, and the longest id of one in bytes.
    static let (maxNotes, maxIDBytes) = (500, 1024)

    private let service: SourceService
    private let bodyLimit: Int

    package init(service: SourceService, bodyLimit: Int) { (self.service, self.bodyLimit) = (service, bodyLimit) }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        router.add(.get, "/api/sources", .requireScope(.admin), list)
        router.add(.post, "/api/sources", .requireScope(.admin), audit: .sourceAdd, create)
        router.add(.get, "/api/sources/:name", .requireScope(.admin), one)
        router.add(.patch, "/api/sources/:name", .requireScope(.admin), audit: .sourceChange, change)
        router.add(.delete, "/api/sources/:name", .requireScope(.admin), audit: .sourceRemove, remove)
        router.add(.post, "/api/sources/:name/look", .requireScope(.admin), takesFields: false, look)
        router.add(.post, "/api/sources/:name/notes", .requireScope(.notesWrite), notes)
    }

    private func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(SourcesResponse(sources: try await service.all()))
    }

    private func create(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(NewSource.self, from: request, limit: bodyLimit, in: context)
        let source = try await service.add(body)
        context.audits(source.name, detail: source.path)
        return JSONReply.response(source, status: .created)
    }

    private func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await service.details(try name(context)))
    }

    private func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(SourceChange.self, from: request, limit: bodyLimit, in: context)
        let name = try name(context)
        try await service.change(name, body)
        context.audits(name)
        return JSONReply.response(try await service.details(name).source)
    }

    private func remove(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let name = try name(context)
        guard let keeps = try request.word("notes", of: ["keep", "remove"]) else {
            throw GatewayError.field("notes", "expected keep or remove: what becomes of the notes of the source?")
        }
        let removed = try await service.remove(name, keepsNotes: keeps == "keep")
        context.audits(name, detail: "notes: \(keeps)")
        return JSONReply.response(RemovedSource(name: name, removedNotes: removed))
    }

    /// `POST /api/sources/:name/look`: the gateway that follows the source looks at all of its files.
    private func look(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let name = try name(context)
        try await service.want(name)
        return JSONReply.response(try await service.details(name).source, status: .accepted)
    }

    /// `POST /api/sources/:name/notes`
    private func notes(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(SourceNotesRequest.self, from: request, limit: bodyLimit, in: context)
        guard (1...Self.maxNotes).contains(body.notes.count) else {
            throw GatewayError.field("notes", "expected 1 to \(Self.maxNotes) notes, got \(body.notes.count)")
        }
        let drafts = try body.notes.enumerated().map { place, item in
            try SentNote.draft(item, at: "notes[\(place)]")
        }
        let outcome = try await service.take(drafts, for: try name(context))
        return JSONReply.response(SentNote.reply(outcome, source: try name(context)))
    }

    private func name(_ context: GatewayRequestContext) throws -> String {
        try context.pathText("name", maxBytes: SourceService.maxNameBytes)
    }
}
