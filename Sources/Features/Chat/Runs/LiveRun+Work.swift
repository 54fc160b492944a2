import Access
import ChatRoom
import ChatRun
import Citations
import GatewayAPI
import Inference
import Prompts
import Storage
import Tools
import Transport

/// The steps of a run: reading the conversation, searching, asking the model.
extension LiveRun {
    // MARK: Before the answer

    /// Reads the conversation and decides whether to search.
    func open() async {
        await step {
            let (engine, kind, model) = (basis.engine, basis.options.chatKind, basis.model)
            let before = try await engine.answers.conversation(before: row.userMessage, of: basis.session)
            output.offer(await basis.tools.needed(in: before.said + [basis.question]))
            (prompt.history, prompt.summary) = try await basis.history(of: before)
            // A provider that is away is asked again before the answer; the notes are searched either way.
            if let known = try? await model.provider.capabilities(of: model.model) { prompt.capabilities = known }
            if let hides = basis.hidden(prompt.capabilities) { try await withholdHistory(hides) }
            prompt.earlier = try await EarlierPassages(of: prompt.history, for: basis.options, in: engine)
            try Task.checkCancellation()
            let known = !row.record.passages.isEmpty || row.record.search != nil
            handle(.admitted(searches: kind.usesNotes && !known && !SmallTalk.covers(basis.question)))
        }
    }

    /// Finds passages for the question, or for its rewriting when it depends on the conversation.
    func search() async {
        await step {
            let began = ContinuousClock.now
            let (engine, question, options) = (basis.engine, basis.question, basis.options)
            var query = ContextualQuery(question)
            if !prompt.history.isEmpty, QuestionContext.needs(question) {
                if let rewriting = await rewritten() {
                    query = ContextualQuery(rewriting, own: question)
                } else {
                    query.text = QuestionContext.joined(question, after: Array(prompt.history))
                }
                query.isRewritten = true
            }
            try Task.checkCancellation()
            let capabilities = prompt.capabilities
            let found =
                options.chatKind.needsBook
                ? try await BookSearch(tools: engine.tools, caller: basis.caller(capabilities)).run(
                    question, query: query, limit: options.limit,
                    context: min(engine.settings.contextTokens, capabilities.contextTokens ?? .max))
                : try await PassageSearch(notes: engine.notes).run(
                    query, options, hides: basis.hidden(capabilities), for: basis.owner.account)
            row.record.search = found.search
            row.record.withheld = found.withheld
            prompt.candidates = found.passages
            row.record.timingsMilliseconds["search"] = (ContinuousClock.now - began).milliseconds
            feed.append(.init(.search, encoding: found.search))
            handle(.searched)
        }
    }

    /// A model's rewriting of the question; nil when it takes too long or is not usable.
    private func rewritten() async -> String? {
        let last = prompt.history.suffix(4).map { message in
            ChatPrompts.Turn(
                role: message.role == "user" ? "author" : "assistant",
                text: ResultBudget(bytes: 600).cut(message.content).text)
        }
        let prompts = basis.engine.prompts
        var request = ModelChatRequest(model: basis.model.model, turns: [])
        if sharesPrompts, let opening = try? await assembly(offeredTools).opening(parts) {
            // The server goes on from here to the answer. Another prompt would make it forget the conversation.
            request.turns = opening.turns + [.user(prompts.rewriting(basis.question, after: []))]
            request.tools = offeredTools
            request.contextTokens = opening.context
        } else {
            request.turns = [.user(prompts.rewriting(basis.question, after: last))]
            request.contextTokens = basis.engine.settings.contextTokens
        }
        request.maxTokens = 96
        request.temperature = 0
        request.thinks = prompt.capabilities.thinking ? false : nil
        guard let answer = await sideRequest(request) else { return nil }
        // Compared with what the model saw: a long message has every word.
        return QuestionContext.usable(answer, question: basis.question, history: last.map(\.text))
    }

    // MARK: The answer

    /// Sends the conversation to the model and handles its turn.
    func converse(offersTools: Bool) async {
        await step {
            let request = try await nextRequest(offersTools: offersTools)
            try await basis.model.provider.chat(request, for: basis.owner.caller) { event in
                try await self.receive(event)
            }
            try Task.checkCancellation()
            try await turnEnded()
        }
    }

    /// Builds the next request to the model. What it needs for that takes no memory while the model answers.
    private func nextRequest(offersTools: Bool) async throws -> ModelChatRequest {
        if prompt.turns.isEmpty { try await lookUpCapabilities() }
        let capabilities = prompt.capabilities
        let tools = offersTools ? offeredTools : []
        if prompt.turns.isEmpty { try await prepare(tools) }
        var request = ModelChatRequest(model: basis.model.model, turns: prompt.turns)
        request.tools = tools
        prompt.tools = tools
        if capabilities.cites {
            request.passages = row.record.passages.filter { $0.source == ChatPassage.search }.map(\.citable)
        }
        request.contextTokens = prompt.context
        request.thinks = capabilities.thinking ? basis.options.thinks : nil
        output.begin(toolNames: tools.map(\.name), hasText: feed.hasText)
        feed.thoughts.beginTurn()
        return request
    }

    /// Looks up what the model can do. Without an answer, readers get at least the notes.
    private func lookUpCapabilities() async throws {
        do {
            prompt.capabilities = try await basis.model.provider.capabilities(of: basis.model.model)
        } catch {
            if row.record.passages.isEmpty, !prompt.candidates.isEmpty {
                row.record.passages = prompt.candidates.enumerated().map { index, passage in
                    var passage = passage
                    passage.number = prompt.earlier.next + index
                    return passage
                }
                feed.append(.init(.passages, encoding: PassagesEvent(passages: row.record.passages)))
            }
            throw error
        }
        guard let hides = basis.hidden(prompt.capabilities) else { return }
        // The search may have been made for a model on this machine.
        let ids = prompt.candidates.compactMap(\.note)
        let covered = Set(try await basis.engine.store.notes.find(ids: ids).filter(hides.covers).map(\.id))
        row.record.withhold(ids.filter(covered.contains))
        prompt.candidates.removeAll { $0.note.map(covered.contains) ?? false }
        try await withholdHistory(hides)
    }

    /// Withholds messages and a summary that may tell of private notes.
    private func withholdHistory(_ hides: NotePrivacy) async throws {
        let (engine, history) = (basis.engine, prompt.history)
        let found = try await PrivateMessages(among: history, hides, engine)
        let mayLeave = try await prompt.summary?.mayLeave(hides, covering: history, found, engine)
        prompt.withhold(found, summaryMayLeave: mayLeave ?? true)
        row.record.withhold(found.notes.sorted())
    }

    /// Builds the first request.
    private func prepare(_ tools: [ChatTool]) async throws {
        let (engine, options) = (basis.engine, basis.options)
        var parts = parts
        parts.passages =
            prompt.candidates.isEmpty
            ? row.record.passages.filter { $0.source != ChatPassage.conversation } : prompt.candidates
        // The calls have the text in front of them.
        parts.interrupted = feed.hasText && client.turns.isEmpty ? feed.log.text : nil
        parts.following = client.turns
        noteResults()
        if options.remembers == true {
            parts.memories = await MemoryBlock.candidates(for: basis.question, engine, basis.owner.account)
        }
        let first: PromptAssembly.Prompt
        do {
            first = try await assembly(tools).prompt(parts)
        } catch is PromptOverflow where !client.tools.isEmpty {
            throw ClientToolsOverflow()
        }
        prompt.begin(first)
        row.record.leftOut = prompt.withheld + first.leftOut
        row.record.prompt = PromptVersions.of(options.chatKind)
        row.record.memories = first.memories
        row.record.kept = Set(first.kept.compactMap(\.note)).sorted()
        guard row.record.passages.filter({ $0.source != ChatPassage.conversation }) != first.passages else { return }
        row.record.passages = first.passages
        feed.append(.init(.passages, encoding: PassagesEvent(passages: first.passages)))
    }

    // MARK: The prompt

    /// The tools for the model; none when it cannot call any. Of two with a name, the one of the program behind the run counts.
    private var offeredTools: [ChatTool] {
        guard prompt.capabilities.tools else { return [] }
        let names = Set(client.tools.map(\.name))
        return output.tools.tools.forModel.filter { !names.contains($0.name) } + client.tools
    }

    /// The parts of the prompt that are known before the search.
    private var parts: PromptAssembly.Parts {
        PromptAssembly.Parts(
            question: basis.question, history: Array(prompt.history), earlier: prompt.earlier, summary: prompt.summary)
    }

    private func assembly(_ tools: [ChatTool]) -> PromptAssembly { basis.assembly(tools, prompt.capabilities) }

    /// See ``PromptAssembly/Reader/goesOn``.
    var sharesPrompts: Bool { assembly([]).reader.goesOn }

    // MARK: The turn

    /// Handles an event of the model. Throws to close the upstream once the run has ended.
    private func receive(_ event: ChatEvent) throws {
        guard outcome == nil else { throw CancellationError() }
        switch event {
        case .waiting(let place): handle(.waiting(place: place))
        case .sent: handle(.sent)
        case .thinking(let piece): think(piece)
        case .callPiece, .probabilities: break
        case .text(let piece): write(output.push(piece))
        case .call(let call):
            output.turn.calls.append(ToolCall(id: call.id, name: call.name, arguments: .value(call.arguments)))
        case .usage(let usage): output.turn.usage = usage
        case .ended(let end): output.turn.end = end
        }
    }

    private func turnEnded() async throws {
        write(output.finishTurn())
        count(output.turn.usage)
        let handedOver = callsOfClient
        if !handedOver.isEmpty { return handOver(handedOver) }
        let mayCall = output.tools.offersTools && !output.turn.calls.isEmpty
        if mayCall { return handle(.calledTools) }
        write(output.finish())
        switch output.turn.end?.reason {
        case .refused where !feed.hasText: return handle(.failed("the provider withheld the answer"))
        case .length: return handle(.textFull)
        default: break
        }
        await citeIfNeeded()
        await judgeIfSet()
        handle(.modelFinished)
    }

    /// Adds the tokens of a request, charges them, and lets the estimate learn.
    ///
    /// - Parameter model: The full name of the model that answered; that of the run when nil.
    func count(_ usage: ChatUsage?, of model: String? = nil) {
        guard let usage else { return }
        let tokens = (prompt: usage.promptTokens ?? 0, completion: usage.completionTokens ?? 0)
        basis.owner.charge(model ?? basis.modelName, tokens.prompt, tokens.completion)
        basis.engine.metrics.spent(prompt: tokens.prompt, completion: tokens.completion)
        feed.append(.init(.usage, encoding: row.record.add(tokens)))
        if let text = prompt.uncounted, tokens.prompt > 0 {
            prompt.uncounted = nil
            basis.engine.estimates.withLock { $0.learn(tokens.prompt, of: text, model: basis.modelName) }
        }
    }

    // MARK: Short requests beside the answer

    /// Sends a request whose answer is used as a whole; nil when it fails or takes too long.
    ///
    /// - Parameter other: The provider of the request's model, and the model's full name; nil for those of the run.
    func sideRequest(
        _ request: ModelChatRequest, to other: (provider: any ChatProvider, name: String)? = nil
    ) async -> String? {
        let answer = SideAnswer()
        let (provider, caller) = (other?.provider ?? basis.model.provider, basis.owner.caller)
        let isWhole = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await provider.chat(request, for: caller) { await answer.take($0) }
                    return true
                } catch {
                    return false
                }
            }
            group.addTask {
                try? await Task.sleep(for: ChatLimits.sideRequestTime)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        count(await answer.usage, of: other?.name)
        return isWhole ? await answer.text : nil
    }

    /// Runs a step; an error ends the run with a reason for readers.
    func step(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            return
        } catch let error as UpstreamError where error.code == .cancelled {
            return
        } catch {
            handle(.failed(FailureReason.of(error)))
        }
    }
}

extension GatewayAPI.ChatPassage {
    /// The passage for a provider with citations of its own.
    fileprivate var citable: CitablePassage { CitablePassage(number: number, title: title, text: text) }
}

/// The question does not fit beside the tools of the program behind the run.
private struct ClientToolsOverflow: Error, CustomStringConvertible {
    var description: String {
        "the question and the app's tools are too long for the model; offer fewer tools, or raise SELENE_CHAT_CONTEXT"
    }
}

/// The reason of a failure, for readers.
enum FailureReason {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as UpstreamError: error.message
        case let error as StorageError: error.message
        case let error as PromptOverflow:
            "the question is too long for the model: about \(error.needed) tokens, \(error.available) fit"
        default: "\(error)"
        }
    }
}
