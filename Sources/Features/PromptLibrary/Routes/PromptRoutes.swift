import GatewayAPI
import HTTPTypes
import Hummingbird
import Prompts
import Server
import Storage

struct PromptRoutes: Sendable {
    let service: PromptService
    let bodyLimit: Int

    /// `GET /api/prompts`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let kind = try request.text("kind", maxBytes: NotesLimits.maxWordBytes).map { name throws(GatewayError) in
            guard let kind = PromptDocument.Kind(rawValue: name) else {
                throw GatewayError.field(
                    "kind", "expected one of " + PromptDocument.Kind.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return kind
        }
        let query = try request.text("q", maxBytes: NotesLimits.maxSearchBytes)
        let found = try await context.scan { [service] in try await service.list(kind: kind, query: query) }
        return JSONReply.response(PromptsResponse(prompts: found.map { $0.prompt(withText: false) }))
    }

    /// `GET /api/prompts/:id`
    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let version = try request.text("version", maxBytes: NotesLimits.maxWordBytes)
        return JSONReply.response(try await service.find(Self.id(context), version: version).prompt(withText: true))
    }

    /// `PUT /api/prompts/:id`: 201 for a new prompt.
    func save(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let change = try await JSONRequest.decode(PromptChange.self, from: request, limit: bodyLimit, in: context)
        return try await Self.explained {
            let saved = try await service.save(id, change)
            return JSONReply.response(saved.edition.prompt(withText: true), status: saved.isNew ? .created : .ok)
        }
    }

    /// `DELETE /api/prompts/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await service.delete(Self.id(context)))
    }

    /// `GET /api/prompts/:id/versions`
    func versions(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let editions = try await service.editions(of: id)
        return JSONReply.response(PromptVersionsResponse(id: id, versions: editions.map(\.version)))
    }

    /// `GET /api/prompts/:id/diff`
    func diff(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let from = try request.text("from", maxBytes: NotesLimits.maxWordBytes)
        let to = try request.text("to", maxBytes: NotesLimits.maxWordBytes)
        return JSONReply.response(try await service.diff(Self.id(context), from: from, to: to))
    }

    /// `POST /api/prompts/:id/render`
    func render(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let body = try await JSONRequest.decodeIfPresent(
            PromptRenderRequest.self, from: request, limit: bodyLimit, in: context)
        let edition = try await service.find(id)
        return try await Self.explained { JSONReply.response(try edition.rendered(body?.values ?? [:])) }
    }

    private static func id(_ context: GatewayRequestContext) throws -> String {
        try context.pathText("id", maxBytes: NotesLimits.maxSessionIDBytes)
    }

    /// Maps errors of prompts to HTTP.
    private static func explained(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as PromptError {
            throw GatewayError.field(error.field, error.problem)
        }
    }
}

extension Request {
    /// The text of a parameter; nil when it is absent or empty.
    fileprivate func text(_ name: String, maxBytes: Int) throws(GatewayError) -> String? {
        guard let value = queryField(name), !value.isEmpty else { return nil }
        return try FieldCheck.text(value, name, maxBytes: maxBytes, mayBeEmpty: true)
    }
}
