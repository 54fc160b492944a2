import GatewayAPI
import Transport

/// Embeds texts over an OpenAI-compatible `/embeddings`.
enum OpenAIEmbeddings {
    /// The maximum bytes of an answer with vectors.
    private static let limit = 128 << 20

    /// Embeds texts in one call, in their order.
    ///
    /// - Parameter dimensions: The length of the vectors; nil for the model's own.
    /// - Throws: ``UpstreamError``; ``UpstreamError/Code/invalidResponse`` when the vectors do not fit the texts.
    static func embed(
        _ client: RemoteClient, model: String, inputs: [String], dimensions: Int?
    ) async throws(UpstreamError) -> Embeddings {
        try client.checkCloud(model)
        var members: [(name: String, value: JSONValue)] = [
            ("model", .string(model)), ("input", .array(inputs.map(JSONValue.string))),
            ("encoding_format", .string("float")),
        ]
        if let dimensions { members.append(("dimensions", .integer(Int64(dimensions)))) }
        let answer = try await client.value(
            of: .post("/embeddings", members), upTo: limit, values: 1 << 24)
        var rows = [[Float]?](repeating: nil, count: inputs.count)
        for (place, element) in (answer["data"]?.elements ?? []).enumerated() {
            let index = element["index"]?.count ?? place
            let values = element["embedding"]?.elements ?? []
            let row = values.compactMap(\.float)
            guard rows.indices.contains(index), rows[index] == nil, !row.isEmpty, row.count == values.count else {
                throw misfit(client, inputs)
            }
            rows[index] = row
        }
        let whole = rows.compactMap { $0 }
        let length = whole.first?.count ?? 0
        guard whole.count == inputs.count, whole.allSatisfy({ $0.count == length }) else {
            throw misfit(client, inputs)
        }
        return Embeddings(
            model: answer["model"]?.text ?? model, dimensions: length, count: whole.count,
            values: Array(whole.joined()), promptTokens: answer["usage"]?["prompt_tokens"]?.count ?? 0)
    }

    private static func misfit(_ client: RemoteClient, _ inputs: [String]) -> UpstreamError {
        UpstreamError(
            .invalidResponse,
            "provider \"\(client.configuration.name)\" sent vectors that do not fit the \(inputs.count) texts")
    }
}

extension JSONValue {
    /// The value of a number that a `Float` can hold; nil for any other value.
    fileprivate var float: Float? {
        switch self {
        case .integer(let number): Float(number)
        case .number(let number): Float(number).isFinite ? Float(number) : nil
        default: nil
        }
    }
}
