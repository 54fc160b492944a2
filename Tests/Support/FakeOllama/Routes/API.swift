import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Ollama's routes.
struct API {
    let exchange: Exchange

    var server: FakeOllama { exchange.server }
    var options: FakeOllama.Options { exchange.server.options }

    func answer(drip: Drip) async throws {
        if try await control() { return }
        let fault = server.takeFault(for: exchange.path)
        switch fault {
        case .drop: try await exchange.hangUp(reset: false)
        case .status(let status): throw APIError(status, "fault \(status)")
        case .busy(let status, let seconds):
            return try await exchange.send(
                status: status, headers: [("Retry-After", String(seconds))], #"{"error":"fault \(status)"}"#)
        case .stallFirst(let seconds): try await exchange.pause(seconds)
        case .drip(let bytes, let seconds): drip.rate = .init(bytes: max(1, bytes), seconds: seconds)
        case .echo: return try await exchange.send(exchange.request.json.encoded)
        default: break
        }
        guard try await admit() else { return }
        try await route(fault)
    }

    /// Ollama's own guards: rejects a host or an origin that is not local.
    private func admit() async throws -> Bool {
        guard options.guardsHost else { return true }
        if let origin = exchange.head.headers.first(name: "origin"), !Guards.allows(origin: origin) {
            try await exchange.send(status: 403, type: nil)
            return false
        }
        guard Guards.allows(host: exchange.head.headers.first(name: "host") ?? "") else {
            try await exchange.send(status: 403, type: nil)
            return false
        }
        if exchange.head.method == .OPTIONS {
            try await exchange.send(status: 204, type: nil)
            return false
        }
        return true
    }

    private func route(_ fault: Fault.Kind?) async throws {
        let path = exchange.path
        guard path != "/debug", !path.hasPrefix("/debug/") else {
            return try await exchange.send(type: "text/html; charset=utf-8", "<html><head><title>/debug/pprof/</title>")
        }
        guard let route = Route.all.first(where: { $0.matches(path) }) else {
            return try await exchange.send(status: 404, type: "text/plain", "404 page not found")
        }
        guard let handler = route.handlers[exchange.head.method.rawValue] else {
            return try await exchange.send(
                status: 405, type: "text/plain",
                headers: [("Allow", route.handlers.keys.sorted().joined(separator: ", "))], "405 method not allowed")
        }
        try await handler(self, fault)
    }

    /// Answers the routes that control the server.
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
        case (_, "/_echo"): try await exchange.send(exchange.request.json.encoded)
        case ("GET", "/_last"): try await exchange.send(server.lastRequest?.json.encoded ?? "null")
        default: return false
        }
        return true
    }

    // MARK: Models by name

    /// The model with a name, or the error that most routes answer with.
    func model(_ name: String) throws(APIError) -> Model {
        guard let model = server.catalogue[name] else { throw APIError(404, "model '\(name)' not found") }
        return model
    }
}

/// A path with its handlers by method.
struct Route: Sendable {
    typealias Handler = @Sendable (API, Fault.Kind?) async throws -> Void

    /// A `*` at the end matches one segment that is not empty.
    let path: String
    let handlers: [String: Handler]

    init(_ path: String, _ handlers: [String: Handler]) {
        self.path = path
        self.handlers = handlers
    }

    func matches(_ other: String) -> Bool {
        guard path.hasSuffix("*") else { return path == other }
        let prefix = path.dropLast()
        return other.hasPrefix(prefix) && other.count > prefix.count && !other.dropFirst(prefix.count).contains("/")
    }

    static let all: [Route] = [
        Route("/", ["GET": { try await $0.root($1) }, "HEAD": { try await $0.root($1) }]),
        Route("/api/version", ["GET": { try await $0.version($1) }, "HEAD": { try await $0.version($1) }]),
        Route("/api/tags", ["GET": { try await $0.tags($1) }, "HEAD": { try await $0.tags($1) }]),
        Route("/api/ps", ["GET": { try await $0.processes($1) }]),
        Route("/api/status", ["GET": { try await $0.status($1) }]),
        Route("/api/experimental/model-recommendations", ["GET": { try await $0.recommendations($1) }]),
        Route("/api/show", ["POST": { try await $0.show($1) }]),
        Route("/api/generate", ["POST": { try await $0.generate($1) }]),
        Route("/api/chat", ["POST": { try await $0.chat($1) }]),
        Route("/api/embed", ["POST": { try await $0.embed($1) }]),
        Route("/api/embeddings", ["POST": { try await $0.embeddings($1) }]),
        Route("/api/pull", ["POST": { try await $0.pull($1) }]),
        Route("/api/push", ["POST": { try await $0.push($1) }]),
        Route("/api/create", ["POST": { try await $0.create($1) }]),
        Route("/api/copy", ["POST": { try await $0.copy($1) }]),
        Route("/api/delete", ["DELETE": { try await $0.delete($1) }]),
        Route("/api/blobs/*", ["POST": { try await $0.createBlob($1) }, "HEAD": { try await $0.headBlob($1) }]),
        Route("/v1/chat/completions", ["POST": { try await $0.chatCompletions($1) }]),
        Route("/v1/completions", ["POST": { try await $0.completions($1) }]),
        Route("/v1/embeddings", ["POST": { try await $0.openAIEmbeddings($1) }]),
        Route("/v1/responses", ["POST": { try await $0.responses($1) }]),
        Route("/v1/messages", ["POST": { try await $0.messages($1) }]),
        Route("/v1/models", ["GET": { try await $0.openAIModels($1) }]),
        Route("/v1/models/*", ["GET": { try await $0.openAIModel($1) }]),
    ]
}

/// The hosts and origins that an Ollama on loopback accepts.
enum Guards {
    static func allows(host: String) -> Bool {
        var name = host.lowercased()[...]
        if name.hasPrefix("[") {
            name = name.dropFirst().prefix { $0 != "]" }
        } else if let colon = name.lastIndex(of: ":") {
            name = name[..<colon]
        }
        if name.isEmpty || name == "localhost" || name == "::1" || name == "0.0.0.0" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        if numbers.count == 4, let first = numbers[0], let second = numbers[1], numbers[2] != nil, numbers[3] != nil {
            return first == 127 || first == 10 || (first == 192 && second == 168) || (first == 172 && second >> 4 == 1)
        }
        return [".localhost", ".local", ".internal"].contains { name.hasSuffix($0) }
    }

    static func allows(origin: String) -> Bool {
        let parts = origin.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = String(parts[0])
        if ["app", "file", "tauri", "vscode-webview", "vscode-file"].contains(scheme) { return true }
        guard parts.count == 2, ["http", "https"].contains(scheme), parts[1].hasPrefix("//") else { return false }
        let name = parts[1].dropFirst(2).prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "0.0.0.0"].contains(String(name))
    }
}
