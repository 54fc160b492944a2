import Access
import GatewayAPI
import Hummingbird
import Inference
import NIOCore
import Server

/// `POST /api/llm/embed`: embeds one text or several, with the model's prefix for queries or documents.
struct EmbedRoute: Sendable {
    /// The maximum number of texts in one request.
    static let maxTexts = 4096

    let lane: EmbeddingLane
    let observer: RequestObserver
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let embed = try await JSONRequest.decode(
            EmbedRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        let texts = try Self.texts(of: embed)
        let model = embed.model ?? observer.settings.current.embedModel
        guard !model.isEmpty else { throw GatewayError.field("model", "must not be empty") }
        try context.requireModel(model)
        guard !texts.isEmpty else {
            return JSONReply.response(EmbedResponse(embeddings: [], model: model, dimensions: 0))
        }
        context.trace.use(model: model)
        context.trace.enter(.waiting)
        observer.logPrompt(
            texts.joined(separator: "\n"), route: "/api/llm/embed", logger: context.logger)
        let began = ContinuousClock.now
        let inputs = Self.prepare(texts, for: embed.kind, model: model)
        let caller = context.identity.caller(Self.priority(of: embed))
        let cost = EmbeddingCost()
        // Also charges for a request that the client abandoned or that one bad text failed.
        defer { context.recordTokens(prompt: cost.tokens, completion: 0) }
        let embeddings = try await context.client.whilePresent { [lane] in
            try await lane.embed(inputs, with: EmbeddingModel(name: model), as: caller, cost: cost)
                .embeddings(model: model)
        }
        context.trace.stage("embed", ContinuousClock.now - began)
        return JSONReply.response(json: try Self.json(embeddings, isList: embed.texts != nil, model: model))
    }

    private static func texts(of request: EmbedRequest) throws -> [String] {
        switch (request.text, request.texts) {
        case (.some, .some): throw GatewayError.field("texts", "give either \"text\" or \"texts\", not both")
        case (nil, nil): throw GatewayError.field("text", "is required (or \"texts\")")
        case (.some(let text), nil):
            guard !text.isEmpty else { throw GatewayError.field("text", "must not be empty") }
            return [text]
        case (nil, .some(let texts)):
            guard texts.count <= maxTexts else {
                throw GatewayError.field("texts", "has \(texts.count) texts; \(maxTexts) are the limit")
            }
            if let index = texts.firstIndex(of: "") {
                throw GatewayError.field("texts[\(index)]", "must not be empty")
            }
            return texts
        }
    }

    /// Documents wait behind queries. Without a kind, lists wait behind single texts.
    private static func priority(of request: EmbedRequest) -> AdmissionPriority {
        switch request.kind {
        case .query: .interactive
        case .document: .batch
        case nil: request.texts == nil ? .interactive : .batch
        }
    }

    private static func prepare(_ texts: [String], for kind: EmbedRequest.Kind?, model: String) -> [String] {
        guard let kind else { return texts }
        let profile = ModelProfile(model: model)
        return texts.map { profile.prepared($0, kind: kind == .query ? .query : .document) }
    }

    /// Writes the reply by hand. Most of the reply is floats, and an encoder that boxes each float is many times
    /// slower.
    static func json(_ embeddings: Embeddings, isList: Bool, model: String) throws -> ByteBuffer {
        var json = ByteBuffer()
        json.reserveCapacity(embeddings.values.count * 13 + 128)
        json.writeStaticString("{\"dimensions\":")
        json.writeString(String(embeddings.dimensions))
        json.writeString(isList ? ",\"embeddings\":[" : ",\"embedding\":")
        for row in 0..<embeddings.count {
            if row > 0 { json.writeInteger(UInt8(ascii: ",")) }
            json.writeInteger(UInt8(ascii: "["))
            let start = row * embeddings.dimensions
            for column in start..<start + embeddings.dimensions {
                if column > start { json.writeInteger(UInt8(ascii: ",")) }
                // Swift prints the shortest text that reads back as the same float.
                json.writeString(embeddings.values[column].description)
            }
            json.writeInteger(UInt8(ascii: "]"))
        }
        json.writeString(isList ? "],\"model\":" : ",\"model\":")
        json.writeBytes(try JSONReply.data(model))
        json.writeInteger(UInt8(ascii: "}"))
        return json
    }
}
