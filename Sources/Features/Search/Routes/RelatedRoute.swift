import Access
import GatewayAPI
import Hummingbird
import Server

/// `GET /api/notes/:id/related`: returns the nearest notes by stored vectors, without a call to Ollama.
struct RelatedRoute: Sendable {
    let search: NoteSearch

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let limit = try request.wholeNumber("limit", default: 10, in: 1...SearchQuery.maxLimit)
        let query = SearchQuery.nearest(limit: limit, account: context.account)
        let response = try await context.client.whilePresent { [search] in
            try await search.related(to: id, query)
        }
        guard var response else { throw GatewayError(.notFound, .notFound, "there is no note \(id)") }
        if try request.parameter("content") != nil, try !request.flag("content") {
            for place in response.results.indices { response.results[place].note.content = "" }
        }
        return JSONReply.response(response)
    }
}

/// `POST /api/related-notes`: the older form of `GET /api/notes/:id/related`.
struct RelatedNotesRoute: Sendable {
    let search: NoteSearch
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(
            RelatedNotesRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        let limit = try FieldCheck.limit(wanted.limit, default: 10, in: 1...SearchQuery.maxLimit)
        let query = SearchQuery.nearest(limit: limit, account: context.account)
        let found = try await context.client.whilePresent { [search] in
            try await search.related(to: wanted.noteId, query)
        }
        guard let found else { throw GatewayError(.notFound, .notFound, "there is no note \(wanted.noteId)") }
        return JSONReply.response(
            RelatedNotesResponse(noteId: wanted.noteId, results: found.results, reason: found.reason))
    }
}
