import ChatRoom
import GatewayAPI
import Inference

/// `/v1/responses` of OpenAI; citations are annotations.
struct ResponsesForm: AnswerForm {
    let question: ModelQuestion

    init(_ body: JSONValue, at path: String) throws {
        var question = try ModelQuestion(body, streams: false)
        if let format = body["text"]?["format"]?["type"]?.text, format != "text" {
            throw ModelRequestFault("text.format", ModelRequestFault.textOnly)
        }
        if let effort = body["reasoning"]?["effort"]?.text { question.thinks = effort != "none" }
        if let text = body["instructions"]?.text, !text.isEmpty { question.instructions.append(text) }
        switch body["input"] {
        case .string(let text): question.messages.append(EarlierMessage(isUser: true, text: text))
        case .array(let items):
            let goesOn = body["previous_response_id"]?.text != nil
            for (index, item) in items.enumerated() {
                switch item["type"]?.text ?? "message" {
                case "message": try question.add(item, at: "input[\(index)]")
                case "reasoning": continue
                case "function_call" where !goesOn: question.call("")
                case "function_call_output" where !goesOn: continue
                case "function_call", "function_call_output":
                    throw ModelRequestFault(
                        "input[\(index)].type", "send the whole conversation in \"input\", without previous_response_id"
                    )
                default: throw ModelRequestFault("input[\(index)].type", ModelRequestFault.textOnly)
                }
            }
        default: throw ModelRequestFault("input", "is required")
        }
        if let previous = body["previous_response_id"]?.text {
            guard previous.hasPrefix(ResponsesAnswer.prefix) else {
                throw ModelRequestFault("previous_response_id", "no answer has this id")
            }
            question.previous = String(previous.dropFirst(ResponsesAnswer.prefix.count))
        }
        self.question = question
    }

    func writer(_ head: AnswerHead) -> any AnswerWriter {
        ResponsesAnswer(
            head, callsInParallel: false, previous: question.previous.map { ResponsesAnswer.prefix + $0 })
    }
}
