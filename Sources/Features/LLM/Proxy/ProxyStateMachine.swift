/// The state of one proxied request: event in, action out. It has no channel, clock, pool or bytes.
///
/// Each method is an event and returns what the caller does next. Late events do nothing, or have their resource
/// returned. So the response has one head, nothing follows its end, and each resource is released once.
struct ProxyStateMachine {
    /// How a body is handled; depends on the kind of route.
    enum Route: Sendable, Hashable, CaseIterable {
        /// The body is collected in memory. Needs no place.
        case catalogue
        /// The body waits until it is complete; the rest of a large body is on disk. Needs a place at the upstream.
        case inference
        /// A large body is sent as it arrives. Needs no place.
        case administration
    }

    /// The current step of the request.
    enum Phase: Sendable, Hashable, CaseIterable {
        /// Authentication and authorization run. The body is collected.
        case identifying
        /// The caller is authorized. The body is collected until it is complete or memory is full; then the model is
        /// resolved.
        case collecting
        /// The model is resolved, and the rest of the body is spooled to disk.
        case spooling
        /// The request waits for a place at the upstream.
        case queued
        /// The merged list of all endpoints is being made.
        case listing
        /// An endpoint is being chosen.
        case choosing
        /// The endpoint loads the model.
        case loading
        /// The endpoint has the request, but has sent no response head.
        case sent
        /// The response goes to the client.
        case answering
        /// The client's socket is full, so no bytes are taken from the upstream.
        case stalled
        /// The response is complete.
        case ended
        /// The request failed, or the client left.
        case failed
    }

    /// How the body is handled.
    let route: Route
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool
    private(set) var phase = Phase.identifying
    /// Whether the whole request arrived.
    private(set) var requestEnded = false
    /// Whether a response head was sent.
    private(set) var responseBegan = false
    private var sentContinue = false
    private var hasBody = false
    private var isHeldBack = false
    private var isUploading = false
    private var hasPlace = false
    private var hasEndpoint = false

    init(_ route: Route, expectsContinue: Bool) {
        self.route = route
        self.expectsContinue = expectsContinue
    }

    /// Whether the response is over, complete or not.
    var hasEnded: Bool { phase == .ended || phase == .failed }

    /// Whether the client still waits for `100 Continue`. The connection cannot be used again then.
    var owesContinue: Bool { expectsContinue && !sentContinue && !requestEnded }

    // MARK: The request

    /// The caller is authenticated and authorized.
    ///
    /// - Parameter isFull: Whether the collected body has reached the memory limit.
    mutating func identified(isFull: Bool) -> Action {
        guard phase == .identifying else { return .none }
        phase = .collecting
        if requestEnded { return .resolveModel }
        if isFull { return bodyFull() }
        if expectsContinue, !hasBody {
            sentContinue = true
            return .sendContinue
        }
        return bodyResumed()
    }

    /// A part of the body arrived.
    mutating func bodyCame() -> BodyAction {
        hasBody = true
        switch phase {
        case .identifying, .collecting: return .collect
        case .spooling: return .spool
        case .queued, .listing, .ended, .failed: return .drop
        case .choosing, .loading, .sent, .answering, .stalled: return isUploading ? .upload : .drop
        }
    }

    /// The collected body has reached the memory limit.
    mutating func bodyFull() -> Action {
        guard phase == .identifying || phase == .collecting, !requestEnded else { return .none }
        if phase == .collecting, route != .catalogue { return .resolveModel }
        isHeldBack = true
        return .holdBack
    }

    /// The body is complete.
    ///
    /// - Parameter isStored: Whether no part of the body still waits to be written to disk.
    mutating func bodyEnded(isStored: Bool) -> Action {
        guard !requestEnded else { return .none }
        requestEnded = true
        switch phase {
        case .collecting: return .resolveModel
        case .spooling: return isStored ? proceed() : .none
        case .identifying, .queued, .listing, .ended, .failed: return .none
        case .choosing, .loading, .sent, .answering, .stalled: return isUploading ? .finishUpload : .none
        }
    }

    /// The whole body received so far is on disk.
    mutating func bodyStored() -> Action { phase == .spooling && requestEnded ? proceed() : .none }

    /// The destination of the body, a file or an upload, is full.
    mutating func bodyHeldBack() -> Action {
        guard phase == .spooling || isUploading, !hasEnded, !isHeldBack else { return .none }
        isHeldBack = true
        return .holdBack
    }

    /// The destination of the body has room again.
    mutating func bodyResumed() -> Action {
        guard isHeldBack, !hasEnded else { return .none }
        isHeldBack = false
        return .resume
    }

    /// The model cannot be resolved without more of the body.
    mutating func modelNeedsMore() -> Action { phase == .collecting ? bodyResumed() : .none }

    /// Another router answers, and the body is complete. Returns whether the request goes to the router.
    mutating func handedOver() -> Bool {
        guard phase == .collecting, requestEnded else { return false }
        phase = .ended
        return true
    }

    /// The model is resolved.
    ///
    /// - Parameter isListed: Whether the gateway answers with a merged list.
    mutating func modelResolved(isListed: Bool = false) -> Action {
        guard phase == .collecting else { return .none }
        if isListed {
            phase = .listing
            return .makeList
        }
        if requestEnded { return proceed() }
        switch route {
        case .catalogue: return .none
        case .inference:
            phase = .spooling
            isHeldBack = false
            return .openSpool
        case .administration:
            isUploading = true
            return proceed()
        }
    }

    private mutating func proceed() -> Action {
        phase = route == .inference ? .queued : .choosing
        return phase == .queued ? .acquirePlace : .chooseEndpoint
    }

    // MARK: The upstream

    /// A place at the upstream was granted. Returns whether the place is used; if false, the caller releases it.
    mutating func placeGranted() -> Bool {
        guard phase == .queued else { return false }
        phase = .choosing
        hasPlace = true
        return true
    }

    /// An endpoint was leased, for the first attempt or a later one.
    ///
    /// - Parameter loads: Whether the model must be loaded there first.
    mutating func endpointTaken(loads: Bool) -> EndpointAction {
        guard phase == .choosing || phase == .sent else { return .giveBack }
        phase = loads ? .loading : .sent
        defer { hasEndpoint = true }
        return loads ? .load(replacing: hasEndpoint) : .send(replacing: hasEndpoint)
    }

    /// The load of the model ended. After a failed load, the endpoint's own answer reports the failure.
    mutating func modelLoaded() -> Action {
        guard phase == .loading else { return .none }
        phase = .sent
        return .send
    }

    /// The upstream's head arrived, and its response is the answer. Returns whether to send the head to the client.
    mutating func headCame() -> Bool {
        guard phase == .sent else { return false }
        phase = .answering
        responseBegan = true
        return true
    }

    /// Bytes arrived from the upstream. Returns whether to send them to the client.
    mutating func bytesCame() -> Bool { phase == .answering || phase == .stalled }

    /// The upstream ended its response.
    mutating func answerEnded() -> Ending? {
        guard phase == .answering || phase == .stalled else { return nil }
        return end(.complete, in: .ended)
    }

    /// The merged list is complete. It is sent as one response.
    mutating func listMade() -> Ending? {
        guard phase == .listing else { return nil }
        responseBegan = true
        return end(.complete, in: .ended)
    }

    // MARK: The client

    /// The client's socket is full.
    mutating func clientFull() {
        if phase == .answering { phase = .stalled }
    }

    /// The client's socket has room again.
    mutating func clientReady() -> Action {
        guard phase == .stalled else { return .none }
        phase = .answering
        return .pump
    }

    /// The client left, or can no longer be answered.
    mutating func clientLeft() -> Ending? { hasEnded ? nil : end(.abandon, in: .failed) }

    /// The request failed: it was refused, or the gateway or the upstream cannot continue.
    mutating func failed() -> Ending? {
        guard !hasEnded else { return nil }
        defer { responseBegan = true }
        return end(responseBegan ? .breakOff : .respond, in: .failed)
    }

    private mutating func end(_ kind: Ending.Kind, in last: Phase) -> Ending {
        let charge: Ending.Charge
        switch phase {
        case .answering, .stalled: charge = route == .inference ? .answer : .nothing
        // The client leaves while the endpoint already works on the prompt.
        case .loading, .sent: charge = route == .inference && kind == .abandon ? .prompt : .nothing
        default: charge = .nothing
        }
        defer { (phase, hasPlace, hasEndpoint, isHeldBack) = (last, false, false, false) }
        return Ending(kind: kind, charge: charge, releasesPlace: hasPlace, releasesEndpoint: hasEndpoint)
    }
}
