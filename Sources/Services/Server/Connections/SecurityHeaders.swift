import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// What every response says to browsers: not to guess the type of a body, not to let pages of other origins embed it, and
/// not to name its address to others. Pages that CORS allows may read it all the same.
enum SecurityHeaders {
    static let fields: [HTTPField] = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
    ]
    /// The same for a response that is written below HTTP.
    static let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
}

/// Adds ``SecurityHeaders`` to every response, whichever part of the gateway or the upstream it comes from.
///
/// Stands next to the encoder, so that nothing passes it by.
package final class SecurityHeadersHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
            return context.write(data, promise: promise)
        }
        for field in SecurityHeaders.fields { head.headerFields[fields: field.name] = [field] }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
