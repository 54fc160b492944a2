import Access
import ChatRoom
import Foundation
import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import NIOCore
import Prompts
package import Server

/// Answers requests of model APIs for the gateway's own models: each is a question to the notes, as a run.
///
/// They come from the proxy, which admitted them. A client that leaves stops its run.
package struct NotesModelRoutes: Sendable {
    /// The largest body of a request, in bytes.
    private static let bodyLimit = 1 << 20
    /// The longest text that a client's program tells the model, in UTF-8 bytes.
    private static let instructionBytes = 16 << 10

    let service: ChatService
    let models: NotesModels
    /// Whether the gateway itself speaks TLS.
    let isEncrypted: Bool

    package init(service: ChatService, models: NotesModels, isEncrypted: Bool) {
        (self.service, self.models, self.isEncrypted) = (service, models, isEncrypted)
    }

    /// Adds the routes to the router of requests that were handed over.
    package func add(to router: GatewayRouter) {
        router.add(.post, "/api/chat", .open, answer(OllamaForm.self))
        router.add(.post, "/api/generate", .open, answer(OllamaForm.self))
        router.add(.post, "/v1/chat/completions", .open, answer(CompletionsForm.self))
        router.add(.post, "/v1/responses", .open, answer(ResponsesForm.self))
        router.add(.post, "/v1/messages", .open, answer(MessagesForm.self))
        router.add(.post, "/api/show", .open, show)
        router.add(.get, "/v1/models/**", .open, describe)
    }

    // MARK: Models

    /// What a client may know of a model, in Ollama's form.
    private func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(
            JSONValue.self, from: request, limit: Self.bodyLimit, in: context, unknown: .ignored)
        try context.requireScope(.notesRead)
        let name = body.member("model") ?? body.member("name") ?? ""
        let choice = try await models.choice(of: name)
        let (provider, model) = service.engine.providers.resolve(choice.model)
        let found = try await context.client.whilePresent { try? await provider.capabilities(of: model) }
        var card = OllamaModelCard(family: "selene")
        if found?.tools == true { card.capabilities.append("tools") }
        if found?.thinking == true { card.capabilities.append("thinking") }
        card.contextTokens = service.engine.settings.contextTokens
        card.modified = Self.text(of: Self.now)
        return JSONReply.response(json: ByteBuffer(bytes: card.json))
    }

    /// A model in OpenAI's form.
    private func describe(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try context.requireScope(.notesRead)
        let path = request.uri.path.dropFirst("/v1/models/".count)
        let name = String(path).removingPercentEncoding ?? String(path)
        _ = try await models.choice(of: name)
        return Self.reply(
            .object([
                "id": .string(name), "object": .string("model"), "created": .integer(Self.now),
                "owned_by": .string("selene"),
            ]))
    }

    private static func reply(_ value: JSONValue) -> Response {
        JSONReply.response(json: ByteBuffer(bytes: value.json))
    }

    private static func text(of time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
    }

    private static var now: Int64 { WallClock.milliseconds / 1000 }

    // MARK: Answers

    private func answer<Form: AnswerForm>(_: Form.Type) -> GatewayRouter.Handler {
        { request, context in
            let bytes = try await JSONRequest.bytes(of: request, limit: Self.bodyLimit, in: context)
            let body = try JSONRequest.decode(JSONValue.self, from: bytes, unknown: .ignored)
            try context.requireScope(.notesRead)
            let form = try Form(body, at: request.uri.path)
            let question = form.question
            var client = RunClient()
            // A question that follows an answer by its id brings no conversation to which results would belong.
            if question.hasTools, question.previous == nil {
                client = try RunClient(try JSONRequest.document(parsing: bytes), at: request.uri.path)
            }
            client.showsThoughts = true
            let choice = try await models.choice(of: question.model)
            // A key may be for such a model, whatever model is behind it.
            if context.keys?.allows(model: question.model, to: context.identity) != true {
                try context.requireModel(choice.model)
            }
            context.trace.use(model: question.model)
            let now = Self.now
            let head = {
                AnswerHead(id: $0, model: question.model, created: now, createdText: Self.text(of: now))
            }
            guard let last = question.messages.last else {
                guard let form = form as? OllamaForm else { throw ModelRequestFault("messages", "must not be empty") }
                return JSONReply.response(json: ByteBuffer(bytes: form.loaded(head(""))))
            }
            guard last.isUser else { throw ModelRequestFault("messages", "the last message must be the user's") }
            let address = base(of: request)
            if ProgramTask.covers(last.text) {
                let task = ProgramTask(providers: service.engine.providers, question: question, model: choice.model)
                let text = try await context.client.whilePresent { try await task.answer(for: RunOwner(context)) }
                return try await AnswerInProgress(
                    form: form, head: head(RequestIDMiddleware.fresh()), base: address,
                    errors: ErrorBody(path: request.uri.path), context: context
                ).response(AnswerReader(service, text: text, of: choice.model))
            }
            let begun = try await begin(question, choice, last.text, client, context)
            let run = begun.run.id
            context.client.onDeparture { [service] in Task { await service.live(run)?.stop() } }
            let answer = AnswerInProgress(
                form: form, head: head(run), base: address, errors: ErrorBody(path: request.uri.path), context: context)
            return try await answer.response(await AnswerReader(service, begun))
        }
    }

    /// Begins a run where the conversation goes on.
    private func begin(
        _ question: ModelQuestion, _ choice: NotesModels.Choice, _ text: String, _ client: RunClient,
        _ context: GatewayRequestContext
    ) async throws -> ChatService.Begun {
        let id = "api-" + RequestIDMiddleware.fresh() + RequestIDMiddleware.fresh()
        var request = ChatRunRequest(id: id, question: text)
        (request.kind, request.scope, request.thinks) = (choice.kind.rawValue, choice.scope, question.thinks)
        var plan = try ChatRoutes.plan(request)
        plan.client = client
        if !question.instructions.isEmpty {
            plan.options.instructions = try FieldCheck.text(
                question.instructions.joined(separator: "\n\n"), "system", maxBytes: Self.instructionBytes)
        }
        let earlier = Array(question.messages.dropLast())
        for message in earlier {
            _ = try FieldCheck.text(message.text, "messages", maxBytes: Self.bodyLimit, mayBeEmpty: true) as String
        }
        let resent = ResentConversation(room: service.engine.answers, key: context.identity.keyID)
        if let calls = client.answeredCalls,
            let run = try await resent.waiting(for: calls, about: text, after: earlier, of: choice)
        {
            return try await service.resume(run, owner: RunOwner(context), client: client)
        }
        var place = ResentConversation.Place(session: nil, parent: nil, rest: earlier[...])
        if let previous = question.previous {
            let run = try await service.find(previous)
            (place.session, place.parent) = (run.session, run.message)
        } else {
            place = try await resent.place(after: earlier)
        }
        (plan.session, plan.earlier) = (place.session, Array(place.rest))
        if let parent = place.parent { plan.parent = .set(parent) }
        do {
            return try await service.begin(plan, model: choice.model, owner: RunOwner(context))
        } catch let refusal as ChatRefusal where refusal.isOfSession && plan.session != nil {
            // The conversation goes on in a session of its own, with everything that the client sent.
            (plan.session, plan.parent, plan.earlier) = (nil, .keep, earlier)
            return try await service.begin(plan, model: choice.model, owner: RunOwner(context))
        }
    }

    /// The address of the gateway's pages, as the client reached it.
    private func base(of request: Request) -> String {
        let isEncrypted = isEncrypted || request.headers[.forwardedProto]?.lowercased() == "https"
        return "\(isEncrypted ? "https" : "http")://" + (request.head.authority ?? "localhost")
    }
}

extension ChatRefusal {
    /// Whether another session would not have been refused.
    fileprivate var isOfSession: Bool {
        switch self {
        case .busy, .unknownParent: true
        case .idInUse, .tooMany, .elsewhere, .stopping: false
        }
    }
}

extension JSONValue {
    /// The text of a member; nil when there is none.
    fileprivate func member(_ name: String) -> String? {
        guard case .object(let members) = self, case .string(let text)? = members[name] else { return nil }
        return text
    }
}

/// An answer that is sent as its run writes it, or as a whole.
private struct AnswerInProgress<Form: AnswerForm>: Sendable {
    let form: Form
    let head: AnswerHead
    let base: String
    /// The form of errors.
    let errors: ErrorBody
    let context: GatewayRequestContext

    /// The response. Its head waits for the first part of the answer, so a run that fails before has the status of an error.
    func response(_ reader: AnswerReader) async throws -> Response {
        var reader = reader
        do {
            let first = try await reader.piece()
            if case .end(let run, let calls) = first, let failure = failure(of: run, calls) { throw failure }
            var response = form.question.streams ? stream(first, reader) : try await whole(first, &reader)
            response.headers[.seleneRun] = head.id
            return response
        } catch {
            await reader.close()
            context.client.stopWatching()
            throw error
        }
    }

    private func whole(_ first: AnswerReader.Piece, _ reader: inout AnswerReader) async throws -> Response {
        var (piece, thoughts) = (first, "")
        while true {
            switch piece {
            case .thought(let more): thoughts += more
            case .text: break
            case .end(let run, let calls):
                await reader.close()
                context.client.stopWatching()
                if let failure = failure(of: run, calls) { throw failure }
                let answer = WholeAnswer(
                    run, base: base, after: reader.earlier, thoughts: thoughts, calls: calls)
                return JSONReply.response(json: ByteBuffer(bytes: form.writer(head).whole(answer.content, answer.end)))
            }
            piece = try await reader.piece()
        }
    }

    private func stream(_ first: AnswerReader.Piece, _ reader: AnswerReader) -> Response {
        let written = form.writer(head)
        return Response(
            status: .ok,
            headers: [
                .contentType: Swift.type(of: written).streamType, .cacheControl: "no-cache", .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                var reader = reader
                do {
                    try await copy(first, &reader, written, to: &writer)
                } catch {
                    await reader.close()
                    context.client.stopWatching()
                    throw error
                }
                await reader.close()
                context.client.stopWatching()
                try await writer.finish(nil)
            })
    }

    @concurrent private func copy(
        _ first: AnswerReader.Piece, _ reader: inout AnswerReader, _ form: any AnswerWriter,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var (form, piece) = (form, first)
        let opening = form.opening()
        if !opening.isEmpty { try await writer.write(ByteBuffer(bytes: opening)) }
        while true {
            switch piece {
            case .thought(let text): try await write(.thinking(text), in: &form, to: &writer)
            case .text(let text): try await write(.text(text), in: &form, to: &writer)
            case .end(let run, let calls):
                if let failure = failure(of: run, calls) {
                    context.trace.upstreamBroke()
                    let broken = form.broken(
                        AnswerFailure(
                            json: Array(errors.json(failure).readableBytesView), code: failure.code.rawValue,
                            message: failure.message))
                    return try await writer.write(ByteBuffer(bytes: broken))
                }
                let answer = WholeAnswer(run, base: base, after: reader.earlier, calls: calls)
                var bytes: [UInt8] = []
                if !answer.sources.isEmpty { form.write(.text(answer.sources), to: &bytes) }
                for call in calls { form.write(.call(call), to: &bytes) }
                bytes += form.closing(answer.end)
                return try await writer.write(ByteBuffer(bytes: bytes))
            }
            piece = try await reader.piece()
        }
    }

    @concurrent private func write(
        _ event: ChatEvent, in form: inout any AnswerWriter, to writer: inout any ResponseBodyWriter
    ) async throws {
        var bytes: [UInt8] = []
        form.write(event, to: &bytes)
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// The error of a run without an answer; nil for one that has ended well or with calls, or was stopped.
    private func failure(of run: ChatRun, _ calls: [ChatCall]) -> GatewayError? {
        if context.trace.isStopped { return .stopped }
        switch run.state {
        case .failed:
            return GatewayError(.badGateway, .init(rawValue: "answer_failed"), run.error ?? "the model gave no answer")
        case .interrupted where calls.isEmpty:
            return GatewayError(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
        default: return nil
        }
    }
}
