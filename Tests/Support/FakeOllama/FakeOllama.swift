import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A synthetic Ollama: its API with generated text and hashed vectors, with faults that tests switch on, and with
/// counters.
///
/// Listens on 127.0.0.1 only. `GET /_stats`, `POST /_reset` and `GET|POST /_faults` control it over HTTP. `GET /_last`
/// returns the last request as received, `/_echo` the request itself.
package final class FakeOllama: Sendable {
    /// The port that it listens on.
    package let port: Int
    let options: Options

    struct State: Sendable {
        var statistics = Statistics()
        var faults: [(fault: Fault, left: Int)] = []
        var catalogue: Catalogue
        var scheduler = Scheduler()
        var blobs: Set<String> = []
        var lastRequest: Request?
        /// The last requests, oldest first.
        var received: [Request] = []
    }
    let state: Mutex<State>
    private let listener: any Channel
    private let children: Children

    /// The open connections, so that a shutdown can close them.
    final class Children: Sendable {
        private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        func add(_ channel: any Channel) {
            channels.withLock { $0[ObjectIdentifier(channel)] = channel }
            channel.closeFuture.whenComplete { [weak self] _ in
                self?.channels.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }

        var all: [any Channel] { channels.withLock { Array($0.values) } }
    }

    private init(port: Int, options: Options, listener: any Channel, children: Children, router: Router) {
        self.port = port
        self.options = options
        self.listener = listener
        self.children = children
        state = Mutex(State(catalogue: Catalogue(options)))
        router.server.withLock { $0 = self }
    }

    /// Gives connections the server, which is created after them.
    final class Router: Sendable {
        let server = Mutex<FakeOllama?>(nil)
    }

    /// Starts a server on 127.0.0.1.
    package static func start(_ options: Options = Options()) async throws -> FakeOllama {
        let children = Children()
        let router = Router()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                children.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let drip = Drip()
                    try channel.pipeline.syncOperations.addHandler(DripHandler(drip: drip))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(router: router, drip: drip))
                }
            }
            .bind(host: "127.0.0.1", port: options.port).get()
        let port = listener.localAddress?.port ?? 0
        return FakeOllama(port: port, options: options, listener: listener, children: children, router: router)
    }

    /// Runs a closure with a server that is shut down afterwards.
    package static func withServer<Value>(
        _ options: Options = Options(), _ body: (FakeOllama) async throws -> Value
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

    /// The base URL, for example `http://127.0.0.1:40123`.
    package var baseURL: String { "http://127.0.0.1:\(port)" }

    /// The current counters.
    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// The last request as received, control routes excluded.
    package var lastRequest: Request? { state.withLock { $0.lastRequest } }

    /// The last 512 requests as received, oldest first, control routes excluded.
    package var received: [Request] { state.withLock { $0.received } }

    /// The models in memory, by name with tag.
    package var loadedModels: [String] { loaded().map(\.runner.model.name).sorted() }

    /// The models of the server.
    var catalogue: Catalogue { state.withLock { $0.catalogue } }

    /// Sets the counters to zero.
    package func reset() {
        state.withLock { state in
            let before = state.statistics
            state.statistics = Statistics()
            state.statistics.inFlight = before.inFlight
            state.statistics.maxInFlight = before.inFlight
            state.statistics.running = before.running
            state.statistics.maxRunning = before.running
            state.statistics.queued = before.queued
            state.statistics.loading = before.loading
        }
    }

    /// Replaces the faults; an empty list clears them.
    ///
    /// - Returns: Whether all of them are valid; if not, nothing changes.
    @discardableResult package func setFaults(_ texts: [String]) -> Bool {
        let faults = texts.compactMap(Fault.init)
        guard faults.count == texts.count else { return false }
        state.withLock { $0.faults = faults.map { ($0, $0.count ?? .max) } }
        return true
    }

    /// Waits until the counters satisfy a condition.
    ///
    /// - Returns: Whether they did in time.
    package func waitUntil(
        within timeout: Duration = .seconds(10), _ condition: @Sendable (Statistics) -> Bool
    ) async -> Bool {
        let deadline = ContinuousClock.now + timeout
        while !condition(statistics) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    /// Stops listening and closes every connection.
    package func shutdown() async {
        try? await listener.close()
        for channel in children.all { try? await channel.close() }
    }

    /// The fault for a request, counted down.
    func takeFault(for path: String) -> Fault.Kind? {
        state.withLock { state in
            guard
                let index = state.faults.firstIndex(where: {
                    $0.left > 0 && ($0.fault.path == nil || $0.fault.path == path)
                })
            else { return nil }
            state.faults[index].left -= 1
            return state.faults[index].fault.kind
        }
    }
}
