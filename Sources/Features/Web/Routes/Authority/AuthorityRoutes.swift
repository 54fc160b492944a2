import Access
import Certificates
import HTTPTypes
import Hummingbird
import NIOCore
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /ca.crt`: the certificate of the local authority, for devices to install. It holds nothing secret.
struct AuthorityRoute: Sendable {
    private let keys: KeyRing
    private let path: String?

    /// Creates the route.
    ///
    /// - Parameter certificate: The gateway's certificate; an authority is looked for in its folder.
    init(keys: KeyRing, certificate: String?) {
        self.keys = keys
        let folder = certificate.map { URL(filePath: $0).deletingLastPathComponent().path }
        path = folder.map { LocalAuthority(folder: $0) }.flatMap { $0.exists ? $0.authorityFile : nil }
    }

    func file(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await PageRequest.check(request.head, isPage: true, keys)
        guard let path, let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw GatewayError(
                .notFound, .notFound,
                "this gateway has no authority of its own; `selene tls init` creates one")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/x-x509-ca-cert", .contentLength: String(data.count),
                .cacheControl: "no-cache",
                .contentDisposition: "attachment; filename=\"selene-ca.crt\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
