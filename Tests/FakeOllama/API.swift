import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Ollama's routes.
struct API {
    let exchange: Exchange

    private var server: FakeOllama { exchange.server }
    private var options: FakeOllama.Options { exchange.server.options }

    func answer() async throws {
        if try await control() { return }
        let fault = server.takeFault(for: exchange.path)
        switch fault {
        case .drop: try await exchange.hangUp(reset: false)
        case .status(let status):
            return try await exchange.send(status: status, #"{"error":"fault \#(status)"}"#)
        case .stallFirst(let seconds): try await exchange.pause(seconds)
        default: break
        }
        switch (exchange.head.method.rawValue, exchange.path) {
        case ("GET", "/"), ("HEAD", "/"):
            try await exchange.send(type: "text/plain; charset=utf-8", "Ollama is running")
        case ("GET", "/api/version"), ("HEAD", "/api/version"): try await exchange.send(#"{"version":"0.33.0"}"#)
        case ("GET", "/api/tags"), ("HEAD", "/api/tags"), ("GET", "/api/ps"):
            try await exchange.send(#"{"models":[\#(models.map(describe).joined(separator: ","))]}"#)
        case ("POST", "/api/show"): try await show()
        case ("POST", "/api/generate"): try await Generation(exchange: exchange, fault: fault, isChat: false).run()
        case ("POST", "/api/chat"): try await Generation(exchange: exchange, fault: fault, isChat: true).run()
        case ("POST", "/api/embed"): try await embed()
        default: try await exchange.send(status: 404, type: "text/plain; charset=utf-8", "404 page not found")
        }
    }

    private var models: [String] { options.generateModels + options.embedModels }

    private func describe(_ name: String) -> String {
        #"{"name":\#(quoted(name)),"model":\#(quoted(name)),"modified_at":"2026-01-01T00:00:00Z","size":1000000,"#
            + #""digest":\#(quoted(options.digest)),"details":{"format":"gguf","family":"fake","#
            + #""parameter_size":"1B","quantization_level":"Q4_K_M"}}"#
    }

    private func show() async throws {
        struct Body: Decodable {
            var model: String?
            var name: String?
        }
        let body = try? JSONDecoder().decode(Body.self, from: exchange.body)
        let name = body?.model ?? body?.name ?? ""
        guard isKnown(name) else { return try await notFound(name) }
        let capability = options.embedModels.contains(full(name)) ? "embedding" : "completion"
        try await exchange.send(
            #"{"details":{"family":"fake"},"model_info":{},"capabilities":["\#(capability)"]}"#)
    }

    private func embed() async throws {
        struct Body: Decodable {
            enum Input: Decodable {
                case one(String), many([String])

                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let text = try? container.decode(String.self) {
                        self = .one(text)
                    } else {
                        self = .many(try container.decode([String].self))
                    }
                }
            }
            var model: String
            var input: Input
            var dimensions: Int?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: exchange.body) else {
            return try await exchange.send(status: 400, #"{"error":"invalid request"}"#)
        }
        guard isKnown(body.model) else { return try await notFound(body.model) }
        let texts: [String] =
            switch body.input {
            case .one(let text): [text]
            case .many(let texts): texts
            }
        server.state.withLock { state in
            state.statistics.embedBatches.append(texts.count)
            if state.statistics.embedBatches.count > 1000 { state.statistics.embedBatches.removeFirst() }
        }
        // A text that says so is one that the model refuses, as a real one refuses a text beyond its context.
        if texts.contains(where: { $0.contains("UNEMBEDDABLE") }) {
            return try await exchange.send(status: 400, #"{"error":"the input length exceeds the context length"}"#)
        }
        try await exchange.pause(options.latency + options.embedCost * Double(texts.count))
        let embedding = HashedEmbedding(dimensions: body.dimensions ?? options.dimensions)
        let vectors = texts.map { text in
            "[" + embedding.vector(for: text).map(\.description).joined(separator: ",") + "]"
        }
        let words = texts.reduce(0) { $0 + $1.split(separator: " ").count }
        try await exchange.send(
            #"{"model":\#(quoted(body.model)),"embeddings":[\#(vectors.joined(separator: ","))],"#
                + #""total_duration":1000000,"load_duration":1000,"prompt_eval_count":\#(words)}"#)
    }

    func isKnown(_ name: String) -> Bool { models.contains(full(name)) }

    func notFound(_ name: String) async throws {
        try await exchange.send(status: 404, #"{"error":\#(quoted("model '\(name)' not found"))}"#)
    }

    private func full(_ name: String) -> String { name.contains(":") ? name : name + ":latest" }

    /// The routes that control the server.
    private func control() async throws -> Bool {
        switch (exchange.head.method.rawValue, exchange.path) {
        case ("GET", "/_stats"):
            let data = try JSONEncoder().encode(server.statistics)
            try await exchange.send(String(decoding: data, as: UTF8.self))
        case ("POST", "/_reset"):
            server.reset()
            try await exchange.send("{}")
        case ("GET", "/_faults"):
            let count = server.state.withLock { $0.faults.count }
            try await exchange.send(#"{"faults":\#(count)}"#)
        case ("POST", "/_faults"):
            let texts = try? JSONDecoder().decode([String].self, from: exchange.body)
            let isSet = texts.map { server.setFaults($0) } ?? false
            try await exchange.send(status: isSet ? 200 : 400, isSet ? "{}" : #"{"error":"not a list of faults"}"#)
        default: return false
        }
        return true
    }
}

/// A JSON string literal.
func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
}
