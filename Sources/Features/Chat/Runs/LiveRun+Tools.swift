import ChatRoom
import ChatRun
import Concurrency
import GatewayAPI
import Inference
import Prompts
import Storage
import Tools

/// The rounds of tools.
extension LiveRun {
    /// Carries out the calls of the model's turn and adds their results to the conversation.
    func runTools() async {
        await step {
            let decisions = output.tools.read(output.turn.calls)
            prompt.turns.append(.assistant(reply(to: decisions)))
            for decision in decisions {
                if case .run(let call) = decision {
                    report(
                        ChatToolUse(
                            id: call.id, name: call.tool.name, arguments: .object(call.arguments.values),
                            state: .running))
                }
            }
            let results = await Self.results(of: decisions, as: basis.caller(prompt.capabilities))
            try Task.checkCancellation()
            for decision in decisions { prompt.turns.append(recordOutcome(decision, results)) }
            handle(.toolsFinished)
        }
    }

    /// The model's turn with the ids that the decisions gave its calls.
    private func reply(to decisions: [ToolDecision]) -> ChatReply {
        let calls = zip(output.turn.calls, decisions).map { call, decision in
            ChatCall(id: decision.id, name: call.name, arguments: call.written)
        }
        return ChatReply(text: output.turn.text, calls: calls, continuation: output.turn.end?.continuation)
    }

    private static func results(
        of decisions: [ToolDecision], as caller: ToolCaller
    ) async -> [String: Result<ToolResult, any Error>] {
        await withTaskGroup(of: (String, Result<ToolResult, any Error>).self) { group in
            for case .run(let call) in decisions {
                group.addTask { (call.id, await ToolTime.run(call, as: caller)) }
            }
            var results: [String: Result<ToolResult, any Error>] = [:]
            for await (id, result) in group { results[id] = result }
            return results
        }
    }

    /// Records a decision's outcome. Returns it as a turn.
    private func recordOutcome(_ decision: ToolDecision, _ results: [String: Result<ToolResult, any Error>]) -> ChatTurn
    {
        switch decision {
        case .refused(let id, let name, let text):
            report(ChatToolUse(id: id, name: name, arguments: nil, state: .refused, summary: text))
            return .toolResult(id: id, name: name, text: text, isError: true)
        case .answered(let id, let name, let text):
            report(
                ChatToolUse(
                    id: id, name: name, arguments: nil, state: .repeated, summary: "answered from before",
                    bytes: text.utf8.count))
            return .toolResult(id: id, name: name, text: text, isError: false)
        case .run(let call):
            var use = ChatToolUse(
                id: call.id, name: call.tool.name, arguments: .object(call.arguments.values), state: .done)
            switch results[call.id] ?? .failure(CancellationError()) {
            case .failure(let error):
                let text = FailureReason.of(error)
                (use.state, use.summary) = (.failed, text)
                output.tools.forget(call)
                report(use)
                return .toolResult(id: call.id, name: call.tool.name, text: "Error: \(text)", isError: true)
            case .success(let result):
                let text = told(result, by: call.tool.name)
                use.bytes = text.utf8.count
                use.summary = Self.summary(of: result)
                output.tools.record(text, for: call)
                report(use)
                return .toolResult(id: call.id, name: call.tool.name, text: text, isError: false)
            }
        }
    }

    /// Numbers the passages of a result and renders it for the model, within the budget.
    private func told(_ result: ToolResult, by tool: String) -> String {
        let engine = basis.engine
        row.record.withhold(result.withheld)
        let told = row.record.number(result.passages.map(\.part), of: tool, beside: prompt)
        var parts = told.map { passage, isNew in
            guard isNew else {
                return "\(passage.note == nil ? "Passage" : "Note") \(passage.number) again: \(passage.title)"
            }
            let shown = engine.prompts.passage(
                PromptAssembly.cited(passage), number: passage.number, of: basis.options.chatKind, fence: basis.fence)
            return shown + (passage.note.map { "\n(note id \($0))" } ?? "")
        }
        let added = told.filter(\.isNew).map(\.passage)
        if !added.isEmpty { feed.append(.init(.passages, encoding: PassagesEvent(passages: added))) }
        if !result.text.isEmpty { parts.append(result.text) }
        let estimate = engine.estimates.withLock { $0[basis.modelName] }
        let budget = ResultBudget(tokens: ChatLimits.toolResultTokens, bytesPerToken: estimate.bytesPerToken)
        return budget.cut(parts.joined(separator: "\n\n")).text
    }

    private static func summary(of result: ToolResult) -> String {
        guard !result.passages.isEmpty else { return ResultBudget(bytes: 200).cut(result.text).text }
        let item = result.passages.allSatisfy { $0.part.book != nil } ? "passage" : "note"
        return result.passages.count == 1 ? "1 \(item)" : "\(result.passages.count) \(item)s"
    }

    /// Records a call and tells readers.
    func report(_ use: ChatToolUse) {
        row.record.note(use)
        feed.append(.init(.tool, encoding: use))
    }
}

extension ToolDecision {
    /// The call's id.
    var id: String {
        switch self {
        case .run(let call): call.id
        case .answered(let id, _, _), .refused(let id, _, _): id
        }
    }
}

/// Limits the time of a call.
enum ToolTime {
    private struct TookTooLong: Error, CustomStringConvertible {
        var description: String { "the tool gave no result in time" }
    }

    /// Runs a call. After ``ChatLimits/toolTime`` the call is cancelled and its result is not waited for.
    static func run(_ call: CheckedCall, as caller: ToolCaller) async -> Result<ToolResult, any Error> {
        let work = Task { try await call.run(as: caller) }
        let race = Race<Result<ToolResult, any Error>>()
        Task { race.end(await work.result) }
        let clock = Task {
            try await Task.sleep(for: ChatLimits.toolTime)
            race.end(.failure(TookTooLong()))
        }
        let result = await withTaskCancellationHandler {
            await race.value
        } onCancel: {
            race.end(.failure(CancellationError()))
        }
        work.cancel()
        clock.cancel()
        return result
    }
}
