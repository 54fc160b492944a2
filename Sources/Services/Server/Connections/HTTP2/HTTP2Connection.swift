package import HummingbirdCore
package import NIOCore
import NIOHTTP2

/// An HTTP/2 connection of a client and its streams, one request each.
package struct HTTP2Connection: Sendable {
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value>

    /// Adds the handlers of HTTP/2 to a connection. Runs on its event loop.
    ///
    /// - Parameters:
    ///   - gate: The connection's gate.
    ///   - maxStreams: The maximum number of open requests.
    ///   - initialize: Adds the handlers of requests to a stream that speaks the shared HTTP types.
    package init(
        on channel: any Channel, limits: ConnectionLimits, gate: ConnectionGate, maxStreams: Int,
        idleTimeout: TimeAmount, initialize: @escaping @Sendable (any Channel) throws -> HTTP1Channel.Value
    ) throws {
        self.channel = channel
        let pipeline = channel.pipeline.syncOperations
        let frames = FrameTimeoutHandler(limits: limits)
        let connection = HTTP2ConnectionHandler(limits: limits, gate: gate, frames: frames, idleTimeout: idleTimeout)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        try pipeline.addHandler(frames)
        streams = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: HTTP2StreamCounter(connection: bound), frameDelegate: connection,
            configuration: HTTP2Limits.configuration(maxStreams: maxStreams)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try bound.value.addHandlers(to: stream)
                return try initialize(stream)
            }
        }
        try pipeline.addHandler(connection)
    }

    /// Handles each stream in a task of its own, until the connection ends.
    package func handle(each stream: @escaping @Sendable (HTTP1Channel.Value) async -> Void) async {
        // An error ends the connection, and with it all streams.
        try? await withThrowingDiscardingTaskGroup { group in
            for try await value in streams.inbound { group.addTask { await stream(value) } }
        }
        // When the task was cancelled, the connection is still open.
        channel.close(promise: nil)
    }
}

extension Channel {
    /// The client's connection: the channel itself, or with HTTP/2 the channel that carries the stream.
    ///
    /// The parent of a connection is the listening channel, which has none.
    package var clientConnection: any Channel {
        guard let parent, parent.parent != nil else { return self }
        return parent
    }

    /// Whether the channel is a stream of an HTTP/2 connection.
    package var isStream: Bool { parent?.parent != nil }
}
