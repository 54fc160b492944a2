/// The path that a client probably meant, for the text of a 404: most wrong paths come from a wrong base address.
///
/// The one list of paths that clients of Ollama, OpenAI, Anthropic, llama.cpp and of rerankers ask for. Its words are no topics of
/// notifications at the root: a prompt that was sent to a wrong base address must not become a notification.
package enum MeantPath {
    /// Paths that the gateway answers, in the spelling of their protocol.
    static let answered: Set<String> = [
        "/api/generate", "/api/chat", "/api/embed", "/api/embeddings", "/api/tags", "/api/ps", "/api/show",
        "/api/version",
        "/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete", "/v1/models", "/v1/chat/completions",
        "/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/messages", "/v1/images/generations",
        "/v1/images/edits",
        "/v1/audio/transcriptions",
    ]

    /// Paths of other servers' protocols that the gateway does not answer.
    private static let foreign: Set<String> = [
        "/completion", "/infill", "/tokenize", "/detokenize", "/apply-template", "/embedding", "/reranking", "/rerank",
        "/rank",
        "/props", "/slots", "/lora-adapters", "/predict", "/invocations", "/classify", "/score", "/pooling", "/invoke",
        "/count_tokens", "/messages/count_tokens", "/complete", "/moderations", "/files", "/batches", "/assistants",
        "/threads",
        "/fine_tuning", "/realtime", "/audio", "/audio/speech", "/audio/translations", "/images", "/images/variations",
        "/embed_all", "/embed_sparse", "/generate_stream", "/info", "/similarity", "/decode", "/health_generate",
        "/ping",
        "/server_info", "/get_model_info", "/query", "/search", "/blobs", "/status", "/experimental", "/me", "/signout",
        "/model",
        "/load", "/unload", "/jsonrpc", "/graphql", "/rpc", "/upload", "/login", "/token", "/oauth", "/prompt",
        "/prompts",
        "/conversations", "/chats", "/inference", "/run", "/runs", "/generation", "/generations", "/vector_stores",
        "/uploads",
        "/transcribe", "/transcriptions", "/tts", "/asr", "/openai", "/ollama", "/anthropic", "/deployments",
    ]

    /// First words of the gateway's own paths.
    private static let own: Set<String> = [
        "api", "app", "blobs", "ca", "health", "healthz", "k", "livez", "mcp", "metrics", "ntfy", "ready", "readyz",
        "share", "v1",
        "v1beta", "v2", "v3", "web", "webhook", "ws",
    ]

    /// Words that are no topics at the root of the gateway, in lower case.
    package static let reserved: Set<String> = {
        var words = own
        for path in answered { words.formUnion(path.split(separator: "/").map(String.init)) }
        for path in foreign { words.formUnion(path.split(separator: "/").map(String.init)) }
        return words
    }()

    /// The path that was probably meant; nil for a path that resembles none.
    ///
    /// Looks for the longest end of the path that is a path of a protocol (`/v1/v1/models`, `/openai/v1/models`), then for one
    /// that lacks its beginning (`/embeddings`, `/api/chat/completions`). Case, repeated and trailing slashes do not count.
    package static func meant(by path: String) -> String? {
        let words = path.utf8.prefix(2048).split(separator: UInt8(ascii: "/")).prefix(16).map { word in
            String(Substring(word)).lowercased()
        }
        guard !words.isEmpty else { return nil }
        let ends = words.indices.map { "/" + words[$0...].joined(separator: "/") }
        if let found = ends.first(where: { answered.contains($0) && $0 != path }) { return found }
        // A model's name follows.
        if let place = words.lastIndex(of: "models"), place + 1 < words.count, !path.hasPrefix("/v1/models/") {
            return "/v1/models/" + words[(place + 1)...].joined(separator: "/")
        }
        // OpenAI's clients leave /v1 out more often than Ollama's clients leave /api out.
        for end in ends {
            for base in ["/v1", "/api"] where answered.contains(base + end) && base + end != path { return base + end }
        }
        return nil
    }

    /// The text of a 404 for a path.
    package static func missing(_ path: String) -> String {
        let shown = path.utf8.count > 256 ? String(path.prefix(64)) + "…" : path
        if let meant = meant(by: path) {
            return
                "there is no \(shown); did you mean \(meant)? Ollama's API is at /api, OpenAI's and Anthropic's at /v1"
        }
        let words = path.split(separator: "/")
        if words.isEmpty {
            return
                "nothing takes a body at /: Ollama's API is at /api, OpenAI's and Anthropic's at /v1, notifications at /ntfy"
        }
        if let first = words.first?.lowercased(), foreign.contains("/" + first) {
            return "there is no \(shown): this gateway answers Ollama's API at /api, OpenAI's and Anthropic's at /v1"
        }
        return "there is no \(shown)"
    }
}
