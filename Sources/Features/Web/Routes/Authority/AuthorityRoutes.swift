import Access
import Certificates
import HTTPTypes
import Hummingbird
import NIOCore
import QRCode
import Server

/// The certificate of the local authority, and a page that says how to install it. Neither needs a key: a device needs
/// them before it can trust the page on which one signs in. They hold nothing secret.
struct AuthorityRoutes: Sendable {
    private let keys: KeyRing
    private let authority: LocalAuthority?
    private let cookie: SessionCookie
    private let host: String
    private let base: String

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - certificate: The path of the gateway's certificate; an authority is looked for in its folder.
    ///   - host: The address that the gateway listens on.
    ///   - base: The address below which the files of the web client are found.
    init(keys: KeyRing, certificate: String?, cookie: SessionCookie, host: String, base: String) {
        self.keys = keys
        self.cookie = cookie
        self.host = host
        self.base = base
        authority = certificate.flatMap { LocalAuthority(besideCertificate: $0) }
    }

    /// Whether the gateway has an authority of its own.
    var exists: Bool { authority != nil }

    func add(to router: GatewayRouter) {
        router.add(.get, "/ca", .open, page)
        router.add(.get, "/ca.crt", .open, pem)
        router.add(.get, "/ca.cer", .open, der)
        router.add(.get, "/ca.svg", .open, code)
    }

    /// `GET /ca`: what to do with the certificate on each system.
    private func page(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let authority = try await found(request)
        guard let fingerprint = try? authority.fingerprint() else { throw Self.missing }
        let page = AuthorityPage(
            words: .preferred(by: request.headers[values: .acceptLanguage]), fingerprint: fingerprint,
            address: address(for: request), base: base,
            system: AuthorityPage.System(userAgent: request.headers[.userAgent] ?? ""))
        var headers = AuthorityPage.headers
        headers[.vary] = "Accept-Language, User-Agent"
        return Self.response(Array(page.html.utf8), "text/html; charset=utf-8", headers)
    }

    /// `GET /ca.crt`: the certificate in PEM.
    private func pem(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let text = try await found(request).pem else { throw Self.missing }
        return Self.file(Array(text.utf8), "selene-ca.crt")
    }

    /// `GET /ca.cer`: the certificate in DER.
    private func der(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let bytes = try? await found(request).der() else { throw Self.missing }
        return Self.file(bytes, "selene-ca.cer")
    }

    /// `GET /ca.svg`: the page's address as a QR code.
    private func code(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        _ = try await found(request)
        guard let code = QRCode(address(for: request)) else { throw Self.missing }
        return Self.response(Array(code.svg.utf8), "image/svg+xml", [:])
    }

    private func address(for request: Request) -> String {
        PairingAddress(for: request.head, listeningOn: host, isEncrypted: cookie.isSecure(request.head)).authorityPage
    }

    private func found(_ request: Request) async throws -> LocalAuthority {
        try await WebPageRequest.check(request.head, isPage: true, keys)
        guard let authority else { throw Self.missing }
        return authority
    }

    private static let missing = GatewayError(
        .notFound, .notFound, "this gateway has no authority of its own; `selene tls init` creates one")

    /// A certificate as a file. Browsers and systems know both forms, PEM and DER, by this type.
    private static func file(_ bytes: [UInt8], _ name: String) -> Response {
        response(bytes, "application/x-x509-ca-cert", [.contentDisposition: "attachment; filename=\"\(name)\""])
    }

    private static func response(_ bytes: [UInt8], _ type: String, _ more: HTTPFields) -> Response {
        var headers = more
        headers[.contentType] = type
        headers[.contentLength] = String(bytes.count)
        headers[.cacheControl] = "no-cache"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
