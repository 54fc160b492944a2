import GatewayAPI
import Inference

/// `/v1/chat/completions` of OpenAI; citations are annotations.
struct CompletionsForm: AnswerForm {
    static let streamType = "text/event-stream"

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

    func opening(_ head: AnswerHead) -> [UInt8] {
        chunk(head, ["role": .string("assistant"), "content": .string("")])
    }

    func text(_ piece: String, _ head: AnswerHead) -> [UInt8] { chunk(head, ["content": .string(piece)]) }

    func closing(_ answer: WholeAnswer) -> [UInt8] {
        var bytes: [UInt8] = []
        let annotations = Self.annotations(answer)
        if !annotations.isEmpty { bytes += chunk(answer.head, ["annotations": .array(annotations)]) }
        bytes += chunk(answer.head, [:], reason: reason(answer))
        if includesUsage {
            bytes += Self.event(
                nil, object(answer.head, "chat.completion.chunk", ["choices": .array([]), "usage": Self.usage(answer)]))
        }
        return bytes + "data: [DONE]\n\n".utf8
    }

    func broken(_ error: [UInt8]) -> [UInt8] { Array("data: ".utf8) + error + Array("\n\n".utf8) }

    func whole(_ answer: WholeAnswer) -> JSONValue {
        let message: [String: JSONValue] = [
            "role": .string("assistant"), "content": .string(answer.text), "refusal": .null,
            "annotations": .array(Self.annotations(answer)),
        ]
        let choice: [String: JSONValue] = [
            "index": .integer(0), "message": .object(message), "finish_reason": .string(reason(answer)),
            "logprobs": .null,
        ]
        return object(
            answer.head, "chat.completion", ["choices": .array([.object(choice)]), "usage": Self.usage(answer)])
    }

    private func reason(_ answer: WholeAnswer) -> String { answer.isCut ? "length" : "stop" }

    private func object(_ head: AnswerHead, _ kind: String, _ more: [String: JSONValue]) -> JSONValue {
        let members: [String: JSONValue] = [
            "id": .string("chatcmpl-\(head.run)"), "object": .string(kind), "created": .integer(head.created),
            "model": .string(head.model),
        ]
        return .object(members.merging(more) { $1 })
    }

    private func chunk(_ head: AnswerHead, _ delta: [String: JSONValue], reason: String? = nil) -> [UInt8] {
        let choice: [String: JSONValue] = [
            "index": .integer(0), "delta": .object(delta), "finish_reason": reason.map(JSONValue.string) ?? .null,
        ]
        return Self.event(nil, object(head, "chat.completion.chunk", ["choices": .array([.object(choice)])]))
    }

    private static func usage(_ answer: WholeAnswer) -> JSONValue {
        .object([
            "prompt_tokens": .integer(answer.promptTokens), "completion_tokens": .integer(answer.completionTokens),
            "total_tokens": .integer(answer.promptTokens + answer.completionTokens),
        ])
    }

    private static func annotations(_ answer: WholeAnswer) -> [JSONValue] {
        answer.sources.citations.map { citation in
            .object(["type": .string("url_citation"), "url_citation": .object(citation.members)])
        }
    }
}

extension AnswerSources.Citation {
    /// The members of OpenAI's citation of a page.
    var members: [String: JSONValue] {
        [
            "start_index": .integer(Int64(range.lowerBound)), "end_index": .integer(Int64(range.upperBound)),
            "title": .string(passage.title), "url": .string(address),
        ]
    }
}
