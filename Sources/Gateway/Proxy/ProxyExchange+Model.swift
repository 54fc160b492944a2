import HTTPTypes
import NIOCore
import Storage
import Upstream

/// The model of a request: found only when something depends on it, so that other bodies pass unread.
extension ProxyExchange {
    /// Bytes of a body that are collected to fill in a model's defaults. A larger one goes on without them.
    static let rewriteLimit = 8 << 20

    var path: String { String((head.path ?? "/").prefix { $0 != "?" }) }

    /// Whether the key's terms depend on the model.
    private var isRestricted: Bool { kind == .inference && !identity.grant.models.isEmpty }

    /// Begins to look for the model if anything depends on it. The identity is known now.
    func beginToPeek() {
        guard kind == .inference || (kind == .catalogue && head.method == .post) else { return }
        guard isRestricted || !proxy.pool.isSingle || !proxy.rules.isEmpty || proxy.shield != nil else { return }
        var peek = ModelPeek()
        peek.push(collected)
        self.peek = peek
        collectLimit = ModelPeek.limit
        // What had come before the key was known may have filled the smaller limit.
        handler.setUploadIsFull(collected.readableBytes > collectLimit, context)
    }

    /// Looks at a part of the body; returns whether the request may go on.
    ///
    /// A body that goes out while it comes is watched to its end where the key lists models: Ollama takes the last name
    /// that it gives, and acts only on a whole body.
    func look(at bytes: ByteBuffer) -> Bool {
        guard peek != nil else { return true }
        guard asked == nil || isRestricted else { return true }
        peek?.push(bytes)
        guard let asked, let finding = peek?.finding, finding != asked.name.map(ModelPeek.Finding.model) else {
            return true
        }
        fail(modelRefusal(finding))
        return false
    }

    /// Decides on the model, now that the body is whole or long enough; returns whether the request may go on.
    func settleModel() -> Bool {
        guard let peek, asked == nil else { return true }
        var finding = peek.finding
        if let encoding = head.headerFields[.contentEncoding], encoding.lowercased() != "identity" {
            finding = .unreadable
        }
        if case .model(let name) = finding, !requestEnded, !peek.isComplete, collectLimit < Self.rewriteLimit,
            ModelRequest.optionRoutes.contains(path),
            proxy.rules.defaults(for: proxy.rules.resolve(name)) != nil
        {
            collectLimit = Self.rewriteLimit
            handler.setUploadIsFull(false, context)
            return false
        }
        if isRestricted {
            guard case .model(let name) = finding, isAllowed(name) else {
                fail(modelRefusal(finding))
                return false
            }
        }
        var asked = ModelRequest(path: path, body: collected, peek: peek, rules: proxy.rules)
        if finding == .unreadable { asked = ModelRequest(path: path, body: collected, peek: ModelPeek(), rules: .none) }
        self.asked = asked
        trace.model = asked.name
        collected = asked.body
        if !isRestricted { self.peek = nil }
        return true
    }

    private func isAllowed(_ name: String) -> Bool { proxy.authentication.keys.allows(model: name, to: identity) }

    private func modelRefusal(_ finding: ModelPeek.Finding) -> GatewayError {
        let keys = proxy.authentication.keys
        if case .model(let name) = finding, asked == nil || !isAllowed(name) {
            return keys.refuse(identity, .modelNotAllowed(name, allowed: identity.grant.models))
        }
        return keys.refuse(
            identity,
            GatewayError(
                .forbidden, .modelNotAllowed,
                "this key may use certain models only, and the request's model cannot be told: it is to be a JSON object "
                    + "with one \"model\" within its first \(ModelPeek.limit >> 20) MiB",
                headers: [.connection: "close"]))
    }

    // MARK: Tokens

    /// The headers for the upstream. The answer to a key with a number of tokens has to come unpacked, to be counted.
    var upstreamHeaders: [(name: String, value: String)] {
        let headers = ProxyHeaders.forUpstream(head.headerFields)
        guard kind == .inference, identity.grant.tokensPerDay != nil else { return headers }
        return headers.filter { $0.name.lowercased() != "accept-encoding" }
    }

    /// Begins to count what an answer costs its key.
    func beginToCount(_ head: UpstreamResponseHead) {
        guard kind == .inference, head.status == 200 else { return }
        tokens = AnswerTokens(path: path, requestBytes: receivedBytes)
    }

    /// Charges what was counted; an answer that was cut is charged as far as it came.
    func chargeTokens() {
        guard let counted = tokens else { return }
        tokens = nil
        let isStream = if case .bytes = framing { false } else { true }
        let count = counted.count(isStream: isStream, isWhole: isWhole)
        (trace.promptTokens, trace.generatedTokens) = (count.prompt, count.completion)
        proxy.authentication.keys.recordTokens(identity, prompt: count.prompt, completion: count.completion)
    }
}
