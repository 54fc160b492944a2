import Access
import HTTPTypes
import Inference
import NIOCore
import NIOHTTPTypes
import Server
import Storage
import Transport

/// Lists that are made of those of all endpoints, or shortened to the models that a key may use.
extension ProxyExchange {
    /// Whether the answer is made here. With one endpoint, no aliases and a key for all models it passes as it comes.
    var isMerged: Bool { catalogue != nil }

    private var catalogue: MergedCatalogue? {
        guard kind == .catalogue, head.method == .get || head.method == .head else { return nil }
        // What is in memory is told under its real name.
        let hasAliases = !proxy.rules.aliases.isEmpty && path != "/api/ps"
        guard !proxy.pool.isSingle || hasAliases || !identity.grant.models.isEmpty else { return nil }
        return MergedCatalogue(path: path)
    }

    /// Asks all endpoints and answers with one list.
    func answerMerged() {
        guard let catalogue else { return }
        let (loop, bound) = (context.eventLoop, bound)
        let aliases = catalogue.path == "/api/ps" ? [:] : proxy.rules.aliases
        waiting = Proxy.runAtOnce { [proxy, identity] in
            let list = await proxy.catalogues.list(catalogue.path) {
                await catalogue.list(of: proxy.pool, aliases: aliases)
            }
            let result =
                identity.grant.models.isEmpty
                ? list : catalogue.shortened(list) { proxy.authentication.keys.allows(model: $0, to: identity) }
            loop.hop { bound.value.answer(result) }
        }
    }

    private func answer(_ result: Result<ByteBuffer, UpstreamError>) {
        guard !responseEnded else { return }
        let body: ByteBuffer
        switch result {
        case .success(let list): body = list
        case .failure(let error): return fail(error)
        }
        let isV1 = failure.path.hasPrefix("/v1/")
        begin(
            HTTPResponse(
                status: .ok,
                headerFields: [
                    .contentType: isV1 ? "application/json" : "application/json; charset=utf-8",
                    .contentLength: String(body.readableBytes),
                ]))
        if head.method != .head { write(.body(body)) }
        end()
    }
}
