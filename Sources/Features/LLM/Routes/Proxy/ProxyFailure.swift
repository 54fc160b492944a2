import HTTPTypes
import NIOCore
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the gateway's own failures look on proxied routes: as Ollama's clients, or OpenAI's under `/v1`, expect them.
///
/// Ollama's own errors never come here; they pass as they are.
struct ProxyFailure {
    let path: String

    private var isOpenAI: Bool { path.hasPrefix("/v1/") }
    private var isAnthropic: Bool { path.hasPrefix("/v1/messages") }

    /// The JSON body of an error.
    func body(_ error: GatewayError) -> ByteBuffer {
        let data =
            isOpenAI
            ? try? JSONReply.data(OpenAIError(error, type: isAnthropic ? "error" : nil))
            : try? JSONReply.data(error.body)
        return data.map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
    }

    /// What ends a stream that failed, after bytes that end with `ending`; nil when the framing has no way to say it.
    func ending(_ error: GatewayError, in framing: ProxyFraming, afterLine isWhole: Bool) -> ByteBuffer? {
        var end = ByteBuffer()
        var json = body(error)
        switch framing {
        case .bytes: return nil
        case .ndjson:
            if !isWhole { end.writeStaticString("\n") }
            end.writeBuffer(&json)
            end.writeStaticString("\n")
        case .serverSentEvents:
            // The event that was cut ends here; an empty line more does no harm.
            end.writeStaticString(isWhole ? "\n" : "\n\n")
            if isAnthropic { end.writeStaticString("event: error\n") }
            end.writeStaticString("data: ")
            end.writeBuffer(&json)
            end.writeStaticString("\n\n")
        }
        return end
    }
}

/// How a response is cut into pieces that must stay whole.
enum ProxyFraming: Sendable {
    /// As the bytes come.
    case bytes
    /// Whole lines of JSON.
    case ndjson
    /// Whole lines of events.
    case serverSentEvents

    /// The framing of a content type.
    init(contentType: String?) {
        let essence = contentType.map { $0.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") } }
        switch essence.map({ String(Substring($0)).lowercased() }) {
        case "application/x-ndjson": self = .ndjson
        case "text/event-stream": self = .serverSentEvents
        default: self = .bytes
        }
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
