import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage
import ThreadRoom

/// The routes for proposals: lists them, and takes a person's decisions.
struct ThreadProposalRoutes: Sendable {
    let store: ThreadProposalRoom
    let bodyLimit: Int

    /// `GET /api/threads/proposals`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let word = try request.word("state", of: ThreadProposal.State.allCases.map(\.rawValue) + ["all"]) ?? "open"
        let limit = try request.wholeNumber("limit", default: 20, in: 1...100)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(ThreadProposal.State(rawValue: word), after: cursor, limit: limit)
        }
        return JSONReply.response(ThreadProposalList(proposals: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/threads/proposals/:id/accept`
    func accept(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let body = try await JSONRequest.decodeIfPresent(
            ThreadAcceptance.self, from: request, limit: bodyLimit, in: context)
        let name = try body?.name.map { try FieldCheck.text($0, "name", maxBytes: NotesLimits.maxTitleBytes) as String }
        return try reply(try await store.accept(id, name: name), id)
    }

    /// `POST /api/threads/proposals/:id/decline`
    func decline(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        return try reply(try await store.decline(id), id)
    }

    private func reply(_ proposal: ThreadProposal?, _ id: Int64) throws -> Response {
        guard let proposal else { throw GatewayError(.notFound, .notFound, "there is no proposal \(id)") }
        return JSONReply.response(proposal)
    }
}
