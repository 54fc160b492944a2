import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server

/// `POST /webhook/api/export-obsidian`: exports notes as Markdown.
struct ExportRoute: Sendable {
    /// The export; nil when no folder is configured.
    let export: NoteExport?
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decodeIfPresent(
            ExportRequest.self, from: request, limit: bodyLimit, in: context)
        guard let export else {
            throw GatewayError(
                .conflict, GatewayError.Code(rawValue: "export_not_configured"),
                "no export folder is configured; set SELENE_EXPORT")
        }
        let response = try await context.client.whilePresent { [identity = context.identity.admissionName] in
            try await export.run(wanted?.noteId, identity: identity)
        }
        return JSONReply.response(response)
    }
}
