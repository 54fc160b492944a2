import Foundation
import GatewayAPI
import Inference
import NIOCore
import Transport

/// A client of the gateway's HTTP routes, over the libcurl transport that the gateway uses for Ollama.
struct DemoClient: Sendable {
    let port: Int
    private let transport: UpstreamTransport

    init(port: Int) throws {
        self.port = port
        transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: "127.0.0.1:\(port)"))
    }

    func close() async { await transport.shutdown(within: .zero) }

    func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse {
        let response = try await post("/api/notes/retrieve", request)
        let body = try await response.body.collect(upTo: 16 << 20)
        return try JSONDecoder().decode(RetrieveResponse.self, from: Data(body.readableBytesView))
    }

    /// Streams an answer and calls `piece` with each part of it.
    func generate(_ prompt: String, _ piece: (String) -> Void) async throws {
        struct Line: Decodable {
            var response: String?
            var error: String?
        }
        let response = try await post("/api/llm/generate", GenerateRequest(prompt: prompt, stream: true))
        for try await lines in NDJSONLines(response.body) {
            for bytes in lines.readableBytesView.split(separator: UInt8(ascii: "\n")) {
                let line = try JSONDecoder().decode(Line.self, from: Data(bytes))
                if let error = line.error { throw UpstreamError(.failed, error) }
                piece(line.response ?? "")
            }
        }
    }

    private func post(_ path: String, _ body: some Encodable) async throws -> UpstreamResponse {
        let data = try JSONEncoder().encode(body)
        let response = try await transport.send(
            UpstreamRequest(
                method: "POST", path: path, headers: [("Content-Type", "application/json")],
                body: ByteBuffer(bytes: data)))
        guard response.status == 200 else {
            let text = try await response.body.collect(upTo: 1 << 20)
            throw UpstreamError(.failed, "the gateway answered \(response.status): \(String(buffer: text))")
        }
        return response
    }
}
