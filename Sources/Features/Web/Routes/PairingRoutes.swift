import Access
import Cryptography
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import KeyRoom
import QRCode
import Server

/// Pairing of new devices: a signed-in device offers a code, or approves the code that a new device shows.
struct PairingRoutes: Sendable {
    let keys: KeyRing
    let store: PairingRoom
    let cookie: SessionCookie
    /// The address that the gateway listens on.
    let host: String

    private var now: Int64 { keys.clock.unixSeconds() }

    /// `POST /web/pairings`: offers a key to a new device.
    func offer(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(
            PairingOffer.self, from: request, limit: WebSessionRoutes.bodyLimit, in: context)
        let name = try Self.name(body.name)
        let grant = try await grant(body.scopes, body.expires, request, context)
        context.audits(name, detail: grant.scopes.words.joined(separator: " "))
        let code = PairingCode()
        let expiresAt = try await whileThereIsRoom {
            try await store.offer(code, name: name, grant: grant, grantedBy: context.identity.keyID, now: now)
        }
        let address = PairingAddress(
            for: request.head, listeningOn: host, isEncrypted: cookie.isSecure(request.head))
        let url = address.url(code.text)
        return JSONReply.response(
            PairingOfferResponse(
                code: code.text, expiresAt: Timestamp.iso8601(expiresAt), url: url, qr: QRCode(url)?.svg),
            status: .created)
    }

    /// `POST /web/pairings/requests`: a new device asks for a key and gets a code to show.
    func request(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        try cookie.requireOwnPage(request.head)
        let body = try await JSONRequest.decode(
            PairingRequest.self, from: request, limit: WebSessionRoutes.bodyLimit, in: context)
        let name = try Self.name(body.name)
        try await requireKeys()
        let (code, poll) = (PairingCode(), RandomSecret.make())
        let expiresAt = try await whileThereIsRoom {
            try await store.request(
                code, poll: poll, name: name, userAgent: request.headers[.userAgent] ?? "",
                address: context.client.address.text, now: now)
        }
        return JSONReply.response(
            PairingRequestResponse(code: code.text, poll: poll, expiresAt: Timestamp.iso8601(expiresAt)),
            status: .created)
    }

    /// `GET /web/pairings/requests/:code`: the new device asks whether it was approved.
    func state(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await WebPageRequest.check(request.head, keys)
        guard let code = PairingCode(context.parameters.get("code") ?? ""),
            let poll = request.headers[.selenePoll],
            let isApproved = try await store.isApproved(code, poll: poll, now: now)
        else { throw Self.missing }
        return JSONReply.response(PairingState(state: isApproved ? .approved : .waiting))
    }

    /// `GET /web/pairings/requests/:code/details`: who asks.
    func details(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let code = PairingCode(context.parameters.get("code") ?? ""),
            let found = try await store.request(code, now: now)
        else { throw Self.missing }
        return JSONReply.response(
            PairingDetails(
                name: found.name, userAgent: found.userAgent, address: found.address,
                state: found.grant == nil ? .waiting : .approved, expiresAt: Timestamp.iso8601(found.expiresAt)))
    }

    /// `POST /web/pairings/requests/:code/approve`
    func approve(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decodeIfPresent(
            PairingApproval.self, from: request, limit: WebSessionRoutes.bodyLimit, in: context)
        let grant = try await grant(body?.scopes, body?.expires, request, context)
        guard let code = PairingCode(context.parameters.get("code") ?? ""),
            let found = try await store.approve(
                code, grant: grant, grantedBy: context.identity.keyID, now: now)
        else { throw Self.missing }
        context.audits(found.name, detail: grant.scopes.words.joined(separator: " "))
        return JSONReply.response(
            PairingDetails(
                name: found.name, userAgent: found.userAgent, address: found.address, state: .approved,
                expiresAt: Timestamp.iso8601(found.expiresAt)))
    }

    // MARK: What is given

    /// The rights for a new key, as far as the caller's key may give them.
    private func grant(
        _ scopes: [String]?, _ expires: String?, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> KeyGrant {
        try await requireKeys()
        let (identity, own) = (context.identity, context.identity.grant)
        guard own.scopes.contains(.admin) || request.headers[.authorization] == nil else {
            throw keys.refuse(
                identity,
                GatewayError(
                    .forbidden, Code.needsBrowser,
                    "a key pairs other devices from a signed-in browser only, unless it has the scope \"admin\"; sign in with it, or run `selene pair NAME` on the gateway's machine"
                ))
        }
        try await store.checkRoom(for: identity.keyID, now: self.now)
        let now = now
        let wanted = try FieldCheck.parsed(expires, "expires", as: "30d, 12h, a date or never") {
            KeyExpiry($0, now: now)
        }
        if let end = wanted?.unixSeconds, end <= now { throw GatewayError.field("expires", "is in the past") }
        let ends = [wanted?.unixSeconds, own.expiresAt].compactMap(\.self)
        let grant = KeyGrant(
            scopes: try Self.scopes(scopes, default: own), models: own.models, expiresAt: ends.min())
        guard own.mayGive(grant) else { throw keys.refuse(identity, AccessRefusal.mayNotGive) }
        return grant
    }

    private enum Code {
        static let needsBrowser = GatewayError.Code(rawValue: "needs_browser")
    }

    private static func scopes(_ words: [String]?, default own: KeyGrant) throws -> Set<KeyScope> {
        guard let words else { return own.scopes.pairing }
        guard !words.isEmpty else { throw GatewayError.field("scopes", "must not be empty") }
        let known = KeyScope.all.map(\.rawValue)
        return Set(
            try words.enumerated().map { index, word in
                let scope = KeyScope(rawValue: word)
                return scope.topic != nil
                    ? scope : KeyScope(rawValue: try FieldCheck.word(word, "scopes[\(index)]", of: known))
            })
    }

    private static func name(_ name: String) throws -> String {
        try FieldCheck.text(name, "name", maxBytes: 100) as String
    }

    /// A gateway without keys answers this machine without sign-in. Its first key would close it to the open pages.
    private func requireKeys() async throws {
        guard try await keys.needsCredential() else {
            throw GatewayError(
                .conflict, .init(rawValue: "no_keys"),
                "this gateway has no keys and needs none; make the first one with `selene keys create NAME`")
        }
    }

    // MARK: Replies

    private static let missing = GatewayError(
        .notFound, .notFound, "there is no device with this code; codes end after 5 minutes")

    /// Stores a pairing; answers 429 while too many wait.
    private func whileThereIsRoom(_ store: () async throws -> Int64) async throws -> Int64 {
        do {
            return try await store()
        } catch let error as StorageError where error.code == .conflict {
            throw GatewayError(
                .tooManyRequests, .overloaded, error.message, headers: [.retryAfter: String(PairingRoom.lifetime)])
        }
    }
}
