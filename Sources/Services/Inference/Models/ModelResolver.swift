package import NIOCore

/// Resolves which model a request is for, and how its body goes to the upstream.
///
/// Proxied requests and those of the gateway's own pass here. Pure: the body comes in parts, and the caller says which
/// models the key may name.
package struct ModelResolver {
    /// Bytes of a body that are collected to fill in a model's defaults. A larger one goes on without them.
    package static let rewriteLimit = 8 << 20

    /// What is next.
    package enum Step {
        /// The model is resolved; the request has the body, or its beginning, as it is to be sent.
        case resolved(ModelRequest)
        /// So many bytes of the body are needed first, or all of it.
        case needsMore(limit: Int)
        /// The request may not go on.
        case refused(Refusal)
    }

    /// Why a request may not go on.
    package enum Refusal: Sendable, Hashable {
        /// The key is for certain models, and not every server would read the same one from the body.
        case unclear
        /// A member that names a model is repeated.
        case repeated
        /// The key may not use this model.
        case notAllowed(String)
    }

    private let path: String
    private let rules: ModelRules
    private let providers: Set<String>
    private let isRestricted: Bool
    private let isEncoded: Bool
    /// Let go of when the model is resolved and nothing later in the body can change it.
    private var peek: ModelPeek? = ModelPeek()
    /// What the body said to every server when the model was resolved, where a key is restricted.
    private var agreed: ModelPeek.Agreement?
    /// Bytes of the body that are collected before the model is resolved.
    package private(set) var limit = ModelPeek.limit
    /// The resolved request.
    package private(set) var request: ModelRequest?

    /// Creates a resolver that has seen nothing of the body.
    ///
    /// - Parameters:
    ///   - path: The route, without a query.
    ///   - providers: The names of providers besides Ollama.
    ///   - isRestricted: Whether the key lists the models that it may use.
    ///   - isEncoded: Whether the body is in a form that only the upstream can unpack.
    package init(
        path: String, rules: ModelRules, providers: Set<String> = [], isRestricted: Bool = false,
        isEncoded: Bool = false
    ) {
        self.path = path
        self.rules = rules
        self.providers = providers
        self.isRestricted = isRestricted
        self.isEncoded = isEncoded
    }

    /// Resolves a whole body that the gateway wrote itself.
    package static func request(path: String, body: ByteBuffer, rules: ModelRules) -> ModelRequest {
        var resolver = ModelResolver(path: path, rules: rules)
        _ = resolver.push(body) { _ in true }
        guard case .resolved(let request) = resolver.resolve(body, isWhole: true, allows: { _ in true }) else {
            return ModelRequest(path: path, body: body, peek: ModelPeek(), rules: .none)
        }
        return request
    }

    /// Whether the model was read from the body as JSON on behalf of a restricted key: then it has to go on as JSON.
    package var isReadAsJSON: Bool { agreed != nil }

    /// Looks at the next part of the body.
    ///
    /// A restricted key's body is watched to its end: what comes later must not name another model, and Ollama acts only
    /// on a whole body.
    /// - Returns: Why the request may not go on; nil when it may.
    package mutating func push(_ bytes: ByteBuffer, allows: (String) -> Bool) -> Refusal? {
        guard peek != nil else { return nil }
        peek?.push(bytes)
        guard request != nil, let agreement = peek?.agreement(at: path), agreement != agreed else { return nil }
        return refusal(of: agreement, allows) ?? .unclear
    }

    /// Resolves the model, now that the body is whole or ``limit`` bytes of it are collected.
    ///
    /// - Parameters:
    ///   - body: What was collected, all of which was pushed.
    ///   - isWhole: Whether the body has ended.
    ///   - allows: Whether the key may name a model.
    package mutating func resolve(_ body: ByteBuffer, isWhole: Bool, allows: (String) -> Bool) -> Step {
        if let request { return .resolved(request) }
        guard let peek else { return .refused(.unclear) }
        let finding = isEncoded ? .unreadable : peek.finding
        if case .model(let name) = finding, !isWhole, !peek.isComplete, limit < Self.rewriteLimit, hasDefaults(name) {
            limit = Self.rewriteLimit
            return .needsMore(limit: limit)
        }
        if isRestricted {
            let isCutOff = isWhole && !peek.isComplete
            let agreement = isEncoded || isCutOff ? .unreadable : peek.agreement(at: path)
            if let refusal = refusal(of: agreement, allows) { return .refused(refusal) }
            agreed = agreement
        } else if !rules.isEmpty || !providers.isEmpty, !isEncoded, peek.repeatsModel(at: path) {
            return .refused(.repeated)
        }
        let request =
            finding == .unreadable
            ? ModelRequest(path: path, body: body, peek: ModelPeek(), rules: .none)
            : ModelRequest(path: path, body: body, peek: peek, rules: rules, providers: providers)
        self.request = request
        if !isRestricted { self.peek = nil }
        return .resolved(request)
    }

    private func hasDefaults(_ name: String) -> Bool {
        ModelRequest.optionRoutes.contains(path) && rules.defaults(for: rules.resolve(name)) != nil
    }

    private func refusal(of agreement: ModelPeek.Agreement, _ allows: (String) -> Bool) -> Refusal? {
        guard case .models(let names) = agreement else { return .unclear }
        return names.first { !allows($0) }.map(Refusal.notAllowed)
    }
}
