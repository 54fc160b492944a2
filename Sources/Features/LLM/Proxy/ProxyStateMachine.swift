/// The life of one proxied request: event in, action out, without a channel, a clock, a pool or bytes of its own.
///
/// Each method is an event and returns what its caller does next. What comes too late does nothing, or is given back: so the
/// response has one head, nothing follows its end, and whatever the request holds is let go of once.
struct ProxyStateMachine {
    /// What happens to a body, which depends on the kind of the route.
    enum Route: Sendable, Hashable, CaseIterable {
        /// The body is collected in memory. No place is needed.
        case catalogue
        /// The body waits until it is whole, the rest of a large one on disk. A place at the upstream is needed.
        case inference
        /// A large body goes out while it comes. No place is needed.
        case administration
    }

    /// How far the request is.
    enum Phase: Sendable, Hashable, CaseIterable {
        /// It is found out who asks and whether they may. The body collects.
        case identifying
        /// They may. The body collects until it is whole, or as long as it may be in memory; then the model is settled.
        case collecting
        /// The model is settled, and the rest of the body goes to disk.
        case spooling
        /// It waits for a place at the upstream.
        case queued
        /// One list is made of those of all endpoints.
        case listing
        /// An endpoint is chosen.
        case choosing
        /// The endpoint loads the model.
        case loading
        /// The endpoint has the request, and no response head has come.
        case sent
        /// The response goes to the client.
        case answering
        /// The client's socket is full, and nothing is taken from the upstream.
        case stalled
        /// The response is whole.
        case ended
        /// The request failed, or the client left.
        case failed
    }

    /// What happens to the body.
    let route: Route
    /// Whether the client waits for a word before it sends the body.
    let expectsContinue: Bool
    private(set) var phase = Phase.identifying
    /// Whether the whole request has come.
    private(set) var requestEnded = false
    /// Whether a response's head was sent.
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

    /// Whether the response is over, for better or worse.
    var hasEnded: Bool { phase == .ended || phase == .failed }

    /// Whether the client announced a body that it was never told to send: the connection cannot be used again.
    var owesContinue: Bool { expectsContinue && !sentContinue && !requestEnded }

    // MARK: The request

    /// It is known who asks, and they may.
    ///
    /// - Parameter isFull: Whether as much was collected as may be in memory.
    mutating func identified(isFull: Bool) -> Action {
        guard phase == .identifying else { return .none }
        phase = .collecting
        if requestEnded { return .settleModel }
        if isFull { return bodyFull() }
        if expectsContinue, !hasBody {
            sentContinue = true
            return .sendContinue
        }
        return bodyResumed()
    }

    /// A part of the body came.
    mutating func bodyCame() -> BodyAction {
        hasBody = true
        switch phase {
        case .identifying, .collecting: return .collect
        case .spooling: return .spool
        case .queued, .listing, .ended, .failed: return .drop
        case .choosing, .loading, .sent, .answering, .stalled: return isUploading ? .upload : .drop
        }
    }

    /// As much was collected as may be in memory.
    mutating func bodyFull() -> Action {
        guard phase == .identifying || phase == .collecting, !requestEnded else { return .none }
        if phase == .collecting, route != .catalogue { return .settleModel }
        isHeldBack = true
        return .holdBack
    }

    /// The body is whole.
    ///
    /// - Parameter isStored: Whether nothing of it waits to be written to disk.
    mutating func bodyEnded(isStored: Bool) -> Action {
        guard !requestEnded else { return .none }
        requestEnded = true
        switch phase {
        case .collecting: return .settleModel
        case .spooling: return isStored ? proceed() : .none
        case .identifying, .queued, .listing, .ended, .failed: return .none
        case .choosing, .loading, .sent, .answering, .stalled: return isUploading ? .finishUpload : .none
        }
    }

    /// All of the body that came is on disk.
    mutating func bodyStored() -> Action { phase == .spooling && requestEnded ? proceed() : .none }

    /// What the body goes into, a file or an upload, has no room.
    mutating func bodyHeldBack() -> Action {
        guard phase == .spooling || isUploading, !hasEnded, !isHeldBack else { return .none }
        isHeldBack = true
        return .holdBack
    }

    /// What the body goes into has room again.
    mutating func bodyResumed() -> Action {
        guard isHeldBack, !hasEnded else { return .none }
        isHeldBack = false
        return .resume
    }

    /// More of the body is needed before the model is known.
    mutating func modelNeedsMore() -> Action { phase == .collecting ? bodyResumed() : .none }

    /// The model is known.
    ///
    /// - Parameter isListed: Whether the answer is a list that is made here.
    mutating func modelSettled(isListed: Bool = false) -> Action {
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

    /// A place at the upstream was granted; returns whether it is wanted. Otherwise the caller gives it back.
    mutating func placeGranted() -> Bool {
        guard phase == .queued else { return false }
        phase = .choosing
        hasPlace = true
        return true
    }

    /// An endpoint was taken: the first, or another one after the attempt at the first.
    ///
    /// - Parameter loads: Whether the model has to be loaded there first.
    mutating func endpointTaken(loads: Bool) -> EndpointAction {
        guard phase == .choosing || phase == .sent else { return .giveBack }
        phase = loads ? .loading : .sent
        defer { hasEndpoint = true }
        return loads ? .load(replacing: hasEndpoint) : .send(replacing: hasEndpoint)
    }

    /// The model is loaded, or its load failed: the endpoint itself tells.
    mutating func modelLoaded() -> Action {
        guard phase == .loading else { return .none }
        phase = .sent
        return .send
    }

    /// The upstream's head came, and its response is the answer; returns whether the head goes to the client.
    mutating func headCame() -> Bool {
        guard phase == .sent else { return false }
        phase = .answering
        responseBegan = true
        return true
    }

    /// Bytes came from the upstream; returns whether they go to the client.
    mutating func bytesCame() -> Bool { phase == .answering || phase == .stalled }

    /// The upstream ended its response.
    mutating func answerEnded() -> Ending? {
        guard phase == .answering || phase == .stalled else { return nil }
        return end(.complete, in: .ended)
    }

    /// The list is there. It goes out as a whole response.
    mutating func listMade() -> Ending? {
        guard phase == .listing else { return nil }
        responseBegan = true
        return end(.complete, in: .ended)
    }

    // MARK: The client

    /// The client's socket takes no more.
    mutating func clientFull() {
        if phase == .answering { phase = .stalled }
    }

    /// The client's socket has room.
    mutating func clientReady() -> Action {
        guard phase == .stalled else { return .none }
        phase = .answering
        return .pump
    }

    /// The client left, or cannot be answered any more.
    mutating func clientLeft() -> Ending? { hasEnded ? nil : end(.abandon, in: .failed) }

    /// The request failed: it was refused, or the gateway or the upstream cannot go on.
    mutating func failed() -> Ending? {
        guard !hasEnded else { return nil }
        defer { responseBegan = true }
        return end(responseBegan ? .breakOff : .respond, in: .failed)
    }

    private mutating func end(_ kind: Ending.Kind, in last: Phase) -> Ending {
        let charge: Ending.Charge
        switch phase {
        case .answering, .stalled: charge = route == .inference ? .answer : .nothing
        // The client does not wait for an answer on which the endpoint works already.
        case .loading, .sent: charge = route == .inference && kind == .abandon ? .prompt : .nothing
        default: charge = .nothing
        }
        defer { (phase, hasPlace, hasEndpoint, isHeldBack) = (last, false, false, false) }
        return Ending(kind: kind, charge: charge, releasesPlace: hasPlace, releasesEndpoint: hasEndpoint)
    }
}
