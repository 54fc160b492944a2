import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import NIOCore
import Server
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `POST /api/llm/generate`: returns one answer as JSON, or streams Ollama's answer as NDJSON or SSE.
struct GenerateRoute: Sendable {
    let upstream: OllamaUpstream
    let admission: Admission
    let observer: RequestObserver
    let providers: [RemoteProvider]
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let bytes = try await JSONRequest.bytes(of: request, limit: bodyLimit, in: context)
        let generate = try JSONRequest.decode(GenerateRequest.self, from: bytes, unknown: .ignored)
        let defaultModel = observer.settings.current.generateModel
        let body = try Self.upstreamBody(for: generate, written: bytes, defaultModel: defaultModel)
        let model = generate.model ?? defaultModel
        try context.requireModel(model)
        try checkProvider(of: model)
        context.trace.use(model: model)
        observer.logPrompt(
            generate.prompt, route: "/api/llm/generate", logger: context.logger)
        return generate.stream == true
            ? try await stream(body, of: model, request, context) : try await answer(body, of: model, context)
    }

    /// Rejects a model of another provider.
    private func checkProvider(of model: String) throws(GatewayError) {
        guard let name = RemoteProvider.split(model)?.provider,
            let provider = providers.first(where: { $0.configuration.name == name })
        else { return }
        let forwarded = ForwardedProvider(configuration: provider.configuration)
        throw GatewayError.field("model", forwarded.misfit(model, at: "/api/llm/generate"))
    }

    private func answer(_ body: ByteBuffer, of model: String, _ context: GatewayRequestContext) async throws -> Response
    {
        let caller = context.identity.caller.wanting(model, size: body.readableBytes)
        let trace = context.trace
        let whole = try await context.client.whilePresent { [upstream, admission, bodyLimit] in
            trace.queue()
            let permit = try await admission.acquire(caller, placed: { trace.queued(at: $0, now: $1) })
            defer { permit.release() }
            trace.granted(permit)
            return try await Self.chargingDeparture(body, context) {
                let response = try await upstream.generate(body: body)
                trace.upstreamAnswered()
                return try await response.body.collect(upTo: max(bodyLimit, 16 << 20))
            }
        }
        var tokens = AnswerTokens(path: "/api/generate", requestBytes: body.readableBytes, form: .whole)
        tokens.push(whole)
        let count = tokens.count(isWhole: true)
        let answer: OllamaAnswer
        do {
            answer = try JSONDecoder().decode(OllamaAnswer.self, from: Data(whole.readableBytesView))
        } catch {
            throw GatewayError(
                .badGateway, .init(rawValue: "upstream_invalid_response"), "Ollama's answer is not the JSON expected")
        }
        if let message = answer.error {
            throw GatewayError(.badGateway, .init(rawValue: "upstream_error"), message)
        }
        guard answer.response != nil else {
            throw GatewayError(
                .badGateway, .init(rawValue: "upstream_invalid_response"), "Ollama's answer has no \"response\"")
        }
        let reply = answer.reply
        if let load = answer.load_duration, load > 0 { trace.loaded(in: .nanoseconds(Int64(min(load, 1e15)))) }
        context.recordTokens(prompt: count.prompt, completion: count.completion)
        return JSONReply.response(reply)
    }

    private func stream(
        _ body: ByteBuffer, of model: String, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> Response {
        let caller = context.identity.caller.wanting(model, size: body.readableBytes)
        let trace = context.trace
        let (response, permit) = try await context.client.whilePresent { [upstream, admission] in
            trace.queue()
            let permit = try await admission.acquire(caller, placed: { trace.queued(at: $0, now: $1) })
            trace.granted(permit)
            let response = try await Self.chargingDeparture(body, context) { try await upstream.generate(body: body) }
            trace.upstreamAnswered()
            return (response, permit)
        }
        let stream = GenerateStream(
            response: response, permit: permit,
            asEvents: request.headers[.accept]?.contains("text/event-stream") == true, client: context.client,
            trace: trace, requestBytes: body.readableBytes,
            recordTokens: { context.recordTokens(prompt: $0, completion: $1) })
        return stream.response(logger: context.logger)
    }

    /// Waits for the upstream. A client that leaves meanwhile is charged for its prompt, because Ollama worked on it.
    private static func chargingDeparture<Value: Sendable>(
        _ body: ByteBuffer, _ context: GatewayRequestContext, _ operation: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await operation()
        } catch {
            if Task.isCancelled {
                context.recordTokens(
                    prompt: AnswerTokens.estimate(requestBytes: body.readableBytes), completion: 0)
            }
            throw error
        }
    }

    /// Ollama's request: the client's fields, with `temperature` moved into `options` and the default model filled in.
    ///
    /// - Parameter written: The client's body. A schema in it goes on as it is: a model follows the order of its properties.
    static func upstreamBody(
        for request: GenerateRequest, written: [UInt8], defaultModel: String
    ) throws -> ByteBuffer {
        var options = request.options ?? [:]
        if let temperature = request.temperature {
            guard temperature.isFinite, temperature >= 0 else {
                throw GatewayError.field("temperature", "must be 0 or more")
            }
            options["temperature"] = .number(temperature)
        }
        if let model = request.model, model.isEmpty { throw GatewayError.field("model", "must not be empty") }
        switch request.keepAlive {
        case nil, .string, .integer, .number: break
        default: throw GatewayError.field("keep_alive", "expected seconds or a duration such as \"5m\"")
        }
        switch request.format {
        case nil, .string, .object: break
        default: throw GatewayError.field("format", "expected \"json\" or a JSON schema")
        }
        var members: [(name: String, value: JSONValue)] = [
            ("model", .string(request.model ?? defaultModel)), ("prompt", .string(request.prompt)),
            ("stream", .bool(request.stream ?? false)),
        ]
        if let system = request.system { members.append(("system", .string(system))) }
        if let format = request.format { members.append(("format", format)) }
        if !options.isEmpty { members.append(("options", .object(options))) }
        if let keepAlive = request.keepAlive { members.append(("keep_alive", keepAlive)) }
        if let think = request.think { members.append(("think", think)) }
        if let images = request.images { members.append(("images", .array(images.map(JSONValue.string)))) }
        var sources: [String: ArraySlice<UInt8>] = [:]
        if case .object? = request.format { sources["format"] = JSONRequest.source(of: "format", in: written) }
        return ByteBuffer(
            bytes: JSONBytes.object(members, sources: sources, reserving: request.prompt.utf8.count + 4096))
    }
}

/// The members of Ollama's answer that the gateway's reply needs.
private struct OllamaAnswer: Decodable {
    var model: String?
    var response: String?
    var thinking: String?
    var done_reason: String?
    var total_duration: Double?
    var load_duration: Double?
    var prompt_eval_count: Int?
    var prompt_eval_duration: Double?
    var eval_count: Int?
    var eval_duration: Double?
    var error: String?

    var reply: GenerateResponse {
        func milliseconds(_ nanoseconds: Double?) -> Double { ((nanoseconds ?? 0) / 1e4).rounded() / 1e2 }
        return GenerateResponse(
            response: response ?? "", model: model ?? "",
            usage: .init(
                promptTokens: prompt_eval_count ?? 0, completionTokens: eval_count ?? 0,
                durationsMilliseconds: .init(
                    total: milliseconds(total_duration), load: milliseconds(load_duration),
                    prompt: milliseconds(prompt_eval_duration), generation: milliseconds(eval_duration))),
            doneReason: done_reason, thinking: thinking)
    }
}
