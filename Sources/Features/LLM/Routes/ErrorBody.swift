import HTTPTypes
import NIOCore
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the gateway's own failures look on a route: as Ollama's clients, or OpenAI's under `/v1`, expect them.
///
/// Ollama's own errors never come here; they pass as they are.
struct ErrorBody {
    private let isOpenAI: Bool
    /// Whether the clients are Anthropic's, whose events have names.
    let isAnthropic: Bool

    /// The errors of a route.
    init(path: String) {
        isOpenAI = path.hasPrefix("/v1/")
        isAnthropic = path.hasPrefix("/v1/messages")
    }

    /// The JSON of an error; empty when it cannot be written.
    func json(_ error: GatewayError) -> ByteBuffer {
        let data =
            isOpenAI
            ? try? JSONReply.data(OpenAIError(error, type: isAnthropic ? "error" : nil))
            : try? JSONReply.data(error.body)
        return data.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
    }
}

/// OpenAI's error body, with the outer `type` of Anthropic's where it is asked for.
private struct OpenAIError: Encodable {
    struct Inner: Encodable {
        var message: String
        var type: String
        var code: String

        enum Key: String, CodingKey { case message, type, param, code }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(message, forKey: .message)
            try container.encode(type, forKey: .type)
            try container.encodeNil(forKey: .param)
            try container.encode(code, forKey: .code)
        }
    }
    var type: String?
    var error: Inner

    init(_ error: GatewayError, type: String?) {
        let kind =
            switch error.status.code {
            case 401: "authentication_error"
            case 403: "permission_error"
            case 404: "not_found_error"
            case 429: "rate_limit_error"
            case 400..<500: "invalid_request_error"
            default: "api_error"
            }
        self.type = type
        self.error = Inner(message: error.message, type: kind, code: error.code.rawValue)
    }
}
