import Access
import Concurrency
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server

/// `POST /api/notes/import`: stores files as notes.
struct NoteImportRoute: Sendable {
    /// The largest number of files in a request.
    static let maxFiles = 500
    /// The longest path in bytes.
    static let maxPathBytes = 1024

    let service: NoteImport
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(NoteImportRequest.self, from: request, limit: bodyLimit, in: context)
        guard (1...Self.maxFiles).contains(body.files.count) else {
            throw GatewayError.field("files", "expected 1 to \(Self.maxFiles) files, got \(body.files.count)")
        }
        let files = try body.files.enumerated().map { place, file in
            NoteImport.File(
                path: try FieldCheck.text(file.path, "files[\(place)].path", maxBytes: Self.maxPathBytes) as String,
                content: file.content,
                modifiedAt: try FieldCheck.date(file.modifiedAt, "files[\(place)].modified_at"))
        }
        let bytes = files.reduce(0) { $0 + $1.content.utf8.count }
        let batch = try await LargeWork.shared.run(over: bytes, for: context.identity.admissionName) {
            NoteImport.Batch(files)
        }
        return JSONReply.response(try await service.store(batch))
    }
}
