import HTTPTypes
package import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shapes the gateway's own errors as the clients of a model API expect: Ollama's form, or OpenAI's under `/v1`.
///
/// Ollama's own errors are forwarded unchanged.
package struct ErrorBody: Sendable {
    private let isOpenAI: Bool
    /// Whether the clients use Anthropic's API, whose events have names.
    package let isAnthropic: Bool

    package init(path: String) {
        isOpenAI = path.hasPrefix("/v1/")
        isAnthropic = path.hasPrefix("/v1/messages")
    }

    /// The JSON of an error; empty when encoding fails.
    package func json(_ error: GatewayError) -> ByteBuffer {
        let data =
            isOpenAI
            ? try? JSONReply.data(OpenAIError(error, type: isAnthropic ? "error" : nil))
            : try? JSONReply.data(error.body)
        return data.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
    }
}

/// OpenAI's error body, with the outer `type` of Anthropic's if the route is Anthropic's.
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
