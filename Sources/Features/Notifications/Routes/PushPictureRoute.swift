import HTTPTypes
import Hummingbird
import NIOCore
import Push
import Server

/// `GET /api/v1/pictures/:name`: a picture of a notification. Needs no key, since services and phones fetch it; the name is
/// one that nobody can guess.
struct PushPictureRoute: Sendable {
    /// Bytes that are read at once.
    private static let chunk = 64 << 10

    let store: PictureStore

    func picture(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let text = try context.pathText("name", maxBytes: 64)
        guard let (name, format) = PictureStore.picture(text), let file = store.open(name, format)
        else {
            throw GatewayError(.notFound, .notFound, "there is no picture of this name; pictures are kept for 7 days")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: format.mediaType, .contentLength: String(file.size),
                .cacheControl: "private, max-age=86400, immutable",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ],
            body: ResponseBody(contentLength: file.size) { writer in
                var place = 0
                while place < file.size {
                    let bytes = file.read(from: place, min(Self.chunk, file.size - place))
                    guard !bytes.isEmpty else { break }
                    place += bytes.count
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
                try await writer.finish(nil)
            })
    }
}
