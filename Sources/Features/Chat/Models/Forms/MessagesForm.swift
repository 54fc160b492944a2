import GatewayAPI
import Inference

/// `/v1/messages` of Anthropic; citations are those of search results.
struct MessagesForm: AnswerForm {
    let question: ModelQuestion

    init(_ body: JSONValue, at path: String) throws {
        var question = try ModelQuestion(body, streams: false)
        if let thinking = body["thinking"]?["type"]?.text { question.thinks = thinking != "disabled" }
        let system = try MessageText.of(body["system"], at: "system")
        if !system.isEmpty { question.instructions.append(system) }
        for (index, message) in (body["messages"]?.elements ?? []).enumerated() {
            try question.add(message, at: "messages[\(index)]")
        }
        self.question = question
    }

    func writer(_ head: AnswerHead) -> any AnswerWriter { MessagesAnswer(head) }
}
