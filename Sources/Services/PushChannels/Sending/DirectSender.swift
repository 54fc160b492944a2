import NIOCore
import Push
import Synchronization
import Transport

/// Sends requests to servers whose addresses came from clients: HTTP/1.1, without redirects, each within a limit of time.
///
/// Requests to the public Internet are checked at the connection itself: the address that libcurl connects to must be
/// public, whatever the name resolved to before. Only a target that an operator allowed by its name skips the check.
final class DirectSender: Sendable {
    /// The most requests at once.
    static let requests = 64
    /// How long a server may take to answer.
    static let timeout = Duration.seconds(10)
    /// How long a request may take in all.
    static let limit = Duration.seconds(20)

    private let peer: String
    private let authorities: String?
    private let state = Mutex(State())

    private struct State {
        /// By whether only public addresses are connected to.
        var transports: [Bool: UpstreamTransport] = [:]
        var isShutDown = false
    }

    init(peer: String, authorities: String?) {
        self.peer = peer
        self.authorities = authorities
    }

    /// Sends a request.
    ///
    /// - Parameter isPublic: Whether the address must be public.
    func post(
        _ body: [UInt8], _ headers: [PushHeader], to url: PushURL, isPublic: Bool, method: String = "POST"
    ) async -> Result<PushExchange, UpstreamError> {
        let transport: UpstreamTransport
        do throws(UpstreamError) {
            transport = try self.transport(isPublic: isPublic)
        } catch {
            return .failure(error)
        }
        var request = UpstreamRequest(
            method: method, path: Self.path(of: url),
            headers: headers.map { ($0.name, $0.value) } + [("user-agent", "selene-gateway")],
            body: method == "GET" || method == "HEAD" ? nil : ByteBuffer(bytes: body))
        request.isForwarded = true
        request.origin = url.origin
        return await PushExchange.bounded(request, over: transport, within: Self.limit)
    }

    func shutdown(within timeout: Duration) async {
        let transports = state.withLock { state in
            state.isShutDown = true
            defer { state.transports = [:] }
            return Array(state.transports.values)
        }
        for transport in transports { await transport.shutdown(within: timeout) }
    }

    /// The path and query, beginning with a slash.
    static func path(of url: PushURL) -> String {
        let rest = url.description.dropFirst(url.origin.count)
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    private func transport(isPublic: Bool) throws(UpstreamError) -> UpstreamTransport {
        let result: Result<UpstreamTransport, UpstreamError> = state.withLock { state in
            guard !state.isShutDown else {
                return .failure(UpstreamError(.shuttingDown, "the gateway is shutting down"))
            }
            if let transport = state.transports[isPublic] { return .success(transport) }
            // Every request has an origin of its own.
            var configuration = UpstreamConfiguration(baseURL: "https://push.invalid", peer: peer)
            configuration.connectsToPublicAddressesOnly = isPublic
            configuration.firstByteTimeout = Self.timeout
            configuration.idleTimeout = Self.timeout
            configuration.maxTransfers = Self.requests
            configuration.maxIdleConnections = Self.requests / 4
            configuration.highWatermark = 4 * PushLimits.answer
            configuration.authorities = authorities
            do throws(UpstreamError) {
                let transport = try UpstreamTransport(configuration: configuration)
                state.transports[isPublic] = transport
                return .success(transport)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
