import Access
import HTTPTypes
import Inference
import NIOCore
import NIOHTTPTypes
import Server
import Transport

/// Handles one proxied request and its response on the client's event loop.
///
/// ``ProxyStateMachine`` decides the next action, and the exchange carries it out. The exchange holds the request's
/// resources: body, place, endpoint and upstream response. Client events arrive through ``ProxyHandler``. Events of
/// tasks, files and the transport hop to the loop.
final class ProxyExchange {
    /// A message to the client's connection.
    enum Signal {
        /// Stop reading, so that TCP holds the client back.
        case holdBack
        /// Read again.
        case resume
        /// The response is over.
        case ended
        /// The response and the connection are over.
        case closing
    }

    let request: ProxiedRequest
    let proxy: Proxy
    let context: ChannelHandlerContext
    let handler: ProxyHandler
    let startedAt = ContinuousClock.now
    var machine: ProxyStateMachine

    // The request; see ProxyExchange+Request.
    var identity = Identity.unknown
    var body: ProxyRequestBody
    /// Nil when the request does not depend on the model: its body is then not parsed.
    var resolver: ModelResolver?
    /// Whether models of Ollama's cloud are refused.
    var refusesCloud = false
    /// Looks for the model of a form while such models are refused; nil for other bodies.
    var form: MultipartModel?
    /// The endpoints for the request: Ollama's, until the model turns out to be another provider's.
    var upstreams: ProxyUpstreams

    // The upstream; see ProxyExchange+Upstream.
    var permit: Admission.Permit?
    /// The request for the upstream, until no further attempt is possible.
    var outgoing: UpstreamRequest?
    var upload: UpstreamUpload?
    var attempts = RequestAttempts(model: nil, isSameEverywhere: false, isRepeatable: false)
    var use: EndpointUse?
    var upstream: UpstreamExchange?

    // The response; see ProxyExchange+Answer.
    var answer = AnswerStream(.forwarded(.bytes))
    var response: ClientResponse
    /// The error of another provider, which is read whole before it is passed on.
    var providerError = ByteBuffer()
    /// The request's id: from the client's header, or a new one.
    private(set) lazy var requestID = RequestIDMiddleware.id(of: request.head)
    var facts = RequestFacts()
    /// The model that a queued request named, for the list of requests in flight. Others that do not depend on their
    /// model are not parsed.
    var queuedModel: String?
    /// What the audit says of a change of models; nil for other requests.
    var audited: ModelAudit?

    private var waiting: Task<Void, Never>?
    private var waits = 0
    /// The number among the requests in flight.
    private(set) var number: UInt64 = 0

    init(
        _ head: HTTPRequest, kind: ProxyPolicy.Kind, proxy: Proxy, context: ChannelHandlerContext, handler: ProxyHandler
    ) {
        request = ProxiedRequest(head, kind: kind)
        self.proxy = proxy
        upstreams = proxy.upstreams
        self.context = context
        self.handler = handler
        body = ProxyRequestBody(kind: kind, limits: proxy.bodies)
        audited = ModelAudit(request)
        response = ClientResponse(to: context)
        machine = ProxyStateMachine(request.route, expectsContinue: request.framing.expectsContinue)
        facts.span = proxy.reports.observer.tracer?.begin(head.headerFields)
        number = proxy.reports.observer.begin(LiveProxied(exchange: bound))
    }

    var bound: NIOLoopBound<ProxyExchange> { NIOLoopBound(self, eventLoop: context.eventLoop) }

    /// Whether request and response are complete and another request may follow.
    var isOver: Bool { machine.requestEnded && machine.hasEnded && !response.closes }

    // MARK: Events of the client

    /// Starts authentication, because the head arrived.
    func start() {
        let (loop, bound) = (context.eventLoop, bound)
        let channel = ObjectIdentifier(context.channel.clientConnection)
        do {
            if let identity = try proxy.access.identityAtOnce(of: request, on: channel) { return identified(identity) }
        } catch {
            return fail(error)
        }
        wait { [access = proxy.access, request] in
            do {
                let identity = try await access.identity(of: request, on: channel)
                loop.hop { bound.value.identified(identity) }
            } catch {
                loop.hop { bound.value.fail(error) }
            }
        }
    }

    /// Takes a part of the body.
    func receive(_ bytes: ByteBuffer) {
        guard !machine.hasEnded else { return }
        do throws(GatewayError) {
            try take(bytes)
        } catch {
            fail(error)
        }
    }

    /// Ends the body.
    func receiveEnd() { perform(machine.bodyEnded(isStored: body.isStored)) }

    /// The client's socket became full, or has room again.
    func writabilityChanged() {
        if context.channel.isWritable { perform(machine.clientReady()) }
    }

    /// The client left, or can no longer be answered.
    func clientLeft() {
        guard let ending = machine.clientLeft() else { return }
        facts.isCancelled = true
        if !machine.responseBegan { response.clientLeft() }
        waiting?.cancel()
        upstream?.cancel()
        release(ending)
    }

    /// An administrator stopped the request: the upstream is closed, and the client gets an error.
    func stop() {
        let waiting = waiting
        fail(GatewayError.stopped)
        waiting?.cancel()
    }

    // MARK: Actions

    /// Carries out an action.
    func perform(_ action: ProxyStateMachine.Action) {
        switch action {
        case .none: break
        case .sendContinue: response.sendContinue()
        case .holdBack: signal(.holdBack)
        case .resume: signal(.resume)
        case .resolveModel: resolveModel()
        case .openSpool:
            body.openSpool()
            signal(.resume)
        case .acquirePlace: acquirePlace()
        case .makeList: makeList()
        case .chooseEndpoint: chooseEndpoint()
        case .send: sendRequest()
        case .finishUpload: upload?.finish()
        case .pump: pump()
        }
    }

    func signal(_ signal: Signal) { handler.exchange(signal, context) }

    /// Starts an operation that the request waits for. The operation is cancelled if the client leaves.
    func wait(for operation: sending @escaping @isolated(any) () async -> Void) {
        waits &+= 1
        let number = waits
        let task = Task.atOnce(operation)
        // An operation that finished at once may have started the next wait.
        if number == waits { waiting = task }
    }

    /// Releases everything except the connection. Later parts of the request are dropped.
    func release(_ ending: ProxyStateMachine.Ending) {
        body.release()
        (upload, upstream, outgoing, waiting) = (nil, nil, nil, nil)
        charge(ending.charge)
        if ending.releasesEndpoint {
            use?.end()
            if ending.kind == .complete, request.changesModels, !upstreams.pool.isSingle {
                upstreams.modelsChanged(at: use?.endpoint)
            }
            use = nil
        }
        if ending.releasesPlace {
            permit?.release()
            permit = nil
        }
        resolver = nil
        facts.identify(identity)
        if let span = facts.span { trace(span) }
        var outcome = proxy.reports.outcome(
            of: request, facts, response, requestBytes: body.count, total: .now - startedAt,
            upstream: upstreams.pool.isSingle && upstreams.provider == nil ? nil : attempts.endpoints.last?.name)
        outcome.isHTTP2 = context.channel.isStream
        if let provider = upstreams.provider { proxy.reports.count(outcome, of: provider.configuration.name) }
        audited?.end(outcome, by: identity, requestID, in: proxy.audit)
        proxy.reports.observer.end(outcome, live: number, id: requestID)
    }

    private func charge(_ charge: ProxyStateMachine.Ending.Charge) {
        let count: (prompt: Int, completion: Int)? =
            switch charge {
            case .nothing: nil
            case .prompt: (AnswerTokens.estimate(requestBytes: body.count), 0)
            case .answer: answer.takeCount()
            }
        guard let count else { return }
        (facts.promptTokens, facts.generatedTokens) = (count.prompt, count.completion)
        proxy.access.charge(identity, of: facts.model ?? model, prompt: count.prompt, completion: count.completion)
    }
}
