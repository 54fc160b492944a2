import Foundation
import NIOCore
import Transport

/// Plays the requests of a known app against a running gateway, usually without those that make a model work.
struct ClientCheck: Sendable {
    /// The largest answer that is read, in bytes.
    private static let maxReplyBytes = 16 << 20

    /// What a request came to.
    struct Step: Encodable, Sendable {
        let request: String
        /// Absent for a request that makes a model work, and without an answer.
        var status: UInt?
        /// The error of the gateway or of the connection.
        var error: String?
        /// Whether it was left out because it makes a model work.
        var isLeftOut = false

        var isGood: Bool { isLeftOut || status.map { (200..<300).contains($0) } ?? false }

        private enum CodingKeys: String, CodingKey {
            case request, status, error
            case isLeftOut = "left_out"
        }
    }

    let client: KnownClient
    let address: String
    /// The key that the app would send; nil for none.
    let key: String?

    /// Sends the requests one after the other, with the first model that the gateway lists.
    ///
    /// - Parameter isComplete: Whether to send those that make a model work, too.
    /// - Throws: ``UpstreamError`` for an address that cannot be used, `CancellationError`.
    func run(isComplete: Bool = false, _ show: (Step) -> Void) async throws -> [Step] {
        let transport = try UpstreamTransport(
            configuration: UpstreamConfiguration(baseURL: address, peer: "the gateway"))
        do {
            let steps = try await run(transport, isComplete, show)
            await transport.shutdown(within: .milliseconds(200))
            return steps
        } catch {
            await transport.shutdown(within: .milliseconds(200))
            throw error
        }
    }

    private func run(
        _ transport: UpstreamTransport, _ isComplete: Bool, _ show: (Step) -> Void
    ) async throws -> [Step] {
        let model = await firstModel(transport)
        var steps: [Step] = []
        for request in client.requests {
            try Task.checkCancellation()
            var step = Step(request: "\(request.method) \(request.path)")
            if request.isWork && !isComplete {
                step.isLeftOut = true
            } else {
                do {
                    let body = request.body?.replacing(KnownClient.Request.model, with: model ?? "llama3.2")
                    let (status, text) = try await send(transport, request.method, request.path, body)
                    step.status = status
                    if !step.isGood { step.error = Self.reason(text) }
                } catch let error as UpstreamError {
                    step.error = error.message
                }
            }
            show(step)
            steps.append(step)
        }
        return steps
    }

    private func firstModel(_ transport: UpstreamTransport) async -> String? {
        struct List: Decodable {
            struct Model: Decodable { var name: String }
            var models: [Model]
        }
        guard let (_, text) = try? await send(transport, "GET", "/api/tags", nil) else { return nil }
        return (try? JSONDecoder().decode(List.self, from: Data(text.utf8)))?.models.first?.name
    }

    private func send(
        _ transport: UpstreamTransport, _ method: String, _ path: String, _ body: String?
    ) async throws -> (status: UInt, text: String) {
        let handing = key.map { client.handing($0) }
        var headers = handing?.headers ?? []
        if body != nil { headers.append(("Content-Type", "application/json")) }
        if let origin = client.origin { headers.append(("Origin", origin)) }
        let response = try await transport.send(
            UpstreamRequest(
                method: method, path: (handing?.prefix ?? "") + path, headers: headers,
                body: body.map { ByteBuffer(string: $0) }))
        let reply = try await response.body.collect(upTo: Self.maxReplyBytes)
        return (UInt(response.status), String(buffer: reply))
    }

    /// The sentence of an error in any of the shapes of the gateway's routes.
    private static func reason(_ text: String) -> String {
        struct Plain: Decodable { var error: String }
        struct Nested: Decodable {
            struct Inner: Decodable { var message: String }
            var error: Inner
        }
        let (decoder, data) = (JSONDecoder(), Data(text.utf8))
        return (try? decoder.decode(Plain.self, from: data))?.error
            ?? (try? decoder.decode(Nested.self, from: data))?.error.message ?? "no reason given"
    }
}
