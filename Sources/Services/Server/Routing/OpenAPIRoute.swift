package import Hummingbird
import NIOCore

/// `GET /openapi.yaml`: the description of all the gateway's own routes.
package struct OpenAPIRoute: Sendable {
    private let document: ByteBuffer

    /// Joins the parts, each in UTF-8.
    package init(_ parts: [[UInt8]]) {
        document = ByteBuffer(string: OpenAPIDocument.joined(parts.map { String(decoding: $0, as: UTF8.self) }))
    }

    /// Answers with the document.
    package func handle(_ request: Request, _ context: GatewayRequestContext) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/yaml; charset=utf-8", .contentLength: String(document.readableBytes)],
            body: ResponseBody(byteBuffer: document))
    }
}
