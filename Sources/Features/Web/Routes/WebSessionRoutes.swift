import Access
import Audit
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import KeyRoom
import Server

/// Sign-in of browsers, and the list of their sessions.
struct WebSessionRoutes: Sendable {
    /// The largest body, in bytes.
    static let bodyLimit = 4096

    let keys: KeyRing
    let store: any SQLStore
    let cookie: SessionCookie
    /// Whether the gateway has an authority of its own.
    let hasAuthority: Bool
    let audit: AuditTrail

    /// `GET /web/session`: whether the browser is signed in. Prolongs the cookie.
    func status(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        let secrets = cookie.secrets(in: request.headers)
        guard !secrets.isEmpty, cookie.counts(for: request.head), try await keys.needsCredential() else {
            return try await signedOut(request)
        }
        for secret in secrets {
            guard let holder = try await keys.find(session: secret) else { continue }
            return signedIn(holder.identity, secret, request)
        }
        var response = try await signedOut(request)
        response.headers.append(cookie.clearing(in: request.head))
        return response
    }

    /// `POST /web/session`: signs in with a key or a pairing code.
    func signIn(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        try cookie.requireOwnPage(request.head)
        let body = try await JSONRequest.decode(SignInRequest.self, from: request, limit: Self.bodyLimit, in: context)
        let agent = request.headers[.userAgent] ?? ""
        switch (body.key, body.code) {
        case (let key?, nil):
            let key = try FieldCheck.text(key, "key", maxBytes: 1024) as String
            guard try await keys.needsCredential() else { return try await signedOut(request) }
            let old = cookie.counts(for: request.head) ? cookie.secrets(in: request.headers).first : nil
            guard let opened = try await keys.openSession(key: key, userAgent: agent, replacing: old) else {
                throw try await wrongKey(context)
            }
            return signedIn(opened.identity, opened.secret, request)
        case (nil, let code?):
            let code = try FieldCheck.bounded(code, "code", maxBytes: 32)
            let poll = try FieldCheck.text(body.poll, "poll", maxBytes: 128)
            guard
                let opened = try await keys.openSession(
                    code: code, poll: poll, userAgent: agent, from: context.client.address)
            else {
                throw GatewayError(
                    .unauthorized, .init(rawValue: "wrong_code"), "the code is wrong, was used, or has expired")
            }
            await recordPairing(opened, context)
            return signedIn(opened.identity, opened.secret, request)
        default: throw GatewayError.field("key", "send either \"key\" or \"code\"")
        }
    }

    /// `DELETE /web/session`: ends the browser's session.
    func signOut(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        try cookie.requireOwnPage(request.head)
        for secret in cookie.secrets(in: request.headers) { try await keys.endSession(secret: secret) }
        var headers = HTTPFields()
        headers.append(cookie.clearing(in: request.head))
        return Response(status: .noContent, headers: headers)
    }

    /// `GET /web/sessions`: the sessions of the caller's key; with the scope `admin`, of all keys.
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let own = Set(cookie.secrets(in: request.headers).map { WebSessionRecord.hash(of: $0) })
        let names = try await store.keys.all().reduce(into: [:]) { $0[$1.id] = $1.name }
        let sessions = try await visible(to: context.identity).sorted { $0.lastUsedAt > $1.lastUsedAt }.map { session in
            let name = if case .key(let id) = session.owner { names[id] ?? "" } else { Identity.token.name }
            return WebSession(
                id: session.id, name: name, userAgent: session.userAgent,
                createdAt: Timestamp.iso8601(session.createdAt), lastUsedAt: Timestamp.iso8601(session.lastUsedAt),
                isThis: own.contains(session.hash))
        }
        return JSONReply.response(WebSessionsResponse(sessions: sessions))
    }

    /// `DELETE /web/sessions/:id`
    func end(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let session = try await visible(to: context.identity).first { $0.id == id }
        if case .key(let key)? = session?.owner {
            let name = try? await store.keys.all().first { $0.id == key }?.name
            context.audits(name, id: id)
        }
        guard session != nil, try await store.webSessions.end(id: id) else {
            throw GatewayError(.notFound, .notFound, "there is no session \(id)")
        }
        return Response(status: .noContent)
    }

    /// Writes that a device took a code. The caller is the key that gave it; a code of the command line or of the token has none,
    /// and the entry of the offer says which of them it was.
    private func recordPairing(_ opened: OpenedSession, _ context: GatewayRequestContext) async {
        let giver: Identity? = if let id = opened.giver { try? await keys.identity(ofKey: id) } else { nil }
        await audit.record(
            AuditEntry(
                by: giver?.auditName ?? "new device", keyID: opened.giver, action: AuditAction.devicePair.rawValue,
                object: opened.identity.name, objectID: opened.identity.keyID.map(String.init),
                detail: opened.identity.grant.scopes.words.joined(separator: " "),
                status: HTTPResponse.Status.ok.code, requestID: context.requestID))
    }

    /// The sessions that a caller may see and end.
    private func visible(to identity: Identity) async throws -> [WebSessionRecord] {
        let now = keys.clock.unixSeconds()
        let all = try await store.webSessions.all().filter { $0.expiresAt > now }
        if identity.grant.scopes.contains(.admin) { return all }
        guard let key = identity.keyID else { return [] }
        return all.filter { $0.owner == .key(key) }
    }

    private func signedIn(_ identity: Identity, _ secret: String, _ request: Request) -> Response {
        let grant = identity.grant
        let key = WebSessionStatus.Key(
            name: identity.name, scopes: grant.scopes.words, models: grant.models,
            requestsPerMinute: grant.requestsPerMinute, tokensPerDay: grant.tokensPerDay,
            expiresAt: grant.expiresAt.map { Timestamp.iso8601($0) })
        let status = WebSessionStatus(
            signedIn: true, needsKey: true, key: key,
            secure: cookie.isSecure(request.head),
            expiresAt: Timestamp.iso8601(keys.clock.unixSeconds() + WebSessionRoom.lifetime),
            hasAuthority: hasAuthority)
        var response = reply(status)
        response.headers.append(cookie.setting(secret, for: WebSessionRoom.lifetime, in: request.head))
        return response
    }

    private func signedOut(_ request: Request) async throws -> Response {
        reply(
            WebSessionStatus(
                signedIn: false, needsKey: try await keys.needsCredential(), key: nil,
                secure: cookie.isSecure(request.head), expiresAt: nil, hasAuthority: hasAuthority))
    }

    private func reply(_ status: WebSessionStatus) -> Response {
        var response = JSONReply.response(status)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// The error for a wrong key; wrong keys are delayed and limited by address, as bearer keys are.
    private func wrongKey(_ context: GatewayRequestContext) async throws -> GatewayError {
        let client = context.client
        let refusal = try await keys.wrongKeys.refuse(client.address) { delay in
            try await client.whilePresent { try await Task.sleep(for: delay) }
        }
        guard refusal == .wrongKey else { return GatewayError(refusal) }
        return GatewayError(.unauthorized, .init(rawValue: "wrong_key"), "the key is not valid")
    }
}
