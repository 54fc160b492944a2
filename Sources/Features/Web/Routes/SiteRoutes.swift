import Access
import HTTPTypes
import Hummingbird
import Server

/// Serves the files of the web client. They are the same for everyone and need no key.
struct SiteRoutes: Sendable {
    private let keys: KeyRing
    private let cookie: SessionCookie
    private let base: String
    private let atRoot: [String: SiteFile]
    /// By path below ``Site/base``.
    private let files: [String: SiteFile]

    init(_ site: Site, keys: KeyRing, cookie: SessionCookie) {
        self.keys = keys
        self.cookie = cookie
        base = site.base
        func all(_ isIncluded: (String) -> Bool, _ caching: SiteFile.Caching) -> [String: SiteFile] {
            var found: [String: SiteFile] = [:]
            for path in site.paths where isIncluded(path) {
                found[path] = site[path].map { SiteFile(path: path, bytes: $0, tag: site.hash, caching: caching) }
            }
            return found
        }
        atRoot = all(Site.atRoot.contains, .confirmed)
        files = all({ !Site.atRoot.contains($0) }, .forever)
    }

    func add(to router: GatewayRouter) {
        // Other methods are Ollama's, and `POST` is ntfy's.
        router.add(.get, "/", .open, refusesOthers: false, page)
        router.add(.get, "/sw.js", .open) { request, _ in try await root("sw.js", request) }
        router.add(.get, "/app.webmanifest", .open) { request, _ in try await root("app.webmanifest", request) }
        router.add(.get, "/app/:hash/**", .open, file)
    }

    /// Adds the one route of a gateway that serves no pages: browsers that kept the pages ask for the worker, which ends.
    static func addEndOfWorker(_ site: Site, to router: GatewayRouter) {
        guard let bytes = site.endOfWorker else { return }
        let file = SiteFile(path: "sw.js", bytes: bytes, tag: "off", caching: .confirmed)
        router.add(.get, "/sw.js", .open) { request, _ in file.response(to: request) }
    }

    /// `GET /` of browsers. Requests of Ollama's clients are passed on before they get here.
    private func page(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, isPage: true, keys)
        guard let file = atRoot["index.html"] else { throw Self.missing(request) }
        var response = file.response(to: request)
        response.headers[.vary] = "Accept, Accept-Encoding"
        // At other addresses browsers ignore this header and complain.
        let isLoopback = request.head.authority.flatMap { Authority($0) }?.isLoopback == true
        if isLoopback || cookie.isSecure(request.head) { response.headers[.crossOriginOpenerPolicy] = "same-origin" }
        return response
    }

    private func root(_ name: String, _ request: Request) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        guard let file = atRoot[name] else { throw Self.missing(request) }
        return file.response(to: request)
    }

    /// `GET /app/:hash/…`. The path is compared as it was sent, so that no `..` or escape leads anywhere else.
    private func file(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        let path = request.uri.path
        guard path.hasPrefix(base + "/"), let file = files[String(path.dropFirst(base.count + 1))] else {
            throw Self.missing(request)
        }
        return file.response(to: request)
    }

    private static func missing(_ request: Request) -> GatewayError {
        // A browser that asks for the files of an older page must not keep this answer.
        GatewayError(
            .notFound, .notFound, PathSuggestion.missing(request.uri.path), headers: [.cacheControl: "no-store"])
    }
}
