import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Headers of every response for browsers. They forbid guessing the type of a body, embedding it in pages of other
/// origins, and sending its address to others. Pages that CORS allows may still read it.
///
/// The pages of the web client bring their own policy of contents. What any other response contains, from a route or an
/// upstream, runs nothing and loads nothing when a browser opens it.
enum SecurityHeaders {
    static let fields: [HTTPField] = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
    ]
    /// The policy of responses that bring none.
    static let policy = HTTPField(name: .contentSecurityPolicy, value: "sandbox; default-src 'none'")
    /// The same headers for a response that is written below HTTP.
    static let lines = (fields + [policy]).map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
}

/// Adds ``SecurityHeaders`` to every response, from the gateway or the upstream.
///
/// Sits next to the encoder, so that every response passes it.
package final class SecurityHeadersHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
            return context.write(data, promise: promise)
        }
        for field in SecurityHeaders.fields { head.headerFields[fields: field.name] = [field] }
        if !head.headerFields.contains(.contentSecurityPolicy) { head.headerFields.append(SecurityHeaders.policy) }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
