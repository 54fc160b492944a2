import Access
import Dispatch
import HTTPTypes
import Inference
import NIOCore
import Server
import KeyRoom

/// The request until it can be sent: identity, body and model.
extension ProxyExchange {
    /// The caller is authenticated and authorized.
    func identified(_ identity: Identity) {
        guard !machine.hasEnded else { return }
        self.identity = identity
        if facts.span != nil { facts.identify(identity) }
        do throws(GatewayError) {
            try body.check(length: request.framing.length)
        } catch {
            return fail(error)
        }
        openResolver()
        perform(machine.identified(isFull: body.isFull))
    }

    // MARK: The body

    /// Takes a part of the body: collects, spools or sends it.
    ///
    /// - Throws: ``GatewayError`` when the request must end.
    func take(_ bytes: ByteBuffer) throws(GatewayError) {
        try body.receive(bytes.readableBytes)
        audited?.push(bytes)
        if let refusal = resolver?.push(bytes, allows: mayName) { throw error(for: refusal) }
        form?.push(bytes)
        if form?.namesCloud == true { throw ProxyAccess.cloudInForm }
        switch machine.bodyCame() {
        case .drop: break
        case .upload: sendBody(bytes)
        case .spool:
            try body.spool(bytes, of: identity.admissionName)
            writeSpooled()
        case .collect:
            try body.collect(bytes, of: identity.admissionName)
            if body.isFull { perform(machine.bodyFull()) }
        }
    }

    private func writeSpooled() {
        guard let spool = body.spool else { return }
        perform(spool.isFull ? machine.bodyHeldBack() : machine.bodyResumed())
        guard let (bytes, offset) = spool.nextWrite() else { return }
        let (loop, bound, file) = (context.eventLoop, bound, spool.file)
        SpoolFile.queue.async {
            let result = Result { () throws(GatewayError) in try file.write(bytes, at: offset) }
            loop.execute { bound.value.didWriteSpooled(result) }
        }
    }

    private func didWriteSpooled(_ result: Result<Void, GatewayError>) {
        guard !machine.hasEnded else { return }
        if case .failure(let error) = result { return fail(error) }
        body.didWrite()
        writeSpooled()
        if body.isStored { perform(machine.bodyStored()) }
    }

    // MARK: The model

    /// The model that decides the endpoint, under Ollama's name for it.
    var model: String? { resolver?.request?.model ?? request.namedModel.map(upstreams.rules.resolve) }

    /// The model in the collected part of the body; nil when it names none or is encoded.
    var modelInBody: String? { model(in: body.collected) }

    /// The model in the beginning of a body; nil when it names none or is encoded.
    func model(in beginning: ByteBuffer) -> String? {
        guard !request.isEncoded else { return nil }
        var peek = ModelPeek()
        peek.push(beginning)
        guard case .model(let name) = peek.finding else { return nil }
        return name
    }

    /// Begins to look for the model if the request depends on it.
    private func openResolver() {
        let (path, kind) = (request.path, request.kind)
        guard ProxyPolicy.namesModel(path, kind) else { return }
        // A stub of the cloud may be deleted.
        refusesCloud = !proxy.ollama.allowsCloud && path != "/api/delete"
        if refusesCloud, request.isForm, !isRestricted {
            form = MultipartModel()
            form?.push(body.collected)
            return
        }
        guard isRestricted || refusesCloud || (kind != .administration && (upstreams.dependOnModel || hasPrice)) else {
            return
        }
        // A name with a slash is pulled from Ollama's registry, whatever providers there are.
        let isAdministration = kind == .administration
        var resolver = ModelResolver(
            path: path, rules: isAdministration ? .none : upstreams.rules,
            providers: isAdministration ? [] : proxy.providerNames, isRestricted: isRestricted || refusesCloud,
            isEncoded: request.isEncoded)
        // Bytes received before authentication are not checked until the model is resolved.
        _ = resolver.push(body.collected) { _ in true }
        body.collectLimit = resolver.limit
        self.resolver = resolver
    }

    /// Resolves the model; the body is complete or long enough.
    func resolveModel() {
        switch ownModel() {
        case .others: break
        case .needsMore:
            body.collectLimit = OwnModels.bodyLimit
            return perform(machine.modelNeedsMore())
        case .named where body.count > OwnModels.bodyLimit:
            return failAsTooLarge(OwnModels.bodyLimit)
        case .named: return handOver(by: proxy.handover)
        }
        if isRestricted, let name = request.namedModel, !mayName(name) { return fail(error(for: .notAllowed(name))) }
        if form?.namesCloud == true { return fail(ProxyAccess.cloudInForm) }
        switch resolver?.resolve(body.collected, isWhole: machine.requestEnded, allows: mayName) {
        case nil: break
        case .needsMore(let limit):
            body.collectLimit = limit
            return perform(machine.modelNeedsMore())
        case .refused(let refusal): return fail(error(for: refusal))
        case .resolved(let resolved):
            facts.model = resolved.name
            let provider = resolved.provider.flatMap { proxy.providers[$0]?.provider }
            if provider?.isTranslated(request.path) == true || hasFallbacks(resolved) { return translate() }
            body.collected = resolved.body
            if let name = resolved.provider, let others = proxy.providers[name] {
                if let error = Self.misfit(others, resolved.name ?? name, at: request.path) { return fail(error) }
                upstreams = others
            }
        }
        if let name = request.namedModel.map(upstreams.rules.resolve),
            RemoteProvider.split(name).map({ proxy.providers[$0.provider] != nil }) == true
        {
            return handOver(by: proxy.translations)
        }
        perform(machine.modelResolved(isListed: catalogue != nil))
    }

    /// What the body says of models of the gateway's own.
    private enum OwnModel {
        case named, others, needsMore
    }

    private func ownModel() -> OwnModel {
        guard let own = proxy.ownModels else { return .others }
        if let name = request.namedModel { return own.contains(name) ? .named : .others }
        guard request.head.method == .post, ProxyPolicy.mayNameOwnModel(request.path) else { return .others }
        let collected = body.collected
        // Most bodies have no such word, and looking for it costs next to nothing.
        if machine.requestEnded, !collected.mayNameOwnModel { return .others }
        guard !request.isEncoded else { return .others }
        let isRest = !machine.requestEnded && collected.readableBytes <= OwnModels.bodyLimit
        var peek = ModelPeek()
        peek.push(collected)
        return switch peek.finding {
        case .model(let name) where own.contains(name): isRest ? .needsMore : .named
        case .none where isRest: .needsMore
        case .model, .none, .unreadable: .others
        }
    }

    /// Whether other models may answer when the asked one cannot.
    private func hasFallbacks(_ asked: ModelRequest) -> Bool {
        asked.name.map(upstreams.rules.hasFallbacks) == true && ChatProtocol(path: request.path) != nil
    }

    /// Hands a request over that goes to a provider in another protocol, or to one of several models, once its body is complete.
    private func translate() {
        let limit = TranslationRoutes.bodyLimit
        guard body.count <= limit else { return failAsTooLarge(limit) }
        guard machine.requestEnded else {
            body.collectLimit = limit
            return perform(machine.modelNeedsMore())
        }
        handOver(by: proxy.translations)
    }

    private func failAsTooLarge(_ limit: Int) {
        fail(
            GatewayError(
                .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes",
                headers: [.connection: "close"]))
    }

    /// Lets a router of the gateway's own answer.
    private func handOver(by handover: Handover) {
        guard machine.handedOver() else { return }
        let collected = body.takeCollected()
        body.release()
        resolver = nil
        proxy.reports.observer.handOver(live: number)
        handler.handOver(request.head, collected, by: handover, of: identity, context)
    }

    /// Why a provider cannot get the request; nil when it can.
    private static func misfit(_ upstreams: ProxyUpstreams, _ model: String, at path: String) -> (any Error)? {
        guard let provider = upstreams.provider else { return nil }
        guard provider.answers(path) else {
            return GatewayError(.badRequest, .invalidField, "field \"model\": " + provider.misfit(model, at: path))
        }
        return provider.configuration.keyError
    }

    /// Whether every server must read the same model from the body: the key has a list of models, or a budget.
    private var isRestricted: Bool {
        !identity.grant.models.isEmpty || (hasPrice && identity.hasBudget && !request.isForm)
    }

    /// Whether the model has to be known for the cost of the request.
    var hasPrice: Bool { request.kind == .inference && proxy.access.hasPrice(identity) }

    private func mayName(_ name: String) -> Bool {
        // The routes of such a model check the one behind it. On any other route the name is one of the upstream's.
        let isHandedOver = ProxyPolicy.mayNameOwnModel(request.path) || request.namedModel != nil
        if isHandedOver, proxy.ownModels?.contains(name) == true { return true }
        return proxy.access.allows(name, to: identity) && !isRefusedCloud(name)
    }

    /// Whether a model is known to run in Ollama's cloud, and such models are refused.
    private func isRefusedCloud(_ name: String) -> Bool {
        refusesCloud && (ModelPlace.isCloudName(name) || ModelPlace.isCloudName(upstreams.rules.resolve(name)))
    }

    private func error(for refusal: ModelResolver.Refusal) -> GatewayError {
        switch refusal {
        case .notAllowed(let name) where isRefusedCloud(name): GatewayError(upstream: CloudSwitch.refusal(of: name))
        case .unclear where !isRestricted: ProxyAccess.unclearWithoutCloud
        default: proxy.access.refuse(refusal, to: identity)
        }
    }

    /// Whether a page of the gateway's own asks.
    var isOwnPage: Bool { request.head.headerFields[.selene] != nil }

    /// The merged list that answers the request; nil when the upstream answers.
    var catalogue: MergedCatalogue? {
        guard request.mayList else { return nil }
        return upstreams.catalogue(for: request.path, isRestricted: isRestricted || ownModels != nil)
    }

    /// The models of the gateway's own that the list has; nil for none.
    var ownModels: OwnModels? {
        // The gateway's own pages ask the notes without such a name.
        guard request.path != "/api/ps", !isOwnPage, let own = proxy.ownModels,
            own.isShown(identity)
        else { return nil }
        return own
    }
}

extension ByteBuffer {
    /// Whether a body may name a model of the gateway's own.
    var mayNameOwnModel: Bool {
        unsafe withUnsafeReadableBytes { bytes in unsafe OwnModels.mayBeNamed(in: bytes) }
    }
}
