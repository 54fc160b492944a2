import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Server

/// The response to a proxied request as it goes to the client's channel, and what the log wants to know of it.
struct ClientResponse {
    private let context: ChannelHandlerContext
    /// The status that was sent; 499 for a client that left before.
    private(set) var status = 0
    /// Bytes of the body.
    private(set) var bytes = 0
    /// Whether the connection ends with the response.
    private(set) var closes = false

    init(to context: ChannelHandlerContext) { self.context = context }

    /// Tells the client to send the body.
    func sendContinue() {
        context.write(NIOAny(HTTPResponsePart.head(HTTPResponse(status: .continue))), promise: nil)
        context.flush()
    }

    /// Writes the head. This and the rest go out with the next flush.
    ///
    /// - Parameters:
    ///   - closes: Whether the connection ends with the response, whatever its headers say.
    ///   - origins: The web pages that may read it.
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

    /// Ends the response and flushes it; the promise is for its last byte.
    func end(_ promise: EventLoopPromise<Void>? = nil) {
        context.writeAndFlush(NIOAny(HTTPResponsePart.end(nil)), promise: promise)
    }

    /// Notes that the client left before there was a status.
    mutating func clientLeft() { status = HTTPResponse.Status.clientClosedRequest.code }
}
