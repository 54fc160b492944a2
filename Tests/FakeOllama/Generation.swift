import Foundation
import NIOCore

/// `/api/generate` and `/api/chat`: synthetic text, streamed as Ollama streams, with the faults of streams.
struct Generation {
    let exchange: Exchange
    let fault: Fault.Kind?
    let isChat: Bool

    private struct Body: Decodable {
        struct Message: Decodable { var content: String? }
        struct Options: Decodable { var num_predict: Int? }
        var model: String
        var prompt: String?
        var messages: [Message]?
        var stream: Bool?
        var options: Options?
    }

    private var options: FakeOllama.Options { exchange.server.options }

    func run() async throws {
        guard let body = try? JSONDecoder().decode(Body.self, from: exchange.body) else {
            return try await exchange.send(status: 400, #"{"error":"invalid request"}"#)
        }
        let api = API(exchange: exchange)
        guard api.isKnown(body.model) else { return try await api.notFound(body.model) }
        let prompt = body.prompt ?? body.messages?.last?.content ?? ""
        // A negative number asks for as many as the model likes.
        let asked = body.options?.num_predict ?? -1
        let tokens =
            prompt.isEmpty ? [] : SyntheticText.tokens(for: prompt, limit: asked < 0 ? options.tokens : asked)
        try await exchange.pause(options.latency)
        if body.stream ?? true {
            try await stream(tokens, body: body, promptTokens: SyntheticText.count(prompt))
        } else {
            for _ in tokens { try await exchange.pause(tokenPause) }
            try await exchange.send(
                line(tokens.joined(), model: body.model, ending: (tokens.count, SyntheticText.count(prompt))))
        }
    }

    private var tokenPause: Double { options.tokensPerSecond > 0 ? 1 / options.tokensPerSecond : 0 }

    private func stream(_ tokens: [String], body: Body, promptTokens: Int) async throws {
        try await exchange.startReply(status: 200, headers: [("Content-Type", "application/x-ndjson")])
        if case .giantLine(let bytes) = fault {
            try await put(line(String(repeating: "x", count: bytes), model: body.model, ending: nil))
        }
        for (index, token) in tokens.enumerated() {
            try await misbehave(after: index)
            if tokenPause > 0 { try await exchange.pause(tokenPause) }
            try await put(line(token, model: body.model, ending: nil))
        }
        try await misbehave(after: tokens.count)
        try await put(line("", model: body.model, ending: (tokens.count, promptTokens)))
        try await exchange.endReply()
    }

    /// What a fault does once so many lines were sent.
    private func misbehave(after sent: Int) async throws {
        switch fault {
        case .cut(sent): try await exchange.hangUp(reset: false)
        case .reset(sent): try await exchange.hangUp(reset: true)
        case .stallMid(sent, let seconds): try await exchange.pause(seconds)
        case .badJSON(sent): try await put(#"{"model":"broken","response":"#)
        case .errorLine(sent):
            try await put(#"{"error":"the model stopped unexpectedly"}"#)
            try await exchange.endReply()
            throw Exchange.Ended()
        default: break
        }
    }

    private func put(_ line: String) async throws {
        try await exchange.write(ByteBuffer(string: line + "\n"))
    }

    private func line(_ text: String, model: String, ending: (tokens: Int, promptTokens: Int)?) -> String {
        let content =
            isChat ? #""message":{"role":"assistant","content":\#(quoted(text))}"# : #""response":\#(quoted(text))"#
        var line = #"{"model":\#(quoted(model)),"created_at":"2026-01-01T00:00:00.000000001Z",\#(content),"#
        guard let ending else { return line + #""done":false}"# }
        line += #""done":true,"done_reason":"stop","total_duration":5000000,"load_duration":1000000,"#
        line += #""prompt_eval_count":\#(ending.promptTokens),"prompt_eval_duration":1000000,"#
        return line + #""eval_count":\#(ending.tokens),"eval_duration":3000000}"#
    }
}

/// What a model without a model says.
enum SyntheticText {
    private static let words = """
        the gateway passes every line of this answer on as it comes so that a reader sees the first word before the last
        one is written and a test can count what arrived
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The words of a text.
    static func count(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }

    /// The tokens of an answer: from the numbered notes of a prompt when there are some, else plain words.
    static func tokens(for prompt: String, limit: Int) -> [String] {
        if let answer = answerFromNotes(in: prompt) {
            return answer.split(separator: " ").map { $0 + " " }
        }
        return (0..<max(0, limit)).map { words[$0 % words.count] + " " }
    }

    /// The two sentences of the notes that share most words with the question, each with its note's number.
    private static func answerFromNotes(in prompt: String) -> String? {
        let lines = prompt.split(separator: "\n")
        guard let question = lines.last(where: { $0.hasPrefix("Question: ") })?.dropFirst(10) else { return nil }
        let embedding = HashedEmbedding(dimensions: 512)
        let wanted = embedding.vector(for: String(question))
        var sentences: [(score: Float, number: Substring, text: String)] = []
        for line in lines where line.hasPrefix("[") {
            guard let end = line.firstIndex(of: "]"), let start = line.range(of: "): ")?.upperBound else { continue }
            for sentence in line[start...].split(separator: ".") where sentence.count > 20 {
                let text = sentence.trimmingCharacters(in: .whitespaces)
                let score = zip(embedding.vector(for: text), wanted).reduce(0) { $0 + $1.0 * $1.1 }
                sentences.append((score, line[line.index(after: line.startIndex)..<end], text))
            }
        }
        guard !sentences.isEmpty else { return nil }
        let best = sentences.enumerated().sorted {
            $0.element.score != $1.element.score ? $0.element.score > $1.element.score : $0.offset < $1.offset
        }
        return best.prefix(2).map { "\($0.element.text) [\($0.element.number)]." }.joined(separator: " ")
    }
}
