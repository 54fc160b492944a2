import Access
import HTTPTypes
import Inference
import NIOCore
import Server
import Storage
import Transport

/// The model of a request: found only when something depends on it, so that other bodies pass unread.
extension ProxyExchange {
    /// Bytes of a body that are collected to fill in a model's defaults. A larger one goes on without them.
    static let rewriteLimit = 8 << 20

    package var path: String { String((head.path ?? "/").prefix { $0 != "?" }) }

    /// Whether the key's list of models decides about the body.
    private var isRestricted: Bool {
        !identity.grant.models.isEmpty && ProxyPolicy.namesModel(path, kind)
    }

    /// Begins to look for the model if anything depends on it. The identity is known now.
    func beginToPeek() {
        guard ProxyPolicy.namesModel(path, kind) else { return }
        let dependsOnModel = !proxy.pool.isSingle || !proxy.rules.isEmpty || proxy.shield != nil
        guard isRestricted || (kind != .administration && dependsOnModel) else { return }
        var peek = ModelPeek()
        peek.push(collected)
        self.peek = peek
        collectLimit = ModelPeek.limit
        // What had come before the key was known may have filled the smaller limit.
        handler.setUploadIsFull(collected.readableBytes > collectLimit, context)
    }

    /// Looks at a part of the body; returns whether the request may go on.
    ///
    /// A body that goes out while it comes is watched to its end where the key lists models: what comes later must not
    /// name another one, and Ollama acts only on a whole body.
    func look(at bytes: ByteBuffer) -> Bool {
        guard peek != nil else { return true }
        guard asked == nil || isRestricted else { return true }
        peek?.push(bytes)
        guard asked != nil, let agreement = peek?.agreement(at: path), agreement != agreed else { return true }
        fail(refusal(of: agreement) ?? unclearModel)
        return false
    }

    /// Decides on the model, now that the body is whole or long enough; returns whether the request may go on.
    func settleModel() -> Bool {
        if !identity.grant.models.isEmpty, let name = namedModel, !mayName(name) {
            fail(notAllowed(name))
            return false
        }
        guard let peek, asked == nil else { return true }
        let finding = isEncoded ? .unreadable : peek.finding
        if case .model(let name) = finding, !requestEnded, !peek.isComplete, collectLimit < Self.rewriteLimit,
            ModelRequest.optionRoutes.contains(path),
            proxy.rules.defaults(for: proxy.rules.resolve(name)) != nil
        {
            collectLimit = Self.rewriteLimit
            handler.setUploadIsFull(false, context)
            return false
        }
        let isCutOff = requestEnded && !peek.isComplete
        let agreement = isEncoded || isCutOff ? .unreadable : peek.agreement(at: path)
        if isRestricted {
            if let refusal = refusal(of: agreement) {
                fail(refusal)
                return false
            }
            agreed = agreement
        } else if !proxy.rules.isEmpty, !isEncoded, peek.repeatsModel(at: path) {
            fail(
                GatewayError(
                    .badRequest, .invalidField, "field \"model\": is given more than once; send it once",
                    headers: [.connection: "close"]))
            return false
        }
        let rules = kind == .administration ? ModelRules.none : proxy.rules
        var asked = ModelRequest(path: path, body: collected, peek: peek, rules: rules)
        if finding == .unreadable { asked = ModelRequest(path: path, body: collected, peek: ModelPeek(), rules: .none) }
        self.asked = asked
        trace.model = asked.name
        collected = asked.body
        if !isRestricted { self.peek = nil }
        return true
    }

    /// Whether the body is in a form that only the upstream can unpack.
    private var isEncoded: Bool {
        if let encoding = head.headerFields[.contentEncoding], encoding.lowercased() != "identity" { return true }
        return head.headerFields[.contentType]?.lowercased().contains("multipart") == true
    }

    private func mayName(_ name: String) -> Bool { proxy.authentication.keys.allows(model: name, to: identity) }

    private func notAllowed(_ name: String) -> GatewayError {
        GatewayError(
            proxy.authentication.keys.refuse(
                identity, AccessRefusal.modelNotAllowed(name, allowed: identity.grant.models)))
    }

    /// Why the key may not send a body; nil when it may.
    private func refusal(of agreement: ModelPeek.Agreement) -> GatewayError? {
        guard case .models(let names) = agreement else { return unclearModel }
        return names.first { !mayName($0) }.map(notAllowed)
    }

    private var unclearModel: GatewayError {
        proxy.authentication.keys.refuse(
            identity,
            GatewayError(
                .forbidden, .modelNotAllowed,
                "this key may use certain models only, and the body has to say which one to every server alike: send one "
                    + "plain JSON object that names the model once, as the API spells it, within its first "
                    + "\(ModelPeek.limit >> 20) MiB",
                headers: [.connection: "close"]))
    }

    // MARK: Tokens

    /// The headers for the upstream. The answer to a key with a number of tokens has to come unpacked, to be counted. A
    /// body in which a key's model was read as JSON goes on as JSON, so that no server reads a form in it.
    var upstreamHeaders: [(name: String, value: String)] {
        var headers = ProxyHeaders.forUpstream(head.headerFields)
        if kind == .inference, identity.grant.tokensPerDay != nil {
            headers.removeAll { $0.name.lowercased() == "accept-encoding" }
        }
        if agreed != nil {
            headers.removeAll { $0.name.lowercased() == "content-type" }
            headers.append(("Content-Type", "application/json"))
        }
        return headers
    }

    /// Begins to count what an answer costs its key.
    func beginToCount(_ head: UpstreamResponseHead) {
        guard kind == .inference, head.status == 200 else { return }
        let form: AnswerTokens.Form =
            switch ProxyFraming(contentType: head["Content-Type"]) {
            case .bytes: .whole
            case .ndjson: .lines
            case .serverSentEvents: .events
            }
        tokens = AnswerTokens(path: path, requestBytes: receivedBytes, form: form)
    }

    /// Charges what was counted; an answer that was cut is charged as far as it came, and one that a client did not wait
    /// for as far as the prompt.
    func chargeTokens() {
        let count: (prompt: Int, completion: Int)
        if let counted = tokens {
            tokens = nil
            count = counted.count(isWhole: isWhole)
        } else if trace.isCancelled, !hasBegunResponse, kind == .inference, use != nil {
            count = (AnswerTokens.estimate(requestBytes: receivedBytes), 0)
        } else {
            return
        }
        (trace.promptTokens, trace.generatedTokens) = (count.prompt, count.completion)
        proxy.authentication.keys.recordTokens(identity, prompt: count.prompt, completion: count.completion)
    }
}
