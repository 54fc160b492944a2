import GatewayAPI
import Inference

/// `/v1/chat/completions` of OpenAI; citations are annotations.
struct CompletionsForm: AnswerForm {
    let question: ModelQuestion
    private let includesUsage: Bool

    init(_ body: JSONValue, at path: String) throws {
        var question = try ModelQuestion(body, streams: false)
        if let effort = body["reasoning_effort"]?.text { question.thinks = effort != "none" }
        for (index, message) in (body["messages"]?.elements ?? []).enumerated() {
            try question.add(message, at: "messages[\(index)]")
        }
        if let count = body["n"], count != .integer(1), count != .null {
            throw ModelRequestFault("n", "a model of the notes gives one answer")
        }
        includesUsage = body["stream_options"]?["include_usage"]?.flag ?? false
        self.question = question
    }

    func writer(_ head: AnswerHead) -> any AnswerWriter { CompletionsAnswer(head, givesUsage: includesUsage) }
}
