import Access
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
    /// The provider and the model's name there.
    nonisolated var model: (provider: any ChatProvider, model: String) { engine.providers.resolve(modelName) }

    /// The notes that must not be used; nil when the model runs on the user's machine.
    func hidden(_ capabilities: ChatCapabilities) -> NotePrivacy? {
        model.provider.isLocal && !capabilities.isRemote ? nil : engine.settings.privacy
    }

    // MARK: Before the answer

    /// Reads the conversation and decides whether to search.
    func open() async {
        await step {
            let before = try await engine.chats.runs.conversation(before: stored.userMessage, of: session)
            history = before.messages
            if options.chatKind.needsBook {
                // A summary may tell of pages that the reader has not come to.
                history = try await ReadHistory.of(history, in: engine)
            } else {
                summary = HistorySummary.of(before)
            }
            // A provider that is away is asked again before the answer; the notes are searched either way.
            if let known = try? await model.provider.capabilities(of: model.model) { capabilities = known }
            if let hides = hidden(capabilities) { try await withholdHistory(hides) }
            try Task.checkCancellation()
            let known = !record.passages.isEmpty || record.search != nil
            handle(.admitted(searches: options.chatKind.usesNotes && !known && !SmallTalk.covers(question)))
        }
    }

    /// Finds passages for the question, or for its rewriting when it depends on the conversation.
    func search() async {
        await step {
            let began = ContinuousClock.now
            var query = ContextualQuery(question)
            if !history.isEmpty, QuestionContext.needs(question) {
                if let rewriting = await rewritten() {
                    query = ContextualQuery(rewriting, own: question)
                } else {
                    query.text = QuestionContext.joined(question, after: Array(history))
                }
                query.isRewritten = true
            }
            try Task.checkCancellation()
            let found =
                options.chatKind.needsBook
                ? try await BookSearch(tools: engine.tools, caller: caller).run(
                    question, query: query, limit: options.limit,
                    context: min(engine.settings.contextTokens, capabilities.contextTokens ?? .max))
                : try await PassageSearch(retrieval: engine.retrieval).run(
                    query, options, hides: hidden(capabilities), for: owner.account)
            record.search = found.search
            record.withheld = found.withheld
            candidates = found.passages
            record.timingsMilliseconds["search"] = (ContinuousClock.now - began).milliseconds
            append(.init(.search, encoding: found.search))
            handle(.searched)
        }
    }

    /// A model's rewriting of the question; nil when it takes too long or is not usable.
    private func rewritten() async -> String? {
        let last = history.suffix(4).map { message in
            ChatPrompts.Turn(
                role: message.role == "user" ? "author" : "assistant",
                text: ResultBudget(bytes: 600).cut(message.content).text)
        }
        var request = ModelChatRequest(
            model: model.model, turns: [.user(engine.prompts.rewriting(question, after: last))])
        request.maxTokens = 96
        request.temperature = 0
        request.thinks = capabilities.thinking ? false : nil
        request.contextTokens = engine.settings.contextTokens
        guard let answer = await sideRequest(request) else { return nil }
        // Compared with what the model saw: a long message has every word.
        return QuestionContext.usable(answer, question: question, history: last.map(\.text))
    }

    // MARK: The answer

    /// Sends the conversation to the model and handles its turn.
    func converse(offersTools: Bool) async {
        await step {
            let request = try await nextRequest(offersTools: offersTools)
            try await model.provider.chat(request, for: AdmissionCaller(owner.name)) { event in
                try await self.receive(event)
            }
            try Task.checkCancellation()
            try await turnEnded()
        }
    }

    /// Builds the next request to the model. What it needs for that takes no memory while the model answers.
    private func nextRequest(offersTools: Bool) async throws -> ModelChatRequest {
        if turns.isEmpty { try await lookUpCapabilities() }
        let offered = offersTools && capabilities.tools ? reader.tools.tools : []
        let tools = offered.map {
            ChatTool(name: $0.name, summary: $0.summary, parameters: $0.arguments.json)
        }
        if turns.isEmpty { try await prepare(tools) }
        var request = ModelChatRequest(model: model.model, turns: turns)
        request.tools = tools
        if capabilities.cites { request.passages = record.passages.filter { $0.source == "search" }.map(\.citable) }
        request.contextTokens = context
        request.thinks = capabilities.thinking ? options.thinks : nil
        turn = ModelTurn(toolNames: offered.map(\.name))
        if hasText { separatesTurns = true }
        return request
    }

    /// Looks up what the model can do. Without an answer, readers get at least the notes.
    private func lookUpCapabilities() async throws {
        do {
            capabilities = try await model.provider.capabilities(of: model.model)
        } catch {
            if record.passages.isEmpty, !candidates.isEmpty {
                record.passages = candidates.enumerated().map { index, passage in
                    var passage = passage
                    passage.number = index + 1
                    return passage
                }
                append(.init(.passages, encoding: PassagesEvent(passages: record.passages)))
            }
            throw error
        }
        let hides = hidden(capabilities)
        guard let hides else { return }
        // The search may have been made for a model on this machine.
        let ids = candidates.compactMap(\.note)
        let covered = Set(try await engine.database.noteBook.find(ids: ids).filter(hides.covers).map(\.id))
        record.withheld += ids.filter { covered.contains($0) && !record.withheld.contains($0) }
        candidates.removeAll { $0.note.map(covered.contains) ?? false }
        try await withholdHistory(hides)
    }

    /// Withholds messages and a summary that may tell of private notes.
    private func withholdHistory(_ hides: NotePrivacy) async throws {
        let found = try await PrivateMessages(among: history, hides, engine)
        let mayLeave = try await summary?.mayLeave(hides, covering: history, found, engine)
        let count = found.withhold(from: &history)
        if count > 0 { withheld.append(ChatLeftOut(part: "history", count: count)) }
        record.withheld += found.notes.sorted().filter { !record.withheld.contains($0) }
        guard mayLeave == false else { return }
        summary = nil
        withheld.append(ChatLeftOut(part: "summary", count: 1))
    }

    /// Builds the first request.
    private func prepare(_ tools: [ChatTool]) async throws {
        let assembly = PromptAssembly(engine: engine, options: options, fence: fence)
        var parts = PromptAssembly.Parts(question: question)
        parts.history = Array(history)
        parts.summary = summary
        parts.passages = candidates.isEmpty ? record.passages : candidates
        parts.interrupted = hasText ? text : nil
        if options.remembers == true {
            parts.memories = await MemoryBlock.candidates(for: question, engine, owner.account)
        }
        let prompt = try await assembly.prompt(
            parts, model: modelName, capabilities: capabilities, tools: tools,
            sendsPrivateContext: hidden(capabilities) == nil)
        turns = prompt.turns
        context = prompt.context
        promptText = prompt.text
        record.leftOut = withheld + prompt.leftOut
        compressThrough = prompt.compressThrough
        record.prompt = PromptVersions.of(options.chatKind)
        record.memories = prompt.memories
        guard record.passages != prompt.passages else { return }
        record.passages = prompt.passages
        append(.init(.passages, encoding: PassagesEvent(passages: prompt.passages)))
    }

    /// Handles an event of the model. Throws to close the upstream once the run has ended.
    private func receive(_ event: ChatEvent) throws {
        guard outcome == nil else { throw CancellationError() }
        switch event {
        case .waiting(let place): handle(.waiting(place: place))
        case .sent: handle(.sent)
        case .thinking: handle(.thought)
        case .text(let piece): show(turn.push(piece))
        case .call(let call):
            turn.calls.append(ToolCall(id: call.id, name: call.name, arguments: .value(call.arguments)))
        case .usage(let usage): turn.usage = usage
        case .ended(let end): turn.end = end
        }
    }

    /// Shows text, except the part that may become a citation.
    private func show(_ text: String) {
        guard !text.isEmpty else { return }
        var text = text
        if separatesTurns {
            separatesTurns = false
            text = "\n\n" + text
        }
        write(filter.push(text.utf8).text)
    }

    private func turnEnded() async throws {
        show(turn.finish())
        count(turn.usage)
        let mayCall = reader.offersTools && !turn.calls.isEmpty
        if mayCall { return handle(.calledTools) }
        write(filter.finish().text)
        switch turn.end?.reason {
        case .refused where !hasText: return handle(.failed("the provider withheld the answer"))
        case .length: return handle(.textFull)
        default: break
        }
        await citeIfNeeded()
        await judgeIfSet()
        handle(.modelFinished)
    }

    /// Adds the tokens of a request, charges them, and lets the estimate learn.
    func count(_ usage: ChatUsage?) {
        guard let usage else { return }
        let (prompt, completion) = (usage.promptTokens ?? 0, usage.completionTokens ?? 0)
        owner.charge(prompt, completion)
        engine.observer.spent(prompt: prompt, completion: completion)
        var sum = record.usage ?? ChatTokens(promptTokens: 0, completionTokens: 0)
        sum.promptTokens += max(0, min(prompt, 1 << 40))
        sum.completionTokens += max(0, min(completion, 1 << 40))
        record.usage = sum
        append(.init(.usage, encoding: sum))
        if let text = promptText, prompt > 0 {
            promptText = nil
            engine.estimates.withLock { $0.learn(prompt, of: text, model: modelName) }
        }
    }

    // MARK: Short requests beside the answer

    /// Sends a request whose answer is used as a whole; nil when it fails or takes too long.
    ///
    /// - Parameter other: The provider of the request's model; nil for that of the run.
    func sideRequest(_ request: ModelChatRequest, to other: (any ChatProvider)? = nil) async -> String? {
        let answer = SideAnswer()
        let (provider, caller) = (other ?? model.provider, AdmissionCaller(owner.name))
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
        count(await answer.usage)
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
