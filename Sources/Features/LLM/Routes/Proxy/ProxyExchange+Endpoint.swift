import Foundation
import HTTPTypes
import Inference
import NIOCore
import Server
import Transport

/// The way of a request to one of the endpoints, and to another one when the first fails before it has answered.
extension ProxyExchange {
    /// The path for the upstream, with the query: an alias in `/v1/models/:id` gives way to the real name.
    var upstreamPath: String {
        let target = head.path ?? "/"
        guard let name = namedModel else { return target }
        let real = proxy.rules.resolve(name)
        guard real != name else { return target }
        return "/v1/models/\(real)" + target.drop { $0 != "?" }
    }

    /// The model in the path of `/v1/models/:id`.
    var namedModel: String? {
        guard kind == .catalogue, let path = head.path, path.hasPrefix("/v1/models/") else { return nil }
        let name = path.dropFirst("/v1/models/".count).prefix { $0 != "?" }
        // What cannot be decoded is no model's name, and has to be one that a key may use all the same.
        return String(name).removingPercentEncoding ?? String(name)
    }

    /// The model that the choice of an endpoint depends on.
    private var model: String? { asked?.model ?? namedModel.map(proxy.rules.resolve) }

    /// Sends the request to the next endpoint.
    func tryNext() {
        do throws(GatewayError) {
            guard let use = try takeEndpoint() else {
                return fail(UpstreamError(.shuttingDown, "there is no upstream"))
            }
            attempt(use)
        } catch {
            fail(error)
        }
    }

    private func takeEndpoint() throws(GatewayError) -> EndpointUse? {
        guard kind == .administration else { return another }
        // What a model's owner does is for one endpoint: the one that they name, or the first.
        guard let name = head.headerFields[.seleneUpstream] else {
            return proxy.pool.endpoints.first.map { proxy.pool.take($0) }
        }
        guard let endpoint = proxy.pool.endpoint(named: name) else {
            let names = proxy.pool.endpoints.map(\.name).joined(separator: ", ")
            throw GatewayError(
                .badRequest, .invalidField, "there is no upstream \"\(name)\" (X-Selene-Upstream); known: \(names)")
        }
        return proxy.pool.take(endpoint)
    }

    private func attempt(_ next: EndpointUse) {
        use?.end()
        use = next
        tried.append(next.endpoint)
        guard let shield = proxy.shield, let model, next.endpoint.hasToLoad(model), let asked, kind == .inference else {
            return send(by: next)
        }
        let (loop, bound, path) = (context.eventLoop, bound, path)
        waiting = Proxy.runAtOnce {
            await shield.load(model, at: next.endpoint, by: asked.load(path: path))
            loop.hop { bound.value.send(by: next) }
        }
    }

    private func send(by use: EndpointUse) {
        guard !responseEnded, let request = outgoing else { return }
        // A body is kept for another try only where there may be one.
        if proxy.pool.isSingle { outgoing = nil }
        do {
            let upstream = try use.endpoint.start(request)
            self.upstream = upstream
            let (loop, bound) = (context.eventLoop, bound)
            upstream.whenHead { result in loop.execute { bound.value.receive(result, by: use) } }
        } catch {
            receive(.failure(error), by: use)
        }
    }

    private func receive(_ result: Result<UpstreamResponseHead, UpstreamError>, by use: EndpointUse) {
        guard !responseEnded, use === self.use else { return }
        use.report(result.map(\.status))
        if let next = retry(after: result) {
            upstream?.cancel()
            upstream = nil
            return attempt(next)
        }
        outgoing = nil
        switch result {
        case .failure(let error): fail(error)
        case .success(let head):
            beginToCount(head)
            accept(head)
        }
    }

    /// Another endpoint for a request that is whole in memory and that the first did not answer.
    private func retry(after result: Result<UpstreamResponseHead, UpstreamError>) -> EndpointUse? {
        guard upload == nil, outgoing != nil, kind != .administration else { return nil }
        switch result {
        case .failure(let error): guard error.mayRetryElsewhere else { return nil }
        case .success(let head):
            guard head.status >= 400, proxy.pool.mayRetry(head.status, model: model, after: tried) else { return nil }
        }
        return another
    }

    /// An endpoint that was not tried yet. Vectors come from the same weights each time.
    private var another: EndpointUse? {
        let isEmbedding = kind == .inference && !proxy.pool.isSingle && head.path?.contains("/embed") == true
        return proxy.pool.take(model: model, isSameEverywhere: isEmbedding, after: tried)
    }

    /// Lets go of the endpoint, and charges what the answer cost.
    func releaseEndpoint() {
        chargeTokens()
        let endpoint = use?.endpoint
        use?.end()
        if kind == .administration, !proxy.pool.isSingle, head.method != .head, isWhole, !path.hasPrefix("/api/blobs/")
        {
            // What was pulled or deleted is found at once.
            endpoint?.forgetModels()
            proxy.catalogues.forget()
            Task { [pool = proxy.pool] in await pool.probe() }
        }
        use = nil
        outgoing = nil
        asked = nil
        peek = nil
    }
}
