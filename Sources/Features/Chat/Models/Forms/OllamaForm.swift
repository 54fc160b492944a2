import ChatRoom
import GatewayAPI
import Inference

/// `/api/chat` and `/api/generate` of Ollama: one object of JSON a line.
struct OllamaForm: AnswerForm {
    let question: ModelQuestion
    private let isChat: Bool

    init(_ body: JSONValue, at path: String) throws {
        isChat = path == "/api/chat"
        var question = try ModelQuestion(body, streams: true)
        if let think = body["think"] { question.thinks = think.flag ?? think.text.map { $0 != "none" } }
        if isChat {
            for (index, message) in (body["messages"]?.elements ?? []).enumerated() {
                try question.add(message, at: "messages[\(index)]")
            }
        } else {
            if !(body["images"]?.elements?.isEmpty ?? true) {
                throw ModelRequestFault("images", ModelRequestFault.textOnly)
            }
            if let system = body["system"]?.text, !system.isEmpty { question.instructions.append(system) }
            if let prompt = body["prompt"]?.text, !prompt.isEmpty {
                question.messages.append(EarlierMessage(isUser: true, text: prompt))
            }
        }
        self.question = question
    }

    func writer(_ head: AnswerHead) -> any AnswerWriter { OllamaAnswer(head, isChat: isChat) }

    /// The answer to a request without a question, which asks to load a model.
    func loaded(_ head: AnswerHead) -> [UInt8] { OllamaAnswer(head, isChat: isChat).loaded("load") }
}
