import Access
import HTTPTypes
import Inference
import Server
import KeyRoom

/// Authorizes proxied requests and charges their tokens to keys.
struct ProxyAccess: Sendable {
    let authentication: AuthenticationMiddleware

    init(authentication: AuthenticationMiddleware) { self.authentication = authentication }

    private var keys: KeyRing { authentication.keys }

    /// Authenticates the sender, authorizes the route and counts the request. Does not suspend while the copy of the
    /// keys is fresh.
    ///
    /// - Parameter channel: The connection.
    /// - Throws: ``GatewayError``, ``AccessRefusal``.
    func identity(of request: ProxiedRequest, on channel: ObjectIdentifier) async throws -> Identity {
        let identity = try await authentication.identity(of: request.head, on: channel)
        try ProxyPolicy.check(request.kind, path: request.path, for: identity, keys: keys)
        return identity
    }

    /// The identity of a sender with a valid key, authorized and counted, if the copy of the keys is fresh; nil when
    /// ``identity(of:on:)`` has to look closer.
    ///
    /// - Throws: ``GatewayError``, ``AccessRefusal``.
    func identityAtOnce(of request: ProxiedRequest, on channel: ObjectIdentifier) throws -> Identity? {
        guard let identity = try authentication.identityAtOnce(of: request.head, on: channel) else { return nil }
        try ProxyPolicy.check(request.kind, path: request.path, for: identity, keys: keys)
        return identity
    }

    /// Whether the model of a request has to be known for its cost.
    func hasPrice(_ identity: Identity) -> Bool { keys.hasPrice(identity) }

    /// Whether a key may use a model.
    func allows(_ model: String, to identity: Identity) -> Bool { keys.allows(model: model, to: identity) }

    /// The error for a refused model; counts a refusal for the key.
    func refuse(_ refusal: ModelResolver.Refusal, to identity: Identity) -> GatewayError {
        switch refusal {
        case .repeated:
            GatewayError(
                .badRequest, .invalidField, "field \"model\": is given more than once; send it once",
                headers: [.connection: "close"])
        case .notAllowed(let name):
            GatewayError(
                keys.refuse(identity, AccessRefusal.modelNotAllowed(name, allowed: identity.grant.models)))
        case .unclear:
            keys.refuse(
                identity,
                GatewayError(
                    .forbidden, .modelNotAllowed,
                    "this key may use certain models or spend so much only, and every server must read the same one from the body: "
                        + "send one plain JSON object that names the model once, as the API spells it, within its first "
                        + "\(ModelPeek.limit >> 20) MiB",
                    headers: [.connection: "close"]))
        }
    }

    /// The error for a form with a name of Ollama's cloud while such models are refused.
    static let cloudInForm = GatewayError(
        .forbidden, .init(rawValue: "cloud_off"),
        "a field of this form names a model of Ollama's cloud, and SELENE_CLOUD is off; use a model of this machine, or set "
            + "SELENE_CLOUD=on", headers: [.connection: "close"])

    /// The error for a body whose model cannot be read while models of Ollama's cloud are refused.
    static let unclearWithoutCloud = GatewayError(
        .forbidden, .init(rawValue: "cloud_off"),
        "SELENE_CLOUD is off, so the model must be readable: send one plain JSON object that names the model once, as the API "
            + "spells it, within its first \(ModelPeek.limit >> 20) MiB", headers: [.connection: "close"])

    /// Charges the tokens of an answer to its key.
    func charge(_ identity: Identity, of model: String?, prompt: Int, completion: Int) {
        keys.recordTokens(identity, of: model, prompt: prompt, completion: completion)
    }
}

extension ProxyPolicy {
    /// Authorizes a key for a route and counts the request.
    ///
    /// - Parameter path: The path without its query.
    /// - Throws: ``GatewayError`` with 404 or 405, ``AccessRefusal``.
    static func check(_ kind: Kind, path: String, for identity: Identity, keys: KeyRing) throws {
        if let access = access(to: kind) { return try keys.admit(identity, to: access) }
        guard let route = route(of: path) else {
            throw GatewayError(.notFound, .notFound, PathSuggestion.missing(path))
        }
        let allowed = route.methods.map(\.rawValue).joined(separator: ", ")
        throw GatewayError(
            .methodNotAllowed, .methodNotAllowed, "\(path) answers \(allowed) only", headers: [.allow: allowed])
    }
}
