import FakeOllama
import Foundation
import NIOHTTP1

/// The routes of both APIs.
struct Service {
    let exchange: Exchange

    var server: FakeProvider { exchange.server }
    var options: FakeProvider.Options { exchange.server.options }

    /// Whether a request is for Anthropic's API.
    private var isAnthropic: Bool {
        exchange.path == "/v1/messages" || exchange.head.headers.contains(name: "anthropic-version")
    }

    func answer() async throws {
        if try await control() { return }
        let fault = server.takeFault(for: exchange.path)
        do {
            switch fault {
            case .drop: try await exchange.hangUp()
            case .stallFirst(let seconds): try await exchange.pause(seconds)
            case .status(let status): throw failure(status)
            case .busy(let status, let seconds): throw failure(status, [("retry-after", "\(seconds)")])
            default: break
            }
            try await route(fault)
        } catch let error as ProviderError {
            let body = isAnthropic ? Anthropic.error(error) : OpenAI.error(error)
            try await exchange.send(status: error.status, headers: error.headers, body.encoded)
        }
    }

    private func failure(_ status: Int, _ headers: [(String, String)] = []) -> ProviderError {
        let types = [401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"]
        return ProviderError(
            status, types[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), "fault \(status)",
            headers: headers)
    }

    private func route(_ fault: Fault.Kind?) async throws {
        try checkKey()
        switch (exchange.head.method.rawValue, exchange.path) {
        case ("POST", "/v1/chat/completions"): try await chatCompletions(try body(), fault)
        case ("POST", "/v1/embeddings"): try await embeddings(try body())
        case ("POST", "/v1/rerank"), ("POST", "/rerank"): try await rerank(try body(), fault)
        case ("POST", "/v1/audio/transcriptions"): try await transcribe()
        case ("POST", "/v1/audio/speech"): try await speak(try body())
        case ("POST", "/v1/messages"): try await messages(try body(), fault)
        case ("GET", "/v1/models"): try await exchange.send((isAnthropic ? anthropicModels : openAIModels).encoded)
        case ("GET", let path) where path.hasPrefix("/v1/models/") && isAnthropic:
            let name = String(path.dropFirst("/v1/models/".count)).removingPercentEncoding ?? ""
            try require(model: name)
            try await exchange.send(anthropicModel(name).encoded)
        default: throw ProviderError(404, "not_found_error", "unknown route")
        }
    }

    private func checkKey() throws {
        guard let key = options.key else { return }
        let headers = exchange.head.headers
        let bearer = headers.first(name: "authorization").map { String($0.dropFirst("Bearer ".count)) }
        // Anthropic documents x-api-key; its own client sends the key as a bearer.
        let given = isAnthropic ? headers.first(name: "x-api-key") ?? bearer : bearer
        // The key is repeated, as some servers do, so that tests see whether it gets into an error.
        guard given == key else {
            throw ProviderError(401, "authentication_error", "Incorrect API key provided: \(given ?? "")")
        }
    }

    private func body() throws -> JSON {
        do {
            return try JSONParser.parse(exchange.body.utf8)
        } catch {
            throw ProviderError(400, "invalid_request_error", "the body is not JSON")
        }
    }

    /// Refuses a model that the server does not have. "echo" is refused with the key in the message.
    func require(model name: String?) throws {
        guard let name, options.models.contains(name) else {
            let more = name == "echo" ? " for \(options.key ?? "")" : ""
            throw ProviderError(404, "not_found_error", "The model `\(name ?? "")` does not exist\(more)")
        }
    }

    private func control() async throws -> Bool {
        switch (exchange.head.method.rawValue, exchange.path) {
        case ("GET", "/_stats"):
            try await exchange.send(String(decoding: try JSONEncoder().encode(server.statistics), as: UTF8.self))
        case ("GET", "/_last"):
            try await exchange.send(String(decoding: try JSONEncoder().encode(server.lastRequest), as: UTF8.self))
        case ("POST", "/_faults"):
            let texts = try? JSONDecoder().decode([String].self, from: Data(exchange.body.utf8))
            let isSet = texts.map { server.setFaults($0) } ?? false
            try await exchange.send(status: isSet ? 200 : 400, "{}")
        default: return false
        }
        return true
    }
}
