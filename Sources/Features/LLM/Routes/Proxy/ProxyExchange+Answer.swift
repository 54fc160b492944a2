import Access
import HTTPTypes
import Inference
import NIOCore
import Server
import KeyRoom
import Transport

/// The response: the upstream's, a merged list, or an error.
///
/// Bytes are taken from the transport while the client's socket has room; see ``ProxyExchange/pump()``.
extension ProxyExchange {
    /// Begins to forward the upstream's response.
    func passOn(_ head: UpstreamResponseHead) {
        var fields: HTTPFields
        do throws(UpstreamError) {
            fields = try ProxyHeaders.forClient(head, of: use?.endpoint.configuration.upstream.peer ?? "Ollama")
        } catch {
            return fail(error)
        }
        // The subscript joins the values of all fields of a name, which costs several allocations.
        let framing = AnswerFraming(contentType: fields.first { $0.name == .contentType }?.value)
        let hasLength = fields.contains(.contentLength)
        // See ``HeadResponseHandler``.
        if !hasLength, request.head.method == .head { fields[.transferEncoding] = "chunked" }
        // A failure before the first byte of the body gets an error response, not a cut response.
        let first = takeBytes()
        if case .failure(let error) = first { return fail(error) }
        guard machine.headCame() else { return }
        let isCounted = request.kind == .inference && head.status == 200
        answer = AnswerStream(
            .forwarded(hasLength ? .bytes : framing),
            tokens: isCounted
                ? AnswerTokens(path: request.path, requestBytes: body.count, form: framing.tokenForm) : nil)
        facts.answered()
        facts.phase = .streaming
        let timing = facts.describe(in: &fields)
        // Added to any `Server-Timing` of the upstream.
        fields.append(HTTPField(name: .serverTiming, value: timing.text))
        writeHead(HTTPResponse(status: .init(code: head.status), headerFields: fields))
        guard let first else { return context.flush() }
        if pass(first) { pump() }
    }

    /// The bytes received; nil for none yet. Later bytes are then forwarded when they arrive.
    private func takeBytes() -> Result<ByteBuffer?, UpstreamError>? {
        let (loop, bound) = (context.eventLoop, bound)
        return upstream?.takeBytes { result in
            loop.execute {
                let exchange = bound.value
                if exchange.pass(result) { exchange.pump() }
            }
        }
    }

    /// Forwards the bytes received while the client's socket has room.
    ///
    /// All bytes of one turn of the transport go out in one flush. While the client's socket is full, no bytes are
    /// taken. The transport's buffer then fills, and the upstream is held back.
    func pump() {
        guard machine.bytesCame() else { return }
        while true {
            guard context.channel.isWritable else {
                machine.clientFull()
                break
            }
            guard let ready = takeBytes(), pass(ready) else { break }
        }
        context.flush()
    }

    /// Writes a result. Returns whether more bytes may be available.
    private func pass(_ result: Result<ByteBuffer?, UpstreamError>) -> Bool {
        guard machine.bytesCame() else { return false }
        do throws(UpstreamError) {
            guard let chunk = try result.get() else {
                if let rest = answer.finish() { write(redacted(rest)) }
                if let ending = machine.answerEnded() { end(ending) }
                return false
            }
            if let bytes = try answer.push(chunk) { write(redacted(bytes)) }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Writes a part of the body; the response to HEAD has none.
    private func write(_ part: ByteBuffer) {
        audited?.answered(part)
        if request.head.method != .head { response.write(part) }
    }

    // MARK: Other providers

    /// Masks the provider's key in whole lines of its answer.
    private func redacted(_ bytes: ByteBuffer) -> ByteBuffer {
        guard let key = upstreams.provider?.configuration.key, key.occurs(in: bytes) else { return bytes }
        return ByteBuffer(string: key.redacting(String(buffer: bytes)))
    }

    /// Reads the error of another provider. Some repeat the key, or parts of it, in errors.
    func readError(_ head: UpstreamResponseHead) {
        guard !machine.hasEnded, let provider = upstreams.provider else { return }
        guard head.status != 401, head.status != 403 else {
            let text = "provider \"\(provider.configuration.name)\" refused its key"
            return fail(UpstreamError(.status, text, status: head.status))
        }
        let (loop, bound) = (context.eventLoop, bound)
        let goOn = { @Sendable (result: Result<ByteBuffer?, UpstreamError>) in
            loop.execute {
                let exchange = bound.value
                if exchange.keepError(result) { exchange.readError(head) } else { exchange.endError(head) }
            }
        }
        while let result = upstream?.takeBytes(orWait: goOn) {
            guard keepError(result) else { return endError(head) }
        }
    }

    /// Keeps a part of the error. Returns whether more may follow.
    private func keepError(_ result: Result<ByteBuffer?, UpstreamError>) -> Bool {
        guard case .success(var chunk?) = result,
            providerError.readableBytes + chunk.readableBytes <= ForwardedProvider.errorLimit
        else { return false }
        providerError.writeBuffer(&chunk)
        return true
    }

    /// Passes on the error as the provider wrote it, without its key.
    private func endError(_ head: UpstreamResponseHead) {
        guard let provider = upstreams.provider, machine.headCame() else { return }
        facts.answered()
        let text = provider.configuration.key.redacting(String(buffer: providerError))
        var fields = HTTPFields()
        for (name, value) in head.headers {
            let isFraming = ["content-length", "transfer-encoding", "content-encoding"].contains(name.lowercased())
            if let name = HTTPField.Name(name), !isFraming, ProxyHeaders.crosses(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        fields[.requestID] = requestID
        writeWhole(
            ByteBuffer(string: text), .init(code: head.status), fields[.contentType] ?? "application/json", fields)
        if let ending = machine.answerEnded() { end(ending) }
    }

    // MARK: Lists

    /// Requests the lists of all endpoints and answers with the merged list.
    func makeList() {
        guard let catalogue else { return }
        let (loop, bound) = (context.eventLoop, bound)
        // The gateway's own pages load and delete what Ollama lists.
        let hidden = request.path == "/api/tags" && isOwnPage ? proxy.providerNames : []
        wait { [upstreams, access = proxy.access, identity, ownModels] in
            let list = await upstreams.list(catalogue)
            let others =
                identity.grant.models.isEmpty && hidden.isEmpty
                ? list
                : catalogue.shortened(list) { name in
                    let isHidden = RemoteProvider.split(name).map { hidden.contains($0.provider) } ?? false
                    return !isHidden && access.allows(name, to: identity)
                }
            let result = await ownModels.added(to: others, catalogue, for: identity)
            loop.hop { bound.value.passOn(result) }
        }
    }

    private func passOn(_ list: Result<ByteBuffer, UpstreamError>) {
        let body: ByteBuffer
        switch list {
        case .success(let bytes): body = bytes
        case .failure(let error): return fail(error)
        }
        guard let ending = machine.listMade() else { return }
        writeWhole(body, .ok, request.path.hasPrefix("/v1/") ? "application/json" : "application/json; charset=utf-8")
        end(ending)
    }

    // MARK: Failures

    /// Answers with an error. If the response has begun, ends it in the way of its framing.
    func fail(_ error: any Error) {
        guard let ending = machine.failed() else { return }
        upstream?.cancel()
        let error = proxy.reports.describe(error, path: request.path)
        facts.error = error.code.rawValue
        let shape = ErrorBody(path: request.path)
        let json = shape.json(error)
        if ending.kind == .respond {
            var fields: HTTPFields = [.requestID: requestID]
            fields.replace(with: error.headers)
            writeWhole(json, error.status, "application/json; charset=utf-8", fields)
            return end(ending)
        }
        facts.isBroken = true
        guard let last = answer.ending(json, isNamed: shape.isAnthropic) else {
            release(ending)
            // Closing drops unflushed bytes.
            context.flush()
            context.close(promise: nil)
            return
        }
        response.write(last)
        end(ending)
    }

    // MARK: Writing

    /// Writes a complete response except its end.
    private func writeWhole(
        _ body: ByteBuffer, _ status: HTTPResponse.Status, _ contentType: String, _ more: HTTPFields = [:]
    ) {
        var fields: HTTPFields = [.contentType: contentType, .contentLength: String(body.readableBytes)]
        fields.replace(with: more)
        writeHead(HTTPResponse(status: status, headerFields: fields))
        write(body)
    }

    private func writeHead(_ head: HTTPResponse) {
        // The client asked for a close, or still waits to send the body that it announced.
        let closes = request.framing.closes || machine.owesContinue
        response.begin(head, to: request.head, closes: closes, proxy.reports.observer.settings.current.origins)
    }

    /// Ends the response, and the connection if necessary.
    private func end(_ ending: ProxyStateMachine.Ending) {
        release(ending)
        guard response.closes else {
            response.end()
            signal(.resume)
            return signal(.ended)
        }
        // Closing drops unsent bytes, so the close follows the last byte.
        let (loop, bound) = (context.eventLoop, bound)
        let sent = loop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in bound.value.signal(.closing) }
        signal(.resume)
        response.end(sent)
    }
}

extension OwnModels? {
    /// A list of other models with these behind them.
    fileprivate func added(
        to list: CatalogueCache.List, _ catalogue: MergedCatalogue, for identity: Identity
    ) async -> CatalogueCache.List {
        guard let own = self, case .success(let others) = list else { return list }
        let names = await own.names(catalogue.names(in: others, chatOnly: true), identity)
        return .success(catalogue.adding(names, to: others))
    }
}
