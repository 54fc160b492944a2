import HTTPTypes
import Hummingbird
import NIOCore
import Server
import Synchronization

/// One file of the site as a response, compressed when it is first requested.
final class SiteFile: Sendable {
    /// How long browsers may use a copy.
    enum Caching: String {
        /// The address changes with the content.
        case forever = "public, max-age=31536000, immutable"
        /// A copy is used only after the gateway confirmed it.
        case confirmed = "no-cache"
    }

    private let type: String
    private let caching: Caching
    private let tag: String
    private let plain: ByteBuffer
    /// The compressed bytes; nil before the first request.
    private let compressed = Mutex<ByteBuffer?>(nil)

    init(path: String, bytes: [UInt8], tag: String, caching: Caching) {
        type = ContentType.of(path)
        self.caching = caching
        self.tag = "W/\"\(tag)\""
        plain = ByteBuffer(bytes: bytes)
    }

    /// Answers a request: 304 when the browser's copy is current.
    func response(to request: Request) -> Response {
        var headers = PageHeaders.fields
        headers[.contentType] = type
        headers[.cacheControl] = caching.rawValue
        headers[.eTag] = tag
        let mayCompress = ContentType.isCompressible(type)
        if mayCompress { headers[.vary] = "Accept-Encoding" }
        if Self.names(request.headers[values: .ifNoneMatch], tag) {
            headers[.contentType] = nil
            return Response(status: .notModified, headers: headers)
        }
        var body = plain
        if mayCompress, Self.acceptsGzip(request.headers[values: .acceptEncoding]), let bytes = gzip() {
            headers[.contentEncoding] = "gzip"
            body = bytes
        }
        headers[.contentLength] = String(body.readableBytes)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// The compressed bytes; nil when they are not fewer.
    private func gzip() -> ByteBuffer? {
        let bytes = compressed.withLock { known in
            if let known { return known }
            let made = Gzip.compress(Array(plain.readableBytesView)).map { ByteBuffer(bytes: $0) } ?? plain
            known = made
            return made
        }
        return bytes.readableBytes < plain.readableBytes ? bytes : nil
    }

    /// Whether an `If-None-Match` names a tag, weakly compared.
    private static func names(_ headers: [String], _ tag: String) -> Bool {
        headers.contains { header in
            header.split(separator: ",").contains { part in
                let name = trimmed(part)
                return name == "*" || name == tag || "W/" + name == tag
            }
        }
    }

    /// Whether an `Accept-Encoding` allows gzip: named, and not with a weight of 0.
    static func acceptsGzip(_ headers: [String]) -> Bool {
        headers.contains { header in
            header.lowercased().split(separator: ",").contains { coding in
                let parts = coding.split(separator: ";").map(trimmed)
                guard parts.first == "gzip" else { return false }
                return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            }
        }
    }

    private static func trimmed(_ text: Substring) -> String { text.filter { $0 != " " } }
}

/// Headers of every file of the site. They forbid everything that the pages do not use: scripts and styles in the page,
/// other origins, being framed, sinks for text as script.
enum PageHeaders {
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "media-src 'self' blob:", "connect-src 'self'", "font-src 'self'", "manifest-src 'self'", "worker-src 'self'",
        "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types worker",
    ].joined(separator: "; ")

    static let fields: HTTPFields = [
        .contentSecurityPolicy: policy,
        .permissionsPolicy: "microphone=(self), camera=(), geolocation=(), payment=(), usb=()",
    ]
}
