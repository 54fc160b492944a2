import Access
import HTTPTypes
import Inference
import Logging
import NIOCore
import NIOHTTPTypes
import Server
import Transport

/// One proxied request and its response. Lives on the client's event loop.
///
/// The request's body is collected while it is small, so that it goes out in one write; a larger one waits on disk until it
/// is whole, so that no place at the upstream is held by an upload (``ProxyExchange/receive(_:)``). Only administration's
/// bodies, which take no place, are sent while they come. The response is taken from the transport whenever the client's socket has room. See ``ProxyExchange/pump()``.
final class ProxyExchange {
    /// Bytes of a body that are collected in memory before the rest goes to disk, or is sent while it comes.
    static let collectLimit = 64 << 10

    let head: HTTPRequest
    let kind: ProxyPolicy.Kind
    let proxy: Proxy
    let context: ChannelHandlerContext
    let failure: ProxyFailure
    let handler: ProxyHandler
    let startedAt = ContinuousClock.now

    // The request.
    let declared: RequestFraming
    private(set) var isAllowed = false
    private(set) var identity = Identity.unknown
    private var hasBegun = false
    var requestEnded = false
    private var sentContinue = false
    /// The body as far as it came, until it is sent.
    var collected = ByteBuffer()
    /// Bytes that are collected before the rest goes to disk, or is sent while it comes.
    var collectLimit: Int
    var receivedBytes = 0
    var upload: UpstreamUpload?
    /// The rest of a large body.
    var spool: BodySpool?
    var memoryShare = BodyShare()
    var diskShare = BodyShare()
    var waiting: Task<Void, Never>?
    private var permit: Admission.Permit?

    // The model and the endpoint; see the extensions of these names.
    var peek: ModelPeek?
    var asked: ModelRequest?
    /// What the body says to every server alike, where a key's list of models wants it to.
    var agreed: ModelPeek.Agreement?
    var outgoing: UpstreamRequest?
    var use: EndpointUse?
    var tried: [Endpoint] = []
    var tokens: AnswerTokens?

    // The response.
    var upstream: UpstreamExchange?
    private(set) var framing = ProxyFraming.bytes
    private(set) var lines = LineHold()
    private(set) var isWhole = false
    private var isStalled = false
    private(set) var hasBegunResponse = false
    private var mustClose = false
    private(set) var responseEnded = false
    var status = 0
    /// The request's id: the client's, or a new one.
    private(set) lazy var requestID = RequestIDMiddleware.id(of: head)
    /// What the request tells of itself; see ``RequestOutcome``.
    var trace = ProxyTrace()

    init(
        _ head: HTTPRequest, kind: ProxyPolicy.Kind, proxy: Proxy, context: ChannelHandlerContext, handler: ProxyHandler
    ) {
        self.head = head
        self.kind = kind
        self.proxy = proxy
        self.context = context
        self.handler = handler
        // A body of a route with a small limit is always collected whole.
        collectLimit = kind == .catalogue ? ProxyPolicy.catalogueBodyLimit : Self.collectLimit
        failure = ProxyFailure(path: head.path ?? "/")
        declared = RequestFraming(head.headerFields)
        proxy.observer.begin()
    }

    /// Whether the whole request has come, the whole response went, and another request may follow.
    var isOver: Bool { requestEnded && responseEnded && !mustClose }

    var bound: NIOLoopBound<ProxyExchange> { NIOLoopBound(self, eventLoop: context.eventLoop) }

    // MARK: The request

    /// Asks who it is and whether they may.
    func start() {
        let (loop, bound, head, kind) = (context.eventLoop, bound, head, kind)
        let channel = ObjectIdentifier(context.channel)
        waiting = Proxy.runAtOnce { [authentication = proxy.authentication] in
            do {
                let identity = try await authentication.identity(of: head, on: channel)
                try ProxyPolicy.check(
                    kind, path: head.path ?? "/", for: identity, keys: authentication.keys)
                loop.hop { bound.value.allowed(identity) }
            } catch {
                loop.hop { bound.value.fail(error) }
            }
        }
    }

    private func allowed(_ identity: Identity) {
        guard !responseEnded else { return }
        self.identity = identity
        if let limit = bodyLimit, let length = declared.length, length > limit { return fail(tooLarge(limit)) }
        isAllowed = true
        beginToPeek()
        if declared.expectsContinue, !requestEnded, receivedBytes == 0 {
            sentContinue = true
            write(.head(HTTPResponse(status: .continue)))
            context.flush()
        }
        if !requestEnded, collected.readableBytes > collectLimit { collectedEnough() }
        beginIfReady()
    }

    /// Begins when the body is whole: a place at the upstream is for requests that can be sent.
    func beginIfReady() {
        guard isAllowed, !hasBegun, !responseEnded else { return }
        guard requestEnded || (kind == .administration && collected.readableBytes > collectLimit) else { return }
        guard spool?.isWritten ?? true, settleModel() else { return }
        hasBegun = true
        if isMerged { return answerMerged() }
        guard kind == .inference else { return begin() }
        trace.phase = .queued
        let (loop, bound) = (context.eventLoop, bound)
        let caller = AdmissionCaller(identity.admissionName)
        waiting = Proxy.runAtOnce { [admission = proxy.admission] in
            do {
                let permit = try await admission.acquire(caller)
                loop.hop { bound.value.begin(permit) }
            } catch {
                loop.hop { bound.value.fail(error) }
            }
        }
    }

    private func begin(_ permit: Admission.Permit? = nil) {
        guard !responseEnded else { return }
        self.permit = permit
        trace.sent(permit)
        logPrompt(collected)
        var request = UpstreamRequest(
            method: head.method.rawValue, path: upstreamPath, headers: upstreamHeaders)
        request.isForwarded = true
        let body = collected
        collected = ByteBuffer()
        if let spool {
            // Both are lengths of bytes that are here, so the sum cannot overflow.
            upload = UpstreamUpload(length: body.readableBytes + spool.count)
            request.upload = upload
        } else if !requestEnded {
            upload = UpstreamUpload(length: declared.length)
            request.upload = upload
        } else if receivedBytes > 0 || declared.length == 0 {
            request.body = body
        }
        outgoing = request
        tryNext()
        if spool != nil { sendSpooled(body) } else if upload != nil { send(body) }
    }

    // MARK: The response

    /// The head of the answer that the client gets.
    func accept(_ head: UpstreamResponseHead) {
        var fields: HTTPFields
        do throws(UpstreamError) {
            fields = try ProxyHeaders.forClient(head)
        } catch {
            tokens = nil
            return fail(error)
        }
        if fields[.contentLength] == nil {
            framing = ProxyFraming(contentType: fields[.contentType])
            // See ``HeadResponseHandler``.
            if self.head.method == .head { fields[.transferEncoding] = "chunked" }
        }
        // What failed before a byte of the body is answered as a failure, not as a response that is cut.
        let first = takeBytes()
        if case .failure(let error) = first {
            tokens = nil
            return fail(error)
        }
        trace.answered(&fields)
        begin(HTTPResponse(status: .init(code: head.status), headerFields: fields))
        guard let first else { return context.flush() }
        if pass(first) { pump() }
    }

    /// What is there; nil when there is nothing yet, and the rest is passed on when it comes.
    private func takeBytes() -> Result<ByteBuffer?, UpstreamError>? {
        let (loop, bound) = (context.eventLoop, bound)
        return upstream?.takeBytes { result in
            loop.execute {
                let exchange = bound.value
                if exchange.pass(result) { exchange.pump() }
            }
        }
    }

    /// Passes on what is there, as long as the client takes it.
    ///
    /// Everything that came in a turn of the transport goes out in one flush. While the client's socket is full nothing is
    /// taken, so that the transport's buffer fills and the upstream is held back.
    func pump() {
        guard hasBegunResponse, !responseEnded else { return }
        while true {
            guard context.channel.isWritable else {
                isStalled = true
                break
            }
            guard let ready = takeBytes(), pass(ready) else { break }
        }
        context.flush()
    }

    /// The client's socket has room again, or none.
    func writabilityChanged() {
        guard isStalled, context.channel.isWritable else { return }
        isStalled = false
        pump()
    }

    /// Writes what came; returns whether there may be more.
    private func pass(_ result: Result<ByteBuffer?, UpstreamError>) -> Bool {
        guard !responseEnded else { return false }
        switch result {
        case .success(let chunk?):
            tokens?.push(chunk)
            if case .bytes = framing {
                write(.body(chunk))
            } else if let whole = lines.push(chunk) {
                write(.body(whole))
            }
            return true
        case .success(nil):
            if let rest = lines.finish() { write(.body(rest)) }
            isWhole = true
            end()
            return false
        case .failure(let error):
            fail(error)
            return false
        }
    }

    /// Writes the head of a response.
    func begin(_ response: HTTPResponse) {
        var response = response
        hasBegunResponse = true
        status = response.status.code
        // The client says so, may not send the body that it announced, or sends too much.
        mustClose =
            declared.closes || (declared.expectsContinue && !sentContinue && !requestEnded)
            || response.headerFields[.connection] == "close"
        if mustClose { response.headerFields[.connection] = "close" }
        CORSHeaders.add(to: &response.headerFields, for: head, proxy.observer.settings.current.origins)
        write(.head(response))
    }

    /// Writes a part; it goes out with the next flush.
    func write(_ part: HTTPResponsePart) {
        trace.wrote(part)
        context.write(NIOAny(part), promise: nil)
    }

    /// Ends the response, and the connection if it has to.
    func end() {
        guard !responseEnded else { return }
        release()
        let end = NIOAny(HTTPResponsePart.end(nil))
        if mustClose {
            // A close drops what still waits to be sent, so it comes after the last byte.
            let bound = NIOLoopBound((handler, context), eventLoop: context.eventLoop)
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenComplete { _ in
                let (handler, context) = bound.value
                handler.closeAfterBody(context)
            }
            handler.setUploadIsFull(false, context)
            return context.writeAndFlush(end, promise: sent)
        }
        context.writeAndFlush(end, promise: nil)
        handler.setUploadIsFull(false, context)
        handler.exchangeEnded(context)
    }

    /// Lets go of everything but the connection. What still comes of the request is dropped.
    func release() {
        responseEnded = true
        releaseBody()
        upload = nil
        upstream = nil
        waiting = nil
        releaseEndpoint()
        permit?.release()
        permit = nil
        report()
    }
}
