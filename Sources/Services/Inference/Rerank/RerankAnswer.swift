import GatewayAPI

/// The scores in a server's answer to `/rerank`, in the forms of several servers.
///
/// Reads `{"results": [{"index", "relevance_score"}]}` (Jina, Cohere, vLLM, llama.cpp), the same with `data` (Voyage), and
/// a plain list of `{"index", "score"}` (Text Embeddings Inference). The order of the elements says nothing, so an element
/// without a usable index is skipped. So is one without a finite score. Of two elements for one text the first counts.
struct RerankAnswer {
    /// By text: its score; nil when there is none.
    var scores: [Double?]
    /// The tokens that the server counted; nil when it counted none.
    var tokens: Int?

    /// The number of texts with a score.
    var count: Int { scores.count { $0 != nil } }

    /// Reads an answer about a number of texts; nil when it has no list.
    init?(_ value: JSONValue, texts: Int) {
        guard let elements = (value.elements ?? value["results"]?.elements ?? value["data"]?.elements) else {
            return nil
        }
        scores = [Double?](repeating: nil, count: texts)
        for element in elements {
            guard let index = element["index"]?.count, scores.indices.contains(index), scores[index] == nil else {
                continue
            }
            scores[index] = (element["relevance_score"] ?? element["score"])?.finite
        }
        let usage = value["usage"]
        tokens = usage?["total_tokens"]?.count ?? usage?["prompt_tokens"]?.count
    }
}

extension JSONValue {
    /// A finite number; nil for any other value.
    fileprivate var finite: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.isFinite ? number : nil
        default: nil
        }
    }
}
