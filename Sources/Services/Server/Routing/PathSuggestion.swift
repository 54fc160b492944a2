/// The path that a client probably meant, for the text of a 404: most wrong paths come from a wrong base address.
///
/// The one list of paths that clients of Ollama, OpenAI, Anthropic, llama.cpp and of rerankers ask for. Its words are no topics of
/// notifications at the root: a prompt that was sent to a wrong base address must not become a notification.
package enum PathSuggestion {
    /// Paths that the gateway answers, in the spelling of their protocol.
    static let answered = paths(
        """
        /api/generate /api/chat /api/embed /api/embeddings /api/tags /api/ps /api/show /api/version /api/pull /api/push
        /api/create /api/copy /api/delete /api/status
        /api/web_search /api/web_fetch /api/experimental/web_search /api/experimental/web_fetch
        /v1/models /v1/chat/completions /v1/completions /v1/embeddings /v1/responses /v1/messages /v1/images/generations
        /v1/images/edits /v1/audio/transcriptions /v1/audio/speech /v1/rerank /v1/messages/count_tokens
        """)

    /// First words of other servers' paths, which the gateway does not answer.
    private static let foreign = paths(
        """
        anthropic apply-template asr assistants audio batches blobs chats classify complete completion conversations
        count_tokens decode deployments detokenize embed_all embed_sparse embedding experimental files fine_tuning
        generate_stream generation generations get_model_info graphql health_generate images inference infill info
        invocations invoke jsonrpc load login lora-adapters me model moderations oauth ollama openai ping pooling predict
        prompt prompts props query rank realtime rerank reranking rpc run runs score search server_info signout similarity
        slots sse status summarize threads token tokenize transcribe transcriptions tts unload upload uploads
        vector_stores
        """)

    /// First words of the gateway's own paths.
    private static let own = paths(
        "api app blobs ca health healthz k livez mcp metrics ntfy ready readyz share v1 v1beta v2 v3 web webhook ws")

    /// Words that are no topics at the root of the gateway, in lower case.
    package static let reserved = answered.reduce(into: own.union(foreign)) { words, path in
        words.formUnion(path.split(separator: "/").map(String.init))
    }

    private static func paths(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

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
        if let first = words.first?.lowercased(), foreign.contains(first) {
            return "there is no \(shown): this gateway answers Ollama's API at /api, OpenAI's and Anthropic's at /v1"
        }
        return "there is no \(shown)"
    }
}
