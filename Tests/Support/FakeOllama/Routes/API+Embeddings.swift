import Foundation
import Synchronization

/// Routes for embeddings.
extension API {
    /// The result of an embedding request.
    struct Vectors {
        var values: [[Float]] = []
        var tokens = 0
        var loadSeconds = 0.0
    }

    func embed(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.EmbedRequest")
        let texts = try texts(of: body)
        let name = try body.model()
        let vectors = try await vectors(of: texts, body: body, isTruncating: try body.flag("truncate") ?? true)
        var rows = zip(texts, vectors.values).map { text, values in Self.row(text, values.map(goNumber)) }
        if texts.contains(where: { $0.contains("FEWERVEC") }) { rows.removeLast() }
        var reply = #"{"model":\#(quoted(name)),"embeddings":[\#(rows.joined(separator: ","))]"#
        if !rows.isEmpty {
            let load = Int(vectors.loadSeconds * 1e9) + 1000
            reply += #","total_duration":\#(load + 1_000_000),"load_duration":\#(load)"#
            if vectors.tokens > 0 { reply += #","prompt_eval_count":\#(vectors.tokens)"# }
        }
        try await exchange.send(fault: fault, reply + "}")
    }

    /// The numbers of a vector. A text may ask for an odd one, as models with an overflow send them.
    private static func row(_ text: String, _ values: [String]) -> String {
        var values = values
        if text.contains("NULLVEC"), !values.isEmpty { values[0] = "null" }
        if text.contains("SHORTVEC") { values.removeLast() }
        if text.contains("EMPTYVEC") { values = [] }
        if text.contains("INFVEC") { values = values.map { _ in "Infinity" } }
        if text.contains("HUGEVEC") { values = values.map { _ in "1e300" } }
        if text.contains("LARGEVEC") { values = values.map { _ in "1e30" } }
        if text.contains("TINYVEC") { values = values.map { _ in "1e-30" } }
        if text.contains("ZEROVEC") { values = values.map { _ in "0" } }
        return "[" + values.joined(separator: ",") + "]"
    }

    /// The old route: one text, a vector that is not normalised.
    func embeddings(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.EmbeddingRequest")
        guard try !body.model().isEmpty else { throw APIError(400, "model is required") }
        let prompt = try body.text("prompt") ?? ""
        let vectors = try await vectors(of: prompt.isEmpty ? [] : [prompt], body: body, isTruncating: true)
        let values = (vectors.values.first ?? []).map { goNumber(Double($0 * 4)) }
        try await exchange.send(fault: fault, #"{"embedding":[\#(values.joined(separator: ","))]}"#)
    }

    func texts(of body: RequestBody) throws(APIError) -> [String] {
        switch body.json["input"] {
        case nil, .null?: return []
        case .string(let text)?: return text.isEmpty ? [] : [text]
        case .array(let elements)?:
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { throw APIError(400, "invalid input type") }
            return texts
        default: throw APIError(400, "invalid input type")
        }
    }

    /// The vectors of texts. Without texts the model is only loaded.
    func vectors(of texts: [String], body: RequestBody, isTruncating: Bool) async throws -> Vectors {
        let model = try model(try body.model())
        let wanted = try body.object("options")?["num_ctx"]?.int
        let demand = Demand(model: model, contextLength: wanted, keepAlive: try body.keepAlive())
        let dimensions = try body.int("dimensions") ?? 0
        server.state.withLock { state in
            state.statistics.embedBatches.append(texts.count)
            if state.statistics.embedBatches.count > 1000 { state.statistics.embedBatches.removeFirst() }
        }
        return try await server.withModel(demand, for: exchange) { loadSeconds in
            let limit = min(wanted ?? .max, options.contextLength)
            let words = texts.map(SyntheticText.count)
            // The model rejects a text that contains "UNEMBEDDABLE", as a real one rejects a text beyond its context.
            let isRefused =
                texts.contains { $0.contains("UNEMBEDDABLE") } || (!isTruncating && words.contains { $0 > limit })
            if isRefused { throw APIError(400, "the input length exceeds the context length") }
            try await exchange.pause(options.latency + options.embedCost * Double(texts.count))
            let embedding = HashedEmbedding(dimensions: options.dimensions)
            let values = zip(texts, words).map { text, count in
                let kept = count > limit ? SyntheticText.prefix(of: text, words: limit) : text
                return HashedEmbedding.cut(embedding.vector(for: kept), to: dimensions)
            }
            let tokens = words.reduce(0) { $0 + min($1, limit) }
            return Vectors(values: values, tokens: tokens, loadSeconds: loadSeconds)
        }
    }
}

extension HashedEmbedding {
    /// The first components of a vector, scaled to unit length; the whole vector if it is not longer.
    static func cut(_ vector: [Float], to dimensions: Int) -> [Float] {
        guard dimensions > 0, dimensions < vector.count else { return vector }
        let part = vector.prefix(dimensions)
        let norm = part.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return part.map { $0 / max(norm, 1e-12) }
    }
}
