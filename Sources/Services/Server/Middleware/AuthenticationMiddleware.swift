package import Access
package import HTTPTypes
package import Hummingbird

/// Checks the ``Credential`` of a request, or without one its session cookie: 401 without either, 403 for a wrong or
/// expired key, or 401 where clients expect that; see ``KeyStatus``.
///
/// The key of this machine's command line counts for connections from this machine that no proxy forwarded. A gateway without
/// keys answers requests that pass ``LocalRequest``. Wrong keys are slowed down by address; see ``WrongKeys``.
package struct AuthenticationMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    package let keys: KeyRing
    package let connections: OpenConnections
    package let cookie: SessionCookie
    /// Which pages may call the gateway.
    private let settings: LiveSettings

    package init(keys: KeyRing, connections: OpenConnections, cookie: SessionCookie, settings: LiveSettings) {
        self.keys = keys
        self.connections = connections
        self.cookie = cookie
        self.settings = settings
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
        let credential = Credential(of: head)
        if let identity = try identityAtOnce(credential, of: head, on: channel) { return identity }
        // It is in memory, so it needs no look at the keys.
        if keys.isMachineKey(credential?.text), let record = connections.record(of: channel), record.isThisMachine,
            !LocalRequest.isForwarded(head)
        {
            record.trust()
            return .machine
        }
        // A reverse proxy in front may ask browsers for a password of its own.
        if credential?.yieldsToCookie ?? true, let identity = try await identity(ofCookieIn: head) {
            connections.record(of: channel)?.trust()
            return identity
        }
        let address = connections.record(of: channel)?.address ?? .loopback
        switch try await find(credential, from: address) {
        case .known(let identity):
            if identity.holder == .anonymous { try LocalRequest.check(head) }
            connections.record(of: channel)?.trust()
            return identity
        case .expired(let identity):
            if let key = identity.keyID { keys.meter.countRequest(key) }
            throw KeyStatus.error(keys.refuse(identity, AccessRefusal.keyExpired), for: head)
        case .wrong:
            throw KeyStatus.error(try await keys.wrongKeys.refuse(address, wait: wait), for: head)
        case .refused(let reason):
            guard reason.isGuess else { throw reason }
            let refusal = try await keys.wrongKeys.refuse(address, wait: wait)
            throw refusal == .wrongKey ? reason : refusal
        case .missing:
            throw GatewayError(
                .unauthorized, .unauthorized, "a bearer token is needed: Authorization: Bearer <key>",
                headers: KeyChallenge.fields(for: head))
        }
    }

    private func find(_ credential: Credential?, from address: ClientAddress) async throws -> KeyRing.Finding {
        switch credential {
        case nil: try await keys.find(bearer: nil)
        case .token(let text), .password(let text): try await keys.find(bearer: text)
        case .path(let text): try await keys.find(inPath: text)
        case .signature(let signature): try await keys.find(signature, from: address)
        }
    }

    /// The identity of a caller with a valid key, if the cached keys are fresh; nil when
    /// ``identity(of:on:wait:)`` has to look closer.
    ///
    /// - Throws: ``GatewayError`` with 403 for a page that may not use a browser's password.
    package func identityAtOnce(of head: HTTPRequest, on channel: ObjectIdentifier) throws -> Identity? {
        try identityAtOnce(Credential(of: head), of: head, on: channel)
    }

    private func identityAtOnce(
        _ credential: Credential?, of head: HTTPRequest, on channel: ObjectIdentifier
    ) throws -> Identity? {
        let identity: Identity?
        switch credential {
        case .token(let text): identity = keys.holder(ofBearer: text)
        case .password(let text):
            try checkPage(head)
            identity = keys.holder(ofBearer: text)
        case .path(let text): identity = keys.holder(inPath: text)
        case .signature, nil: identity = nil
        }
        if identity != nil { connections.record(of: channel)?.trust() }
        return identity
    }

    /// Refuses a password that a browser sends for a page of another site. A browser remembers a password and sends it with
    /// every request to the gateway, also with those that other sites start.
    private func checkPage(_ head: HTTPRequest) throws(GatewayError) {
        let origin = head.headerFields[.origin]
        if let origin, settings.current.origins.allows(origin, needsKeys: true) || cookie.isOwn(origin: origin, head) {
            return
        }
        let site = head.headerFields[.secFetchSite]
        guard origin != nil || site == "cross-site" || site == "same-site" else { return }
        // A link of another site may lead here, and reads nothing.
        let isLink = head.headerFields[.secFetchMode] == "navigate" && (head.method == .get || head.method == .head)
        guard origin == nil, isLink else { throw Self.foreignPage }
    }

    private static let foreignPage = GatewayError(
        .forbidden, .crossSiteRequest,
        "a page of another site sent this request, and a password counts for the gateway's own pages only; list the page's "
            + "origin in SELENE_ORIGINS, or send the key as Authorization: Bearer <key>")

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
}
