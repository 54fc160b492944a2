import GatewayAPI
import Hummingbird
import Inference
import Server

/// `POST /v1/messages/count_tokens`: estimates the prompt's tokens of a request to `/v1/messages`.
///
/// Clients of Anthropic's API ask before each turn whether the conversation still fits. No server of Ollama's API counts
/// without computing, so this is an estimate from the length of the texts.
struct CountTokensRoute: Sendable {
    /// What Anthropic's documents give for an image of usual size.
    private static let tokensOfImage = 1600
    /// The frame of a message: its role, and what a template puts around it.
    private static let tokensOfMessage = 4

    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(
            Body.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        guard !body.model.isEmpty else { throw GatewayError.field("model", "must not be empty") }
        try context.requireModel(body.model)
        var tokens = body.messages.count * Self.tokensOfMessage
        var textBytes = 0
        for part in [body.system, .array(body.messages), body.tools] {
            if let part { Self.add(part, &textBytes, &tokens) }
        }
        let sum = tokens + AnswerTokens.estimate(bytes: textBytes)
        return JSONReply.response(Reply(inputTokens: sum))
    }

    /// Adds the bytes of all texts within a value, and the tokens of its images.
    private static func add(_ value: JSONValue, _ bytes: inout Int, _ tokens: inout Int) {
        switch value {
        case .string(let text): bytes += text.utf8.count
        case .array(let elements): for element in elements { add(element, &bytes, &tokens) }
        case .object(let members):
            if members["type"] == .string("image") {
                tokens += tokensOfImage
                return
            }
            for (name, member) in members where name != "type" && name != "cache_control" {
                // Names of a schema's fields are part of the prompt.
                bytes += name.utf8.count
                add(member, &bytes, &tokens)
            }
        case .integer, .number, .bool, .null: bytes += 4
        }
    }

    private struct Body: Decodable {
        var model: String
        var messages: [JSONValue]
        var system: JSONValue?
        var tools: JSONValue?
    }

    private struct Reply: Encodable {
        var inputTokens: Int

        enum CodingKeys: String, CodingKey { case inputTokens = "input_tokens" }
    }
}
