import Access
import HTTPTypes
import Storage

/// Which of Ollama's routes are passed on, and to whom: the one place where this is decided.
///
/// What is not listed does not exist here, under `/v1` as elsewhere. Ollama serves `/debug/pprof` on the same port, other
/// servers have routes under `/v1` that change what they hold, and what a later version adds is closed until it is added
/// to the table.
enum ProxyPolicy {
    /// What a route can do.
    enum Kind: Sendable, Hashable {
        /// Tells what Ollama is and has.
        case catalogue
        /// Makes a model work; takes a place of the admission.
        case inference
        /// Changes what Ollama holds, or whose it is.
        case administration
        /// Lies in a space that is passed on, but is not listed there.
        case unknown
        /// Is listed, with other methods than the request's.
        case otherMethod
    }

    /// A route of the table.
    struct Route: Sendable, Hashable {
        let kind: Kind
        /// The methods that are passed on.
        let methods: [HTTPRequest.Method]

        static func get(_ kind: Kind) -> Route { Route(kind: kind, methods: [.get]) }
        static func getOrHead(_ kind: Kind) -> Route { Route(kind: kind, methods: [.get, .head]) }
        static func post(_ kind: Kind) -> Route { Route(kind: kind, methods: [.post]) }
    }

    /// The largest body of an inference. It waits on disk until it is whole, and Ollama holds it in memory.
    static let inferenceBodyLimit = 256 << 20
    /// The largest body of a route that only tells what Ollama has.
    static let catalogueBodyLimit = 1 << 20

    /// The largest body of a kind of routes; nil for bodies of any length, which are passed on while they come.
    static func bodyLimit(of kind: Kind) -> Int? {
        switch kind {
        case .inference: inferenceBodyLimit
        case .catalogue, .unknown, .otherMethod: catalogueBodyLimit
        case .administration: nil
        }
    }

    /// The routes without a part that varies.
    static let routes: [String: Route] = [
        "/": .getOrHead(.catalogue), "/api/version": .getOrHead(.catalogue), "/api/tags": .getOrHead(.catalogue),
        "/api/ps": .get(.catalogue), "/api/show": .post(.catalogue),
        "/api/generate": .post(.inference), "/api/chat": .post(.inference), "/api/embed": .post(.inference),
        "/api/embeddings": .post(.inference),
        "/api/pull": .post(.administration), "/api/push": .post(.administration),
        "/api/create": .post(.administration), "/api/copy": .post(.administration),
        "/api/delete": Route(kind: .administration, methods: [.delete]), "/api/me": .post(.administration),
        "/api/signout": .post(.administration),
        "/v1/models": .get(.catalogue), "/v1/chat/completions": .post(.inference),
        "/v1/completions": .post(.inference), "/v1/embeddings": .post(.inference),
        "/v1/responses": .post(.inference), "/v1/messages": .post(.inference),
        "/v1/images/generations": .post(.inference), "/v1/images/edits": .post(.inference),
        "/v1/audio/transcriptions": .post(.inference),
    ]

    /// The routes whose path goes on behind a prefix.
    static let prefixes: [String: Route] = [
        "/v1/models/": .get(.catalogue),
        "/api/blobs/": Route(kind: .administration, methods: [.head, .post]),
    ]

    /// The route of a path; nil when it is not listed.
    static func route(of path: String) -> Route? {
        if let route = routes[path] { return route }
        guard let prefix = prefixes.keys.first(where: path.hasPrefix), path != prefix, isPlain(path) else { return nil }
        return prefixes[prefix]
    }

    /// What a request's path stands for; nil when the path is not Ollama's.
    ///
    /// - Parameter target: The path with its query, as the client wrote it.
    static func kind(of target: String, method: HTTPRequest.Method) -> Kind? {
        let path = String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
        guard let route = route(of: path) else {
            return path.hasPrefix("/v1/") || path.hasPrefix("/api/blobs/") ? .unknown : nil
        }
        // OPTIONS does nothing, and what it says is for the server to say.
        return route.methods.contains(method) || method == .options ? route.kind : .otherMethod
    }

    /// Whether the body of a route names the models that the route is about.
    static func namesModel(_ path: String, _ kind: Kind) -> Bool {
        switch kind {
        case .inference: true
        case .catalogue: path == "/api/show"
        case .administration:
            ["/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete"].contains(path)
        case .unknown, .otherMethod: false
        }
    }

    /// What a kind of route wants of a key; nil for a route that is not passed on.
    static func access(to kind: Kind) -> RouteAccess? {
        switch kind {
        case .catalogue: .requireScope(.llm)
        case .administration: .requireScope(.admin)
        case .inference: .requireScope(.llm, spendsTokens: true)
        case .unknown, .otherMethod: nil
        }
    }

    /// Whether a path means itself to every server: no dots, empty segments or backslashes to resolve, encoded or not.
    private static func isPlain(_ path: String) -> Bool {
        let lower = path.lowercased()
        return !["..", "//", "/./", "\\", "%2e", "%5c", "#"].contains { lower.contains($0) }
            && lower.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

/// Under which name a proxied route is counted: a bounded number, whatever clients ask for.
extension ProxyPolicy {
    /// Every pattern that ``pattern(of:)`` gives.
    static var patterns: [String] {
        routes.keys.sorted() + ["/v1/models/{model}", "/v1/other", "/api/blobs/{digest}"]
    }

    /// The pattern of a path that ``kind(of:method:)`` knows.
    static func pattern(of path: String) -> String {
        if routes[path] != nil { return path }
        if path.hasPrefix("/api/blobs/") { return "/api/blobs/{digest}" }
        return path.hasPrefix("/v1/models/") ? "/v1/models/{model}" : "/v1/other"
    }
}
