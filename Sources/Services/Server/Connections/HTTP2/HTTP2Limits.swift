import NIOCore
import NIOHTTP2

/// The limits of one HTTP/2 connection. Limits without a setting have their value here.
enum HTTP2Limits {
    /// Bytes of the headers of one request, as with HTTP/1.1.
    static let headerBytes = 32 << 10
    /// Bytes of one header's value.
    static let headerFieldBytes = 16 << 10
    /// Headers of one request.
    static let headerFields = 100
    /// CONTINUATION frames of one request.
    static let continuations = 5
    /// Streams that the client may reset within ``window``; a further one ends the connection (CVE-2023-44487).
    static let resets = 200
    /// PING, SETTINGS and PRIORITY frames within ``window``; a further one ends the connection.
    static let controlFrames = 200
    /// WINDOW_UPDATE and unknown frames within ``window``, besides those that answers and requests allow; a further one
    /// ends the connection: ``IdleFrames``.
    static let idleFrames = 200
    /// Streams with errors within ``window``; a further one ends the connection.
    static let streamErrors = 200
    /// Answers to PING and SETTINGS frames that wait for a client who does not read.
    static let bufferedControlFrames = 1_000
    static let window = TimeAmount.seconds(30)
    /// Bytes of a response that wait for the client before its source is held back, for each stream.
    static let bufferedResponse = 64 << 10
    /// Bytes of a request's body that the client may send before the gateway reads them, for each stream.
    static let bufferedRequest = 65_535
    /// How long a connection with open requests may send nothing before the gateway sends a PING; one that sends
    /// nothing for as long again is closed.
    static let pingInterval = TimeAmount.seconds(30)
    /// How long the gateway waits for the client's answer to the first GOAWAY.
    static let farewell = TimeAmount.seconds(1)

    static func configuration(maxStreams: Int) -> NIOHTTP2Handler.Configuration {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: headerBytes),
            HTTP2Setting(parameter: .initialWindowSize, value: bufferedRequest),
        ]
        connection.maximumSequentialContinuationFrames = continuations
        connection.maximumBufferedControlFrames = bufferedControlFrames
        connection.controlFrameRateLimit.maximumCount = controlFrames
        connection.controlFrameRateLimit.windowLength = window
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = bufferedRequest
        stream.outboundBufferSizeHighWatermark = bufferedResponse
        stream.outboundBufferSizeLowWatermark = bufferedResponse / 2
        stream.streamResetFrameRateLimit.maximumCount = resets
        stream.streamResetFrameRateLimit.windowLength = window
        stream.streamErrorRateLimit.maximumCount = streamErrors
        stream.streamErrorRateLimit.windowLength = window
        return NIOHTTP2Handler.Configuration(connection: connection, stream: stream)
    }
}
