import Access
import GatewayAPI
import HTTPTypes

/// Decides which of Ollama's routes are forwarded, and which scope they need. No other place decides this.
///
/// Unlisted routes do not exist here, under `/v1` or elsewhere. Ollama serves `/debug/pprof` on the same port, and
/// other servers have routes under `/v1` that change their models. Routes of later Ollama versions stay closed until
/// the table lists them.
enum ProxyPolicy {
    /// What a route can do.
    enum Kind: Sendable, Hashable {
        /// Lists or describes models and Ollama itself.
        case catalogue
        /// Makes a model work; takes a place of the admission.
        case inference
        /// Changes Ollama's models, or their owner.
        case administration
        /// An unlisted route under a forwarded prefix.
        case unknown
        /// A listed route, with a method that is not listed.
        case otherMethod
    }

    /// One row of the table.
    struct Route: Sendable, Hashable {
        let kind: Kind
        /// The methods that are forwarded.
        let methods: [HTTPRequest.Method]

        static func getOrHead(_ kind: Kind) -> Route { Route(kind: kind, methods: [.get, .head]) }
        static func post(_ kind: Kind) -> Route { Route(kind: kind, methods: [.post]) }
    }

    /// The largest inference body, in bytes. The body is spooled until it is complete, and Ollama holds it in memory.
    static let inferenceBodyLimit = 256 << 20
    /// The largest body of a catalogue route, in bytes.
    static let catalogueBodyLimit = 1 << 20

    /// The largest body of a kind of route, in bytes; nil for no limit: the body is then forwarded as it arrives.
    static func bodyLimit(of kind: Kind) -> Int? {
        switch kind {
        case .inference: inferenceBodyLimit
        case .catalogue, .unknown, .otherMethod: catalogueBodyLimit
        case .administration: nil
        }
    }

    /// The routes with a fixed path.
    static let routes: [String: Route] = [
        "/": .getOrHead(.catalogue), "/api/version": .getOrHead(.catalogue), "/api/tags": .getOrHead(.catalogue),
        "/api/ps": .getOrHead(.catalogue), "/api/show": .post(.catalogue), "/api/status": .getOrHead(.catalogue),
        "/api/experimental/model-recommendations": .getOrHead(.catalogue),
        "/api/generate": .post(.inference), "/api/chat": .post(.inference), "/api/embed": .post(.inference),
        "/api/embeddings": .post(.inference),
        "/api/pull": .post(.administration), "/api/push": .post(.administration),
        "/api/create": .post(.administration), "/api/copy": .post(.administration),
        "/api/delete": Route(kind: .administration, methods: [.delete]), "/api/me": .post(.administration),
        "/api/signout": .post(.administration),
        "/v1/models": .getOrHead(.catalogue), "/v1/chat/completions": .post(.inference),
        "/v1/completions": .post(.inference), "/v1/embeddings": .post(.inference),
        "/v1/responses": .post(.inference), "/v1/messages": .post(.inference),
        "/v1/images/generations": .post(.inference), "/v1/images/edits": .post(.inference),
        "/v1/audio/transcriptions": .post(.inference), "/v1/audio/speech": .post(.inference),
    ]

    /// The routes with a prefix and a variable rest.
    static let prefixes: [String: Route] = [
        "/v1/models/": .getOrHead(.catalogue),
        "/api/blobs/": Route(kind: .administration, methods: [.head, .post]),
    ]

    /// The route of a path; nil when it is not listed.
    static func route(of path: String) -> Route? {
        if let route = routes[path] { return route }
        guard let prefix = prefixes.keys.first(where: path.hasPrefix), path != prefix, isPlain(path) else { return nil }
        return prefixes[prefix]
    }

    /// Routes below a forwarded prefix that the gateway answers itself.
    private static let own: Set = ["/v1/rerank", "/v1/messages/count_tokens"]

    /// The routes that also answer for models of the gateway's own, besides `/v1/models/{model}`.
    private static let ofOwnModels: Set = [
        "/api/show", "/api/generate", "/api/chat", "/v1/chat/completions", "/v1/responses", "/v1/messages",
    ]

    /// Whether a route's body may name a model of the gateway's own.
    static func mayNameOwnModel(_ path: String) -> Bool { ofOwnModels.contains(path) }

    /// The kind of a request; nil when the path is not one of Ollama's.
    ///
    /// - Parameter target: The path with its query, as the client wrote it.
    static func kind(of target: String, method: HTTPRequest.Method) -> Kind? {
        let path = String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
        // The gateway publishes notifications there; Ollama does not answer it.
        if path == "/", method == .post { return nil }
        guard let route = route(of: path) else {
            if own.contains(path) { return nil }
            return path.hasPrefix("/v1/") || path.hasPrefix("/api/blobs/") ? .unknown : nil
        }
        // OPTIONS changes nothing, and the server decides how to answer it.
        return route.methods.contains(method) || method == .options ? route.kind : .otherMethod
    }

    /// Whether a route's body names the models that the request uses.
    static func namesModel(_ path: String, _ kind: Kind) -> Bool {
        switch kind {
        case .inference: true
        case .catalogue: path == "/api/show"
        case .administration:
            ["/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete"].contains(path)
        case .unknown, .otherMethod: false
        }
    }

    /// The access that a key needs for a kind of route; nil for a route that is not forwarded.
    static func access(to kind: Kind) -> RouteAccess? {
        switch kind {
        case .catalogue: .requireScope(.llm)
        case .administration: .requireScope(.admin)
        case .inference: .requireScope(.llm, spendsTokens: true)
        case .unknown, .otherMethod: nil
        }
    }

    /// Whether every server reads the path the same way: no dots, empty segments or backslashes, encoded or not.
    private static func isPlain(_ path: String) -> Bool {
        let lower = path.lowercased()
        return !["..", "//", "/./", "\\", "%2e", "%5c", "#"].contains { lower.contains($0) }
            && lower.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

/// The route patterns under which proxied requests are counted: a bounded number, whatever paths clients send.
extension ProxyPolicy {
    /// Every pattern that ``pattern(of:)`` gives.
    static var patterns: [String] {
        routes.keys.sorted() + ["/v1/models/{model}", "/v1/other", "/api/blobs/{digest}"]
    }

    /// The pattern of a path for which ``kind(of:method:)`` returns a kind.
    static func pattern(of path: String) -> String {
        if routes[path] != nil { return path }
        if path.hasPrefix("/api/blobs/") { return "/api/blobs/{digest}" }
        return path.hasPrefix("/v1/models/") ? "/v1/models/{model}" : "/v1/other"
    }
}
