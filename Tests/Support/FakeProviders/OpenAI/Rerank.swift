import FakeOllama

extension FakeProvider {
    /// How a fake reranker wants its requests, and what it answers.
    package enum RerankStyle: Sendable, Hashable {
        /// `documents` at `/v1/rerank`, `results` with `relevance_score`: Jina, Cohere, vLLM, llama.cpp.
        case usual
        /// The same without `top_n`, and `data`: Voyage.
        case bare
        /// `texts` at `/rerank`, a plain list with `score`: Text Embeddings Inference.
        case texts
    }
}

extension Service {
    /// Scores each text by the words of the query that it holds; the best first.
    func rerank(_ body: JSON, _ fault: Fault.Kind?) async throws {
        func refuse(_ status: Int, _ message: String) -> ProviderError {
            ProviderError(status, "invalid_request_error", message)
        }
        let isRoot = exchange.path == "/rerank"
        guard isRoot == (options.rerank == .texts) else { throw refuse(404, "unknown route") }
        if options.rerank != .texts { try require(model: body["model"]?.text) }
        guard let texts = body[options.rerank == .texts ? "texts" : "documents"]?.elements?.compactMap(\.text) else {
            throw refuse(422, "Field required")
        }
        if options.rerank == .bare, body["top_n"] != nil { throw refuse(400, "Argument 'top_n' is not supported") }
        guard let query = body["query"]?.text else { throw refuse(422, "Field required: query") }
        let words = Set(query.lowercased().split { !$0.isLetter && !$0.isNumber })
        let scores = texts.map { text in
            words.count { word in text.lowercased().split { !$0.isLetter && !$0.isNumber }.contains(word) }
        }
        let order = scores.indices.sorted { scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1 }
        let name = options.rerank == .texts ? "score" : "relevance_score"
        let results = JSON.array(order.map { ["index": JSON($0), name: .number("\(scores[$0]).25")] as JSON })
        let whole: JSON =
            switch options.rerank {
            case .usual: ["model": body["model"] ?? .null, "results": results, "usage": ["total_tokens": 7]]
            case .bare: ["object": "list", "data": results, "usage": ["total_tokens": 7]]
            case .texts: results
            }
        let text = options.rerankReply ?? whole.encoded
        switch fault {
        case .badJSON: try await exchange.send("{\"results\": [" + text)
        case .cut:
            exchange.begin(type: "application/json", headers: [("Content-Length", "\(text.utf8.count)")])
            try await exchange.write(String(text.prefix(text.count / 2)))
            try await exchange.hangUp()
        case .stallMid(_, let seconds):
            exchange.begin(type: "application/json", headers: [("Content-Length", "\(text.utf8.count)")])
            try await exchange.write(String(text.prefix(text.count / 2)))
            try await exchange.pause(seconds)
            try await exchange.write(String(text.dropFirst(text.count / 2)))
            try await exchange.end()
        default: try await exchange.send(text)
        }
    }
}
