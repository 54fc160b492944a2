import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Server

/// The response to a proxied request on the client's channel, with the figures for its log line.
struct ClientResponse {
    private let context: ChannelHandlerContext
    /// The status sent; 499 if the client left before a status was sent.
    private(set) var status = 0
    /// Bytes of the body sent.
    private(set) var bytes = 0
    /// Whether the connection ends with the response.
    private(set) var closes = false

    init(to context: ChannelHandlerContext) { self.context = context }

    /// Sends `100 Continue`.
    func sendContinue() {
        context.write(NIOAny(HTTPResponsePart.head(HTTPResponse(status: .continue))), promise: nil)
        context.flush()
    }

    /// Writes the head. The head and all later parts are sent by the next flush.
    ///
    /// - Parameters:
    ///   - closes: Whether the connection ends with the response, whatever its headers say.
    ///   - origins: The web origins that may read the response.
    mutating func begin(_ response: HTTPResponse, to request: HTTPRequest, closes: Bool, _ origins: OriginRules) {
        var response = response
        status = response.status.code
        self.closes = closes || response.headerFields[.connection] == "close"
        if self.closes { response.headerFields[.connection] = "close" }
        CORSHeaders.add(to: &response.headerFields, for: request, origins)
        context.write(NIOAny(HTTPResponsePart.head(response)), promise: nil)
    }

    /// Writes a part of the body.
    mutating func write(_ part: ByteBuffer) {
        bytes += part.readableBytes
        context.write(NIOAny(HTTPResponsePart.body(part)), promise: nil)
    }

    /// Ends the response and flushes it; the promise completes with its last byte.
    func end(_ promise: EventLoopPromise<Void>? = nil) {
        context.writeAndFlush(NIOAny(HTTPResponsePart.end(nil)), promise: promise)
    }

    /// Sets the status 499, because the client left before a status was sent.
    mutating func clientLeft() { status = HTTPResponse.Status.clientClosedRequest.code }
}
