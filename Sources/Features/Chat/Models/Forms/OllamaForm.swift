import ChatRoom
import GatewayAPI
import Inference

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/api/chat` and `/api/generate` of Ollama: one JSON object a line.
struct OllamaForm: AnswerForm {
    static let streamType = "application/x-ndjson"

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

    func opening(_ head: AnswerHead) -> [UInt8] { [] }

    func text(_ piece: String, _ head: AnswerHead) -> [UInt8] { line(object(piece, head)) }

    func closing(_ answer: WholeAnswer) -> [UInt8] { line(whole(answer, text: "")) }

    func broken(_ error: [UInt8]) -> [UInt8] { error + [UInt8(ascii: "\n")] }

    func whole(_ answer: WholeAnswer) -> JSONValue { whole(answer, text: answer.text) }

    private func line(_ value: JSONValue) -> [UInt8] { value.json + [UInt8(ascii: "\n")] }

    private func object(_ text: String, _ head: AnswerHead, _ more: [String: JSONValue] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "model": .string(head.model), "created_at": .string(Self.time(head.created)), "done": .bool(false),
        ]
        if isChat {
            members["message"] = .object(["role": .string("assistant"), "content": .string(text)])
        } else {
            members["response"] = .string(text)
        }
        return .object(members.merging(more) { $1 })
    }

    private func whole(_ answer: WholeAnswer, text: String) -> JSONValue {
        let (total, first) = (answer.nanoseconds("total"), answer.nanoseconds("first_token"))
        var more: [String: JSONValue] = [
            "done": .bool(true), "done_reason": .string(answer.isCut ? "length" : "stop"),
            "total_duration": .integer(total), "load_duration": .integer(0),
            "prompt_eval_count": .integer(answer.promptTokens), "prompt_eval_duration": .integer(min(first, total)),
            "eval_count": .integer(answer.completionTokens), "eval_duration": .integer(max(0, total - first)),
        ]
        if !isChat { more["context"] = .array([]) }
        return object(text, answer.head, more)
    }

    /// The answer to a request without a question, which asks to load a model.
    func loaded(_ head: AnswerHead) -> JSONValue {
        object("", head, ["done": .bool(true), "done_reason": .string("load")])
    }

    static func time(_ seconds: Int64) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}
