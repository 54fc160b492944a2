import Access
import Foundation
import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import KeyRoom
import NIOCore
import Logging
import Server
import Transport

/// Answers requests for a provider's models in a protocol that the provider does not speak, and for aliases of several models.
///
/// They come from the proxy, which authenticated and admitted them. Requests in the provider's own protocol never come
/// here: the proxy passes them on unchanged.
struct TranslationRoutes: Sendable {
    /// The largest body of a request, in bytes. Pictures are part of it.
    static let bodyLimit = 32 << 20

    private let ollama: any ChatProvider
    private let admission: Admission
    private let providers: [String: RemoteProvider]
    private let rules: ModelRules
    private let observer: RequestObserver

    /// - Parameter rules: Tell which model an alias means.
    init(
        ollama: any ChatProvider, _ admission: Admission, providers: [RemoteProvider], rules: ModelRules,
        observer: RequestObserver
    ) {
        (self.ollama, self.admission) = (ollama, admission)
        self.providers = Dictionary(providers.map { ($0.configuration.name, $0) }) { first, _ in first }
        (self.rules, self.observer) = (rules, observer)
    }

    /// Adds the routes to the router of requests that were handed over.
    func add(to router: GatewayRouter) {
        for form in ChatProtocol.allCases {
            router.add(.post, form.path, .open) { try await answer(form, $0, $1) }
        }
        router.add(.post, "/api/show", .open, show)
        router.add(.get, "/v1/models/**", .open, describe)
    }

    // MARK: Answers

    private func answer(
        _ form: ChatProtocol, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> Response {
        let started = ContinuousClock.now
        let bytes = try await JSONRequest.bytes(of: request, limit: Self.bodyLimit, in: context)
        var asked = try Self.read(try JSONRequest.document(parsing: bytes), form)
        let name = asked.request.model
        var targets = try targets(of: name, for: context)[...]
        context.trace.use(model: name)
        observer.logPrompt(String(decoding: bytes, as: UTF8.self), route: form.path, logger: context.logger)
        let now = Date.now
        func head(_ model: String) -> AnswerHead {
            AnswerHead(
                id: RequestIDMiddleware.fresh(), model: model, created: Int64(now.timeIntervalSince1970),
                createdText: now.formatted(.iso8601))
        }
        if let reason = asked.onlyLoads {
            let loaded = OllamaAnswer(head(name), isChat: form == .ollamaChat).loaded(reason)
            return JSONReply.response(json: ByteBuffer(bytes: loaded))
        }
        let isChain = targets.count > 1
        asked.request.streamsCalls = asked.streams
        while let target = targets.popFirst() {
            let isLast = targets.isEmpty
            if let ability = target.lacks(asked.request) {
                guard isLast else { continue }
                throw GatewayError.field(
                    form.field(of: ability),
                    "models of \"\(target.chat.name)\" have no \(ability.rawValue); leave it out")
            }
            if !isLast, target.isBusy { continue }
            asked.request.model = target.model
            let answer = TranslatedAnswer(
                target: target, asked: asked.request,
                writer: form.writer(head(isChain ? target.name : name), for: asked),
                errors: ErrorBody(path: form.path), started: started, requestBytes: bytes.count,
                fallsBack: !isLast, context: context, observer: observer)
            do {
                var response = try await answer.response(streams: asked.streams)
                if isChain {
                    response.headers[.seleneModel] = target.name
                    context.trace.use(model: target.name)
                }
                return response
            } catch let error as UpstreamError where !isLast && error.code != .cancelled {
                context.logger.warning(
                    "a model cannot answer; the next one of the alias is asked",
                    metadata: ["alias": "\(name)", "model": "\(target.name)", "error": "\(error)"])
            }
        }
        throw Self.unknown(name)
    }

    /// The models that a name stands for and that the key may use, in the order in which they are asked.
    ///
    /// A key for an alias may use each of its models; a key for some of them, these.
    private func targets(of name: String, for context: GatewayRequestContext) throws(GatewayError) -> [AnswerTarget] {
        let chain = rules.chain(of: name)
        guard chain.count > 1 else {
            let (provider, model) = try find(name)
            return [AnswerTarget(name, model, of: provider)]
        }
        let allowed = context.identity.grant.models.map(ModelName.canonical)
        let isFree = allowed.isEmpty || allowed.contains(ModelName.canonical(name))
        let targets = chain.compactMap { model -> AnswerTarget? in
            guard isFree || context.keys?.allows(model: model, to: context.identity) == true else { return nil }
            if let (prefix, rest) = RemoteProvider.split(model), let provider = providers[prefix] {
                return AnswerTarget(model, rest, of: provider)
            }
            return AnswerTarget(model, of: ollama, admission)
        }
        guard !targets.isEmpty else { throw Self.unknown(name) }
        return targets
    }

    private static func unknown(_ name: String) -> GatewayError {
        GatewayError(.notFound, .init(rawValue: "model_not_found"), "model \"\(name)\" not found")
    }

    private static func read(_ document: JSONDocument, _ form: ChatProtocol) throws(GatewayError) -> ClientRequest {
        do throws(RequestFault) {
            return try form.read(document)
        } catch {
            guard !error.field.isEmpty else { throw GatewayError(.badRequest, .invalidJSON, error.reason) }
            throw GatewayError.field(error.field, error.reason)
        }
    }

    /// The provider of a model, and the model's name there.
    private func find(_ name: String) throws(GatewayError) -> (provider: RemoteProvider, model: String) {
        guard let (prefix, model) = RemoteProvider.split(rules.resolve(name)), let provider = providers[prefix] else {
            throw Self.unknown(name)
        }
        return (provider, model)
    }

    // MARK: Models

    /// What a model can do, in Ollama's form.
    private func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let bytes = try await JSONRequest.bytes(of: request, limit: ProxyPolicy.catalogueBodyLimit, in: context)
        let body = try JSONRequest.document(parsing: bytes).root
        let (provider, model) = try find(body["model"]?.text ?? body["name"]?.text ?? "")
        let found = try await context.client.whilePresent { try await provider.chat.capabilities(of: model) }
        var card = OllamaModelCard(family: provider.configuration.name)
        card.contextTokens = found.contextTokens
        if found.tools { card.capabilities.append("tools") }
        if found.thinking { card.capabilities.append("thinking") }
        if provider.configuration.dialect.sees { card.capabilities.append("vision") }
        return JSONReply.response(json: ByteBuffer(bytes: card.json))
    }

    /// A model in OpenAI's form.
    private func describe(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let path = request.uri.path.dropFirst("/v1/models/".count)
        let name = String(path).removingPercentEncoding ?? String(path)
        let provider = try find(name).provider
        return JSONReply.response(
            json: ByteBuffer(
                bytes: JSONWriter.object {
                    $0.member("id", name)
                    $0.member("object", "model")
                    $0.member("created", 0)
                    $0.member("owned_by", provider.configuration.name)
                }))
    }
}
