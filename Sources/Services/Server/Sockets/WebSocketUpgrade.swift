package import Access
import Cryptography
package import HTTPTypes
package import NIOCore
package import NIOHTTPTypes
import NIOWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A path whose requests become WebSockets (RFC 6455).
package struct WebSocketRoute: Sendable {
    /// Talks with a client; the connection closes when it returns.
    package let serve: @Sendable (WebSocketConnection, WebSocketRequest) async -> Void
    private let words: [Substring]

    /// Creates a route.
    ///
    /// - Parameter path: A path; a word that begins with `:`, at most one, stands for any word.
    package init(_ path: String, serve: @escaping @Sendable (WebSocketConnection, WebSocketRequest) async -> Void) {
        words = path.split(separator: "/", omittingEmptySubsequences: false)
        self.serve = serve
    }

    /// Whether a path is the route's, and the word that the path has in place of `:…`, with its percent escapes.
    func match(_ path: Substring) -> (isMatch: Bool, parameter: String?) {
        let given = path.split(separator: "/", maxSplits: words.count, omittingEmptySubsequences: false)
        guard given.count == words.count else { return (false, nil) }
        var parameter: String?
        for (word, text) in zip(words, given) {
            if word.first == ":", !text.isEmpty {
                parameter = String(text)
            } else if word != text {
                return (false, nil)
            }
        }
        return (true, parameter)
    }
}

/// A request that became a WebSocket.
package struct WebSocketRequest: Sendable {
    package let head: HTTPRequest
    /// The word of the path that the route leaves open, decoded; nil for none.
    package let parameter: String?
    /// Returns the caller, as of any other request.
    ///
    /// - Throws: ``GatewayError`` with 401, 403 or 429, or an ``AccessRefusal``.
    package let identity: @Sendable () async throws -> Identity

    /// The fields of the query, decoded.
    package var query: [(name: String, value: String)] {
        guard let target = head.path, let mark = target.firstIndex(of: "?") else { return [] }
        return FormQuery.fields(of: target[target.index(after: mark)...])
    }
}

/// Turns requests for a ``WebSocketRoute`` into WebSockets; passes all others on.
///
/// The handlers of frames are put in front of the HTTP decoder. From then on the handlers of HTTP see no bytes, so the
/// application never sees the request. For this connection it stays open until the socket closes. A request that does not ask for
/// an upgrade, or comes behind one that is not answered yet, is passed on.
package final class WebSocketUpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// Bytes of a message at most.
    package static let maxMessage = 64 << 10
    /// Frames of a message at most.
    private static let maxFrames = 64
    private static let version = "13"

    private let routes: [WebSocketRoute]
    private let authentication: AuthenticationMiddleware
    private var openRequests = 0
    private var accepted: (route: WebSocketRoute, request: WebSocketRequest, answer: String)?
    private var isUpgraded = false

    package init(_ routes: [WebSocketRoute], _ authentication: AuthenticationMiddleware) {
        self.routes = routes
        self.authentication = authentication
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isUpgraded else { return }
        switch unwrapInboundIn(data) {
        case .head(let written):
            let mayUpgrade = openRequests == 0 && written.method == .get && written.headerFields.contains(.upgrade)
            let head = mayUpgrade ? RequestPath.received(written) ?? written : written
            if mayUpgrade, let (route, parameter) = route(of: head), let answer = Self.answer(to: head) {
                let channel = ObjectIdentifier(context.channel.clientConnection)
                let request = WebSocketRequest(head: head, parameter: parameter.flatMap(PercentEscapes.resolve)) {
                    [authentication] in try await authentication.identity(of: head, on: channel)
                }
                accepted = (route, request, answer)
                return
            }
            openRequests += 1
        case .body:
            // A request to upgrade has no body.
            if accepted != nil { return context.close(promise: nil) }
        case .end:
            if let accepted { return upgrade(context, accepted.route, accepted.request, accepted.answer) }
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { openRequests = max(0, openRequests - 1) }
        context.write(data, promise: promise)
    }

    private func route(of head: HTTPRequest) -> (WebSocketRoute, String?)? {
        guard head.method == .get, let target = head.path else { return nil }
        let path = target.prefix { $0 != "?" }
        for route in routes {
            let (isMatch, parameter) = route.match(path)
            if isMatch { return (route, parameter) }
        }
        return nil
    }

    /// The value of `Sec-WebSocket-Accept`; nil for a request that is no valid handshake.
    static func answer(to head: HTTPRequest) -> String? {
        func names(_ name: HTTPField.Name) -> [String] {
            head.headerFields[values: name].flatMap { $0.split(separator: ",") }.map { word in
                word.split(separator: " ").joined().lowercased()
            }
        }
        guard names(.upgrade).contains("websocket"), names(.connection).contains("upgrade"),
            head.headerFields[.secWebSocketVersion] == version,
            head.headerFields[values: .secWebSocketKey].count == 1, let key = head.headerFields[.secWebSocketKey],
            Data(base64Encoded: key)?.count == 16
        else { return nil }
        let hash = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(hash).base64EncodedString()
    }

    private func upgrade(
        _ context: ChannelHandlerContext, _ route: WebSocketRoute, _ request: WebSocketRequest, _ answer: String
    ) {
        isUpgraded = true
        let pipeline = context.pipeline.syncOperations
        do {
            let front = try pipeline.context(handlerType: HeaderTimeoutHandler.self)
            let bytes = context.channel.allocator.buffer(
                string: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(answer)\r\n\r\n")
            front.writeAndFlush(NIOAny(bytes), promise: nil)
            let socket = WebSocketHandler { connection in await route.serve(connection, request) }
            try pipeline.addHandlers(
                [
                    ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Self.maxMessage)),
                    WebSocketFrameEncoder(), WebSocketFrameCheck(),
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: Self.maxFrames,
                        maxAccumulatedFrameSize: Self.maxMessage),
                    socket,
                ], position: .after(front.handler))
        } catch {
            context.close(promise: nil)
        }
    }
}
