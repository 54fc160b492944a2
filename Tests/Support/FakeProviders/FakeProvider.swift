import FakeOllama
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A synthetic provider with OpenAI's and Anthropic's APIs, with generated text, faults that tests switch on, and
/// counters.
///
/// Listens on 127.0.0.1 only. `GET /_stats`, `GET /_last` and `POST /_faults` control it over HTTP. Faults are those of
/// the synthetic Ollama; lines are events here. It checks requests as the real services do: the key, ids and results of
/// calls, signatures of thinking.
package final class FakeProvider: Sendable {
    /// The behaviour of the server without faults.
    package struct Options: Sendable {
        /// 0 picks a free port.
        package var port = 0
        /// The only accepted key; nil accepts any request.
        package var key: String? = "sk-fake-0123456789abcdef"
        /// The models. One with "thinker" in its name thinks.
        package var models = ["small", "thinker"]
        /// The tokens of an answer.
        package var tokens = 12
        /// Seconds before each token.
        package var tokenPause = 0.0
        /// The form of `/rerank`.
        package var rerank = RerankStyle.usual
        /// The body of every answer to `/rerank`; nil for scores.
        package var rerankReply: String?

        /// The defaults.
        package init() {}
    }

    /// Counters of the server.
    package struct Statistics: Sendable, Codable {
        /// Requests by path.
        package var requests: [String: Int] = [:]
        /// Requests that are being answered.
        package var inFlight = 0
        /// Requests that were answered to the end.
        package var completed = 0
        /// Requests whose client left before the end.
        package var cancelled = 0
    }

    /// A request as received.
    package struct Request: Sendable, Codable {
        /// The path with its query.
        package var target: String
        /// The headers, names in lower case.
        package var headers: [String: String]
        package var body: String
    }

    struct State: Sendable {
        var statistics = Statistics()
        var faults: [(fault: Fault, left: Int)] = []
        var last: Request?
        var received: [Request] = []
        var channels: [ObjectIdentifier: any Channel] = [:]
    }
    let options: Options
    let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)

    private init(_ options: Options) { self.options = options }

    /// Starts a server on 127.0.0.1.
    package static func start(_ options: Options = Options()) async throws -> FakeProvider {
        let server = FakeProvider(options)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                server.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(server))
                }
            }
            .bind(host: "127.0.0.1", port: options.port).get()
        server.listener.withLock { $0 = listener }
        return server
    }

    /// Runs a closure with a server that is shut down afterwards.
    package static func withServer<Value>(
        _ options: Options = Options(), _ body: (FakeProvider) async throws -> Value
    ) async throws -> Value {
        let server = try await start(options)
        do {
            let value = try await body(server)
            await server.shutdown()
            return value
        } catch {
            await server.shutdown()
            throw error
        }
    }

    /// The base URL without a path, for example `http://127.0.0.1:40123`.
    package var baseURL: String { "http://127.0.0.1:\(listener.withLock { $0?.localAddress?.port } ?? 0)" }

    /// The current counters.
    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// The last request as received, control routes excluded.
    package var lastRequest: Request? { state.withLock { $0.last } }

    /// The first 1,000 requests as received, control routes excluded.
    package var received: [Request] { state.withLock { $0.received } }

    /// Replaces the faults; an empty list clears them.
    ///
    /// - Returns: Whether all of them are valid; if not, nothing changes.
    @discardableResult package func setFaults(_ texts: [String]) -> Bool {
        let faults = texts.compactMap(Fault.init)
        guard faults.count == texts.count else { return false }
        state.withLock { $0.faults = faults.map { ($0, $0.count ?? .max) } }
        return true
    }

    /// Stops listening and closes every connection.
    package func shutdown() async {
        try? await listener.withLock { $0 }?.close()
        for channel in state.withLock({ Array($0.channels.values) }) { try? await channel.close() }
    }

    private func add(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
    }

    /// The fault for a request, counted down.
    func takeFault(for path: String) -> Fault.Kind? {
        state.withLock { state in
            let place = state.faults.firstIndex { $0.left > 0 && ($0.fault.path ?? path) == path }
            guard let place else { return nil }
            state.faults[place].left -= 1
            return state.faults[place].fault.kind
        }
    }
}
