import HTTPTypes
import Hummingbird

/// Lets a request through when its bearer token is good: 401 without one, 403 with a wrong or expired one.
///
/// On a gateway that needs no key, a browser page could still be made to call loopback. Requests that name a
/// foreign `Host` or `Origin` are therefore refused there.
struct AuthenticationMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let keys: KeyRing

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.identity = try await identity(of: request.head)
        context.keys = keys
        context.trace.identify(context.identity)
        return try await next(request, context)
    }

    /// Who sent a request. Comes back without waiting as long as the keys are fresh.
    ///
    /// - Throws: ``GatewayError`` with 401 or 403.
    func identity(of head: HTTPRequest) async throws -> Identity {
        switch try await keys.find(bearer: Self.bearer(of: head)) {
        case .known(let identity):
            if identity.holder == .anonymous { try Self.refuseForeignPages(head) }
            return identity
        case .expired(let identity):
            if let key = identity.keyID { keys.meter.countRequest(key) }
            throw keys.refuse(identity, .keyExpired)
        case .wrong: throw GatewayError(.forbidden, .forbidden, "the bearer token is not valid")
        case .missing:
            throw GatewayError(
                .unauthorized, .unauthorized, "a bearer token is needed: Authorization: Bearer <key>",
                headers: [.wwwAuthenticate: "Bearer realm=\"selene\""])
        }
    }

    private static func bearer(of head: HTTPRequest) -> String? {
        guard let header = head.headerFields[.authorization] else {
            // What Anthropic's clients send instead.
            return head.path?.hasPrefix("/v1/") == true ? head.headerFields[.apiKey] : nil
        }
        return token(of: header)
    }

    /// The token of an `Authorization` header; nil for another scheme than `Bearer`, in any case of its letters.
    static func token(of header: String) -> String? {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        // Bytes, since graphemes would cost more than the rest of the check.
        let bytes = header.utf8.drop(while: isSpace)
        guard let end = bytes.firstIndex(where: isSpace),
            bytes[..<end].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        let token = bytes[end...].drop(while: isSpace)
        guard let last = token.lastIndex(where: { !isSpace($0) }) else { return nil }
        return String(Substring(token[...last]))
    }

    private static func refuseForeignPages(_ head: HTTPRequest) throws {
        try refuseForeignHost(head)
        if let origin = head.headerFields[.origin], !OriginRules.isLocal(origin) {
            throw GatewayError(
                .forbidden, .forbidden, "origin \"\(origin)\" is not this machine; make a key to allow it")
        }
    }

    /// Refuses a request that believes to be at another machine, as one of a page does whose name was pointed here.
    static func refuseForeignHost(_ head: HTTPRequest) throws {
        if let authority = head.authority, !isLoopback(authority[...]) {
            throw GatewayError(
                .forbidden, .forbidden, "host \"\(authority)\" is not this machine; make a key to allow it")
        }
    }

    /// Whether `host[:port]` names this machine.
    static func isLoopback(_ authority: Substring) -> Bool {
        let host =
            authority.utf8.first == UInt8(ascii: "[")
            ? authority.dropFirst().prefix { $0 != "]" }
            : Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })
        if host == "127.0.0.1" || host == "localhost" || host == "::1" || host.hasSuffix(".localhost") { return true }
        // 127.0.0.0/8, and no name that merely begins like it.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}
