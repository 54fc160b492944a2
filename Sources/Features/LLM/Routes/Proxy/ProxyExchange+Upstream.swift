import Access
import Dispatch
import HTTPTypes
import Inference
import NIOCore
import Server
import KeyRoom
import Transport

/// Sends a request to an endpoint, and retries at another one if the first fails before it answers.
extension ProxyExchange {
    /// Requests a place. The body is complete, so the place is used at once.
    func acquirePlace() {
        facts.phase = .queued
        let (loop, bound) = (context.eventLoop, bound)
        var caller = identity.caller
        let asked = refusesCloud && upstreams.provider == nil ? model : nil
        if asked.flatMap(proxy.ollama.knowsPlace) ?? (asked == nil),
            let permit = upstreams.admission.acquireAtOnce(caller)
        {
            return granted(permit)
        }
        if facts.model == nil { queuedModel = modelInBody }
        // Models for vectors are small and stay beside others.
        if !ModelRequest.isEmbedding(request.path) {
            caller = caller.wanting((facts.model ?? queuedModel).map(upstreams.rules.resolve), size: body.count)
        }
        wait { [caller, admission = upstreams.admission, ollama = proxy.ollama] in
            do {
                if let asked { try await ollama.checkCloud(asked) }
                let permit = try await admission.acquire(
                    caller,
                    placed: { place, now in
                        loop.hop { (bound.value.facts.place, bound.value.facts.placeNow) = (place, now) }
                    })
                loop.hop { bound.value.granted(permit) }
            } catch {
                loop.hop { bound.value.fail(error) }
            }
        }
    }

    private func granted(_ permit: Admission.Permit) {
        guard machine.placeGranted() else { return permit.release() }
        self.permit = permit
        chooseEndpoint()
    }

    /// Prepares the request and sends it to an endpoint, with the part of the body in memory.
    func chooseEndpoint() {
        if let permit {
            facts.sent(position: permit.position, waited: permit.waited, expected: permit.expectedWait)
        } else {
            facts.sent()
        }
        if request.kind == .inference { proxy.reports.logPrompt(body.collected, path: request.path, id: requestID) }
        let beginning = body.takeCollected()
        prepare(beginning)
        do throws(GatewayError) {
            guard let first = try firstEndpoint() else {
                return fail(UpstreamError(.shuttingDown, "there is no upstream"))
            }
            attempt(at: first)
        } catch {
            return fail(error)
        }
        guard upload != nil else { return }
        if body.spool != nil { sendSpooled(beginning) } else { sendBody(beginning) }
    }

    private func prepare(_ beginning: ByteBuffer) {
        var headers = request.upstreamHeaders(
            isCounted: identity.grant.tokensPerDay != nil || hasPrice, isReadAsJSON: resolver?.isReadAsJSON == true)
        SessionCookie.removeOwn(from: &headers)
        var path = request.upstreamPath(upstreams.rules)
        if let provider = upstreams.provider {
            headers = provider.headers(request.head.headerFields)
            path = provider.configuration.dialect.path(of: path)
        }
        if let span = facts.span { trace(span, in: &headers, beginning) }
        var upstream = UpstreamRequest(method: request.upstreamMethod.rawValue, path: path, headers: headers)
        upstream.isForwarded = true
        if let spool = body.spool {
            // Both are counts of bytes held here, so the sum cannot overflow.
            upload = UpstreamUpload(length: beginning.readableBytes + spool.count)
        } else if !machine.requestEnded {
            upload = UpstreamUpload(length: request.framing.length)
        } else if body.count > 0 || request.framing.length == 0 {
            upstream.body = beginning
        }
        upstream.upload = upload
        outgoing = upstream
        let isEmbedding = request.kind == .inference && ModelRequest.isEmbedding(request.path)
        let isSingle = upstreams.pool.isSingle
        attempts = RequestAttempts(
            model: model, isSameEverywhere: isEmbedding,
            isRepeatable: upload == nil && request.kind != .administration && !isSingle,
            prompt: request.kind != .inference || isEmbedding || isSingle ? nil : beginning)
    }

    private func firstEndpoint() throws(GatewayError) -> EndpointUse? {
        let pool = upstreams.pool
        guard request.kind == .administration else { return attempts.next(in: pool) }
        // Administration goes to one endpoint: the one that the header names, or the first.
        guard let name = request.head.headerFields[.seleneUpstream] else {
            return pool.endpoints.first.map { attempts.take($0, in: pool) }
        }
        guard let endpoint = pool.endpoint(named: name) else {
            let names = pool.endpoints.map(\.name).joined(separator: ", ")
            throw GatewayError(
                .badRequest, .invalidField, "there is no upstream \"\(name)\" (X-Selene-Upstream); known: \(names)")
        }
        return attempts.take(endpoint, in: pool)
    }

    // MARK: Attempts

    private func attempt(at next: EndpointUse) {
        let (endpoint, model) = (next.endpoint, model)
        let loads = request.kind == .inference && upstreams.shield != nil && model.map(endpoint.hasToLoad) == true
        switch machine.endpointTaken(loads: loads) {
        case .giveBack: next.end()
        case .load(let replacing):
            if replacing { leaveEndpoint() }
            use = next
            load(at: endpoint, model)
        case .send(let replacing):
            if replacing { leaveEndpoint() }
            use = next
            sendRequest()
        }
    }

    private func leaveEndpoint() {
        upstream?.cancel()
        upstream = nil
        use?.end()
    }

    private func load(at endpoint: Endpoint, _ model: String?) {
        guard let shield = upstreams.shield, let model, let resolved = resolver?.request else {
            return perform(machine.modelLoaded())
        }
        let (loop, bound, path) = (context.eventLoop, bound, request.path)
        wait {
            await shield.load(model, at: endpoint, by: resolved.load(path: path))
            loop.hop {
                let exchange = bound.value
                exchange.perform(exchange.machine.modelLoaded())
            }
        }
    }

    /// Sends the request to the leased endpoint.
    func sendRequest() {
        guard let outgoing, let use else { return }
        // The body is kept only if another attempt is possible.
        if !attempts.isRepeatable { self.outgoing = nil }
        do {
            let upstream = try use.endpoint.start(outgoing)
            self.upstream = upstream
            let (loop, bound) = (context.eventLoop, bound)
            upstream.whenHead { result in loop.execute { bound.value.received(result, by: use) } }
        } catch {
            received(.failure(error), by: use)
        }
    }

    private func received(_ result: Result<UpstreamResponseHead, UpstreamError>, by use: EndpointUse) {
        guard !machine.hasEnded, use === self.use else { return }
        let outcome = result.map(\.status)
        use.report(outcome, retryAfter: (try? result.get()).flatMap(RetryRule.wish))
        if let next = attempts.retry(after: outcome, in: upstreams.pool) { return attempt(at: next) }
        outgoing = nil
        switch result {
        case .failure(let error): fail(error)
        case .success(let head):
            guard let provider = upstreams.provider else { return passOn(head) }
            let head = provider.head(head)
            if head.status < 400 { passOn(head) } else { readError(head) }
        }
    }

    // MARK: The body of the request

    /// Sends a part of a body as it arrives.
    func sendBody(_ bytes: ByteBuffer) {
        let (loop, bound) = (context.eventLoop, bound)
        let hasRoom = upload?.write(bytes) {
            loop.execute {
                let exchange = bound.value
                exchange.perform(exchange.machine.bodyResumed())
            }
        }
        perform(hasRoom == false ? machine.bodyHeldBack() : machine.bodyResumed())
    }

    /// Sends a spooled body: the part in memory, then one part of the file after another as there is room.
    private func sendSpooled(_ bytes: ByteBuffer) {
        guard let upload else { return }
        let (loop, bound) = (context.eventLoop, bound)
        let hasRoom = upload.write(bytes) { loop.execute { bound.value.readSpooled() } }
        if hasRoom { readSpooled() }
    }

    private func readSpooled() {
        guard !machine.hasEnded, let upload, let spool = body.spool else { return }
        guard let (offset, count) = spool.nextRead() else { return upload.finish() }
        let (loop, bound, file) = (context.eventLoop, bound, spool.file)
        SpoolFile.queue.async {
            let result = Result { () throws(GatewayError) in try file.read(at: offset, count: count) }
            loop.execute { bound.value.didReadSpooled(result) }
        }
    }

    private func didReadSpooled(_ result: Result<ByteBuffer, GatewayError>) {
        guard !machine.hasEnded else { return }
        switch result {
        case .failure(let error): fail(error)
        case .success(let bytes): sendSpooled(bytes)
        }
    }
}
