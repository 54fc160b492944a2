import ChatRoom
import ChatRun
import GatewayAPI
import Inference
import Tools

/// Tools of the program behind a run: the run ends with the calls, and goes on when the program brings the results.
extension LiveRun {
    /// The calls of the turn that are the program's to carry out. Other calls of the turn are dropped: the model can make them again.
    var callsOfClient: [ToolCall] {
        let names = Set(client.tools.map(\.name))
        return output.turn.calls.filter { names.contains($0.name) }
    }

    /// Ends the run with calls. It is interrupted, so any client can continue it.
    func handOver(_ calls: [ToolCall]) {
        write(output.finish())
        handedOver = calls.prefix(ChatLimits.callsOfClient).enumerated().map { index, call in
            let id = call.id.isEmpty ? "call_\(basis.id)_\(row.life)_\(index)" : call.id
            return ChatCall(id: id, name: call.name, arguments: call.written)
        }
        for call in handedOver {
            report(ChatToolUse(id: call.id, name: call.name, arguments: call.arguments, state: .running))
        }
        handle(.interrupt)
    }

    /// Notes the results that the program brings. Programs that know no ids name the tool, or nothing.
    func noteResults() {
        for case .toolResult(let id, let name, let text, let isError) in client.turns {
            let waiting = row.record.tools.first { use in
                use.state == .running && (id.isEmpty ? name.isEmpty || use.name == name : use.id == id)
            }
            guard var use = waiting else { continue }
            (use.state, use.bytes) = (isError ? .failed : .done, text.utf8.count)
            use.summary = ResultBudget(bytes: 200).cut(text).text
            report(use)
        }
    }
}

extension ToolCall {
    /// The arguments as a value: an object, or a text that is not one.
    var written: JSONValue {
        switch arguments {
        case .value(let value): value
        case .text(let text): .string(text)
        }
    }
}
