import ChatRoom
import GatewayAPI
import Inference

/// `/v1/messages` of Anthropic; citations are those of search results.
struct MessagesForm: AnswerForm {
    static let streamType = "text/event-stream"

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

    func opening(_ head: AnswerHead) -> [UInt8] {
        Self.event(
            "message_start",
            .object(["type": .string("message_start"), "message": message(head, content: [], reason: nil, (0, 0))]))
            + Self.event(
                "content_block_start",
                .object([
                    "type": .string("content_block_start"), "index": .integer(0),
                    "content_block": .object(["type": .string("text"), "text": .string("")]),
                ]))
    }

    func text(_ piece: String, _ head: AnswerHead) -> [UInt8] {
        delta(["type": .string("text_delta"), "text": .string(piece)])
    }

    func closing(_ answer: WholeAnswer) -> [UInt8] {
        var bytes: [UInt8] = []
        for citation in Self.citations(answer) {
            bytes += delta(["type": .string("citations_delta"), "citation": citation])
        }
        let stop: [String: JSONValue] = ["type": .string("content_block_stop"), "index": .integer(0)]
        bytes += Self.event("content_block_stop", .object(stop))
        let usage: [String: JSONValue] = [
            "input_tokens": .integer(answer.promptTokens), "output_tokens": .integer(answer.completionTokens),
        ]
        bytes += Self.event(
            "message_delta",
            .object([
                "type": .string("message_delta"), "usage": .object(usage),
                "delta": .object(["stop_reason": .string(reason(answer)), "stop_sequence": .null]),
            ]))
        return bytes + Self.event("message_stop", .object(["type": .string("message_stop")]))
    }

    func broken(_ error: [UInt8]) -> [UInt8] { Array("event: error\ndata: ".utf8) + error + Array("\n\n".utf8) }

    func whole(_ answer: WholeAnswer) -> JSONValue {
        var block: [String: JSONValue] = ["type": .string("text"), "text": .string(answer.text)]
        let citations = Self.citations(answer)
        if !citations.isEmpty { block["citations"] = .array(citations) }
        return message(
            answer.head, content: [.object(block)], reason: reason(answer),
            (answer.promptTokens, answer.completionTokens))
    }

    private func reason(_ answer: WholeAnswer) -> String { answer.isCut ? "max_tokens" : "end_turn" }

    private func message(
        _ head: AnswerHead, content: [JSONValue], reason: String?, _ tokens: (Int64, Int64)
    ) -> JSONValue {
        .object([
            "id": .string("msg_\(head.run)"), "type": .string("message"), "role": .string("assistant"),
            "model": .string(head.model), "content": .array(content),
            "stop_reason": reason.map(JSONValue.string) ?? .null, "stop_sequence": .null,
            "usage": .object(["input_tokens": .integer(tokens.0), "output_tokens": .integer(tokens.1)]),
        ])
    }

    private func delta(_ delta: [String: JSONValue]) -> [UInt8] {
        Self.event(
            "content_block_delta",
            .object(["type": .string("content_block_delta"), "index": .integer(0), "delta": .object(delta)]))
    }

    private static func citations(_ answer: WholeAnswer) -> [JSONValue] {
        let places = Dictionary(
            answer.sources.passages.enumerated().map { ($1.number, Int64($0)) }, uniquingKeysWith: { first, _ in first }
        )
        return answer.sources.citations.map { citation in
            .object([
                "type": .string("search_result_location"), "cited_text": .string(citation.passage.text),
                "title": .string(citation.passage.title), "source": .string(citation.address),
                "search_result_index": .integer(places[citation.passage.number] ?? 0),
                "start_block_index": .integer(0), "end_block_index": .integer(1),
            ])
        }
    }
}
