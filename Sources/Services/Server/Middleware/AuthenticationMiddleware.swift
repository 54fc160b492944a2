package import Access
package import HTTPTypes
package import Hummingbird

/// Checks the bearer token of a request, or without one its session cookie: 401 without either, 403 for a wrong or
/// expired token, or 401 where clients expect that; see ``KeyStatus``.
///
/// The key of this machine's command line counts for connections from this machine that no proxy forwarded.
/// The calendar of tasks and ntfy's paths also take the key as a password; see ``KeyPassword``. A gateway without keys answers
/// requests that pass ``LocalRequest``. Wrong keys are slowed down by address; see ``WrongKeys``.
package struct AuthenticationMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    package let keys: KeyRing
    package let connections: OpenConnections
    package let cookie: SessionCookie

    package init(keys: KeyRing, connections: OpenConnections, cookie: SessionCookie) {
        self.keys = keys
        self.connections = connections
        self.cookie = cookie
    }

    package func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let client = context.client
        context.identity = try await identity(of: request.head, on: client.id) { delay in
            try await client.whilePresent { try await Task.sleep(for: delay) }
        }
        context.keys = keys
        context.trace.identify(context.identity)
        return try await next(request, context)
    }

    /// Returns the identity of a request's caller. Does not wait while the cached keys are fresh.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - wait: Sleeps before a wrong key is answered, at most until the client leaves.
    /// - Throws: ``GatewayError`` or ``AccessRefusal`` for 401, 403 or 429.
    package func identity(
        of head: HTTPRequest, on channel: ObjectIdentifier,
        wait: (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws -> Identity {
        if let identity = identityAtOnce(of: head, on: channel) { return identity }
        let bearer = Self.bearer(of: head)
        // It is in memory, so it needs no look at the keys.
        if keys.isMachineKey(bearer), let record = connections.record(of: channel), record.isThisMachine,
            !LocalRequest.isForwarded(head)
        {
            record.trust()
            return .machine
        }
        if bearer == nil, let identity = try await identity(ofCookieIn: head) {
            connections.record(of: channel)?.trust()
            return identity
        }
        switch try await keys.find(bearer: bearer) {
        case .known(let identity):
            if identity.holder == .anonymous { try LocalRequest.check(head) }
            connections.record(of: channel)?.trust()
            return identity
        case .expired(let identity):
            if let key = identity.keyID { keys.meter.countRequest(key) }
            throw KeyStatus.error(keys.refuse(identity, AccessRefusal.keyExpired), for: head)
        case .wrong:
            let refusal = try await keys.wrongKeys.refuse(
                connections.record(of: channel)?.address ?? .loopback, wait: wait)
            throw KeyStatus.error(refusal, for: head)
        case .missing:
            let scheme = KeyPassword.isCalendar(head) ? "Basic" : "Bearer"
            throw GatewayError(
                .unauthorized, .unauthorized, "a bearer token is needed: Authorization: Bearer <key>",
                headers: [.wwwAuthenticate: "\(scheme) realm=\"selene\""])
        }
    }

    /// The identity of a caller with a valid key, if the cached keys are fresh; nil when
    /// ``identity(of:on:wait:)`` has to look closer.
    package func identityAtOnce(of head: HTTPRequest, on channel: ObjectIdentifier) -> Identity? {
        guard let identity = keys.holder(ofBearer: Self.bearer(of: head)) else { return nil }
        connections.record(of: channel)?.trust()
        return identity
    }

    /// The holder of the request's session; nil without one, or when the gateway needs no key.
    private func identity(ofCookieIn head: HTTPRequest) async throws -> Identity? {
        let secrets = cookie.secrets(in: head.headerFields)
        guard !secrets.isEmpty, try await keys.needsCredential() else { return nil }
        guard cookie.counts(for: head) else { throw SessionCookie.crossSite }
        for secret in secrets {
            if let holder = try await keys.find(session: secret) { return holder.identity }
        }
        return nil
    }

    private static func bearer(of head: HTTPRequest) -> String? {
        guard let header = head.headerFields[.authorization] else {
            // Anthropic's clients send this header instead.
            if head.path?.hasPrefix("/v1/") == true { return head.headerFields[.apiKey] }
            return KeyPassword.parameter(of: head)
        }
        return token(of: header) ?? (KeyPassword.counts(for: head) ? KeyPassword.password(of: header) : nil)
    }

    /// The token of an `Authorization` header; nil for a scheme other than `Bearer`, which is case-insensitive.
    package static func token(of header: String) -> String? {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        // Bytes, because graphemes would cost more than the rest of the check.
        let bytes = header.utf8.drop(while: isSpace)
        guard let end = bytes.firstIndex(where: isSpace),
            bytes[..<end].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        let token = bytes[end...].drop(while: isSpace)
        guard let last = token.lastIndex(where: { !isSpace($0) }) else { return nil }
        return String(Substring(token[...last]))
    }
}
