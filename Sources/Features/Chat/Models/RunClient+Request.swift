import GatewayAPI
import Inference
import Tools

extension RunClient {
    /// Reads the tools of a request, and the calls and results behind its question.
    ///
    /// - Parameter path: The route, without a query.
    /// - Throws: ``ModelRequestFault``.
    init(_ document: JSONDocument, at path: String) throws {
        self.init()
        guard let form = ChatProtocol(path: path) else { return }
        let request: ModelChatRequest
        do throws(RequestFault) {
            request = try form.read(document).request
        } catch {
            throw ModelRequestFault(error.field, error.reason)
        }
        guard request.tools.count <= ToolRegistry.toolLimit else {
            throw ModelRequestFault("tools", "expected at most \(ToolRegistry.toolLimit), got \(request.tools.count)")
        }
        if request.toolChoice != ChatToolChoice.none { tools = request.tools }
        let question = request.turns.lastIndex { $0.isOfUser }
        let following = request.turns[(question.map { $0 + 1 } ?? 0)...]
        guard let last = following.last else { return }
        guard case .toolResult = last else {
            throw ModelRequestFault(
                path == ChatProtocol.responses.path ? "input" : "messages",
                "the last message must be the user's, or the result of a call")
        }
        turns = Array(following)
    }

    /// The calls whose results came last; nil without results.
    var answeredCalls: [ChatCall]? {
        for case .assistant(let reply) in turns.reversed() where !reply.calls.isEmpty { return reply.calls }
        return nil
    }
}

extension ChatTurn {
    fileprivate var isOfUser: Bool {
        switch self {
        case .user, .parts: true
        case .system, .assistant, .toolResult: false
        }
    }
}
