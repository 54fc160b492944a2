import HTTPTypes
import Hummingbird
import Storage

/// Which of Ollama's routes are passed on, and to whom: the one place where this is decided.
///
/// What is not listed does not exist here. Ollama serves `/debug/pprof` on the same port, and what a later version adds is
/// closed until it is added to the table.
enum ProxyPolicy {
    /// What a route can do.
    enum Kind: Sendable, Hashable {
        /// Tells what Ollama is and has.
        case catalogue
        /// Makes a model work; takes a place of the admission.
        case inference
        /// Changes what Ollama holds, or whose it is.
        case administration
        /// Lies in a space that is passed on, but in a form that could mean another path to the server behind.
        case suspicious
    }

    /// The largest body of an inference. It waits on disk until it is whole, and Ollama holds it in memory.
    static let inferenceBodyLimit = 256 << 20
    /// The largest body of a route that only tells what Ollama has.
    static let catalogueBodyLimit = 1 << 20

    /// The largest body of a kind of routes; nil for bodies of any length, which are passed on while they come.
    static func bodyLimit(of kind: Kind) -> Int? {
        switch kind {
        case .inference: inferenceBodyLimit
        case .catalogue, .suspicious: catalogueBodyLimit
        case .administration: nil
        }
    }

    static let routes: [String: Kind] = [
        "/": .catalogue, "/api/version": .catalogue, "/api/tags": .catalogue, "/api/ps": .catalogue,
        "/api/show": .catalogue,
        "/api/generate": .inference, "/api/chat": .inference, "/api/embed": .inference, "/api/embeddings": .inference,
        "/api/pull": .administration, "/api/push": .administration, "/api/create": .administration,
        "/api/copy": .administration, "/api/delete": .administration, "/api/me": .administration,
        "/api/signout": .administration,
    ]

    /// What a request's path stands for; nil when the path is not Ollama's.
    ///
    /// - Parameter target: The path with its query, as the client wrote it.
    static func kind(of target: String, method: HTTPRequest.Method) -> Kind? {
        let path = String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
        if let kind = routes[path] { return kind }
        if path.hasPrefix("/v1/") {
            guard isPlain(path) else { return .suspicious }
            return method == .get || method == .head ? .catalogue : .inference
        }
        if path.hasPrefix("/api/blobs/") {
            return isPlain(path) ? .administration : .suspicious
        }
        return nil
    }

    /// Refuses who may not use a route, and counts the request.
    ///
    /// - Throws: ``GatewayError`` with 403, 404 or 429.
    static func check(_ kind: Kind, path: String, for identity: Identity, keys: KeyRing) throws(GatewayError) {
        switch kind {
        case .suspicious: throw GatewayError(.notFound, .notFound, "there is no \(path)")
        case .catalogue: try keys.admit(identity, to: .requireScope(.llm))
        case .administration: try keys.admit(identity, to: .requireScope(.admin))
        case .inference: try keys.admit(identity, to: .requireScope(.llm, spendsTokens: true))
        }
    }

    /// Whether a path means itself to every server: no dots, empty segments or backslashes to resolve, encoded or not.
    private static func isPlain(_ path: String) -> Bool {
        let lower = path.lowercased()
        return !["..", "//", "/./", "\\", "%2e", "%5c", "#"].contains { lower.contains($0) }
            && lower.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}
