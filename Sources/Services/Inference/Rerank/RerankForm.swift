import GatewayAPI
import Transport

/// How a request for scores is written. Servers differ, so the forms are tried in order until one is understood.
enum RerankForm: Int, CaseIterable {
    /// `documents` and `top_n`: Jina, Cohere, vLLM, llama.cpp and others.
    case usual
    /// Without `top_n`, which some servers refuse.
    case bare
    /// `texts`, at `/rerank` of the server's root: Text Embeddings Inference.
    case texts

    /// The members of the request's body.
    func members(model: String, query: String, texts: [String]) -> [(name: String, value: JSONValue)] {
        let list = JSONValue.array(texts.map(JSONValue.string))
        let common: [(name: String, value: JSONValue)] = [("model", .string(model)), ("query", .string(query))]
        return switch self {
        case .usual: common + [("documents", list), ("top_n", .integer(Int64(texts.count)))]
        case .bare: common + [("documents", list)]
        // Without `truncate` a text that is longer than the model's context fails the whole request.
        case .texts: common + [("texts", list), ("truncate", .bool(true))]
        }
    }

    /// Whether a failure may mean that the server did not understand the form.
    static func isMisunderstood(_ error: UpstreamError) -> Bool {
        error.code == .status && [400, 404, 405, 415, 422, 501].contains(error.status)
    }

    /// The request to a server whose API is below `base`, such as `https://api.jina.ai/v1`.
    func request(below base: String, model: String, query: String, texts: [String]) -> UpstreamRequest {
        var request = UpstreamRequest.post("/rerank", members(model: model, query: query, texts: texts))
        guard self == .texts, base.hasSuffix("/v1") else { return request }
        // The path of the base begins after the host.
        let authority = base.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let path = authority.drop { $0 != UInt8(ascii: "/") }
        request.origin = String(Substring(base.utf8.prefix(upTo: path.startIndex)))
        request.path = String(Substring(path.dropLast("/v1".utf8.count))) + "/rerank"
        return request
    }
}
