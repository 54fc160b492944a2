import ChatRoom
import GatewayAPI
import Inference

/// `/v1/responses` of OpenAI; citations are annotations.
struct ResponsesForm: AnswerForm {
    static let streamType = "text/event-stream"
    /// What stands before the run's id in the id of a response.
    private static let prefix = "resp_"

    let question: ModelQuestion
    private var sequence: Int64 = 0

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
            for (index, item) in items.enumerated() where item["type"]?.text != "reasoning" {
                guard item["type"]?.text ?? "message" == "message" else {
                    throw ModelRequestFault("input[\(index)].type", ModelRequestFault.textOnly)
                }
                try question.add(item, at: "input[\(index)]")
            }
        default: throw ModelRequestFault("input", "is required")
        }
        if let previous = body["previous_response_id"]?.text {
            guard previous.hasPrefix(Self.prefix) else {
                throw ModelRequestFault("previous_response_id", "no answer has this id")
            }
            question.previous = String(previous.dropFirst(Self.prefix.count))
        }
        self.question = question
    }

    mutating func opening(_ head: AnswerHead) -> [UInt8] {
        let begun = response(head, status: "in_progress", output: [], usage: nil, answer: nil)
        let item = message(head, status: "in_progress", content: [])
        return event("response.created", ["response": begun]) + event("response.in_progress", ["response": begun])
            + event("response.output_item.added", ["output_index": .integer(0), "item": item])
            + event("response.content_part.added", part(head, ["part": Self.content("", [])]))
    }

    mutating func text(_ piece: String, _ head: AnswerHead) -> [UInt8] {
        event("response.output_text.delta", part(head, ["delta": .string(piece), "logprobs": .array([])]))
    }

    mutating func closing(_ answer: WholeAnswer) -> [UInt8] {
        let (head, annotations) = (answer.head, Self.annotations(answer))
        var bytes: [UInt8] = []
        for (index, annotation) in annotations.enumerated() {
            bytes += event(
                "response.output_text.annotation.added",
                part(head, ["annotation_index": .integer(Int64(index)), "annotation": annotation]))
        }
        let content = Self.content(answer.text, annotations)
        bytes += event("response.output_text.done", part(head, ["text": .string(answer.text), "logprobs": .array([])]))
        bytes += event("response.content_part.done", part(head, ["part": content]))
        let item = message(head, status: "completed", content: [content])
        bytes += event("response.output_item.done", ["output_index": .integer(0), "item": item])
        return bytes
            + event(answer.isCut ? "response.incomplete" : "response.completed", ["response": whole(answer)])
    }

    func broken(_ error: [UInt8]) -> [UInt8] { Array("event: error\ndata: ".utf8) + error + Array("\n\n".utf8) }

    func whole(_ answer: WholeAnswer) -> JSONValue {
        let content = Self.content(answer.text, Self.annotations(answer))
        let usage: [String: JSONValue] = [
            "input_tokens": .integer(answer.promptTokens), "output_tokens": .integer(answer.completionTokens),
            "total_tokens": .integer(answer.promptTokens + answer.completionTokens),
            "input_tokens_details": .object(["cached_tokens": .integer(0)]),
            "output_tokens_details": .object(["reasoning_tokens": .integer(0)]),
        ]
        return response(
            answer.head, status: answer.isCut ? "incomplete" : "completed",
            output: [message(answer.head, status: "completed", content: [content])], usage: .object(usage),
            answer: answer)
    }

    private func response(
        _ head: AnswerHead, status: String, output: [JSONValue], usage: JSONValue?, answer: WholeAnswer?
    ) -> JSONValue {
        let cut = answer?.isCut == true
        return .object([
            "id": .string(Self.prefix + head.run), "object": .string("response"), "created_at": .integer(head.created),
            "status": .string(status), "model": .string(head.model), "output": .array(output),
            "usage": usage ?? .null, "error": .null,
            "incomplete_details": cut ? .object(["reason": .string("max_output_tokens")]) : .null,
            "instructions": .null, "metadata": .object([:]), "parallel_tool_calls": .bool(false),
            "previous_response_id": question.previous.map { .string(Self.prefix + $0) } ?? .null,
            "tool_choice": .string("none"), "tools": .array([]), "temperature": .null, "top_p": .null,
        ])
    }

    private func message(_ head: AnswerHead, status: String, content: [JSONValue]) -> JSONValue {
        .object([
            "id": .string("msg_\(head.run)"), "type": .string("message"), "role": .string("assistant"),
            "status": .string(status), "content": .array(content),
        ])
    }

    private static func content(_ text: String, _ annotations: [JSONValue]) -> JSONValue {
        .object([
            "type": .string("output_text"), "text": .string(text), "annotations": .array(annotations),
            "logprobs": .array([]),
        ])
    }

    private static func annotations(_ answer: WholeAnswer) -> [JSONValue] {
        answer.sources.citations.map { citation in
            .object(citation.members.merging(["type": .string("url_citation")]) { $1 })
        }
    }

    private func part(_ head: AnswerHead, _ more: [String: JSONValue]) -> [String: JSONValue] {
        let members: [String: JSONValue] = [
            "item_id": .string("msg_\(head.run)"), "output_index": .integer(0), "content_index": .integer(0),
        ]
        return members.merging(more) { $1 }
    }

    private mutating func event(_ name: String, _ members: [String: JSONValue]) -> [UInt8] {
        defer { sequence += 1 }
        let more: [String: JSONValue] = ["type": .string(name), "sequence_number": .integer(sequence)]
        return Self.event(name, .object(members.merging(more) { $1 }))
    }
}
