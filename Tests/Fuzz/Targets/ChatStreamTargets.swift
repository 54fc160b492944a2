import NIOCore

@testable import Inference
@testable import Transport

/// The streams of chats: Ollama's lines, and the events of other providers.
enum ChatStreamTargets {
    /// The events and the error are the same for every way to cut the bytes, and an answer either ends or fails.
    static let ollama = body { OllamaChatStream() }
    static let openAI = body { OpenAIChatStream(provider: "a") }
    static let anthropic = body { AnthropicChatStream(provider: "a") }

    private static func body<Parser: ChatStreamParser>(_ make: @escaping @Sendable () -> Parser) -> FuzzBody {
        { bytes in
            var input = Input(bytes)
            let seed = input.byte()
            let whole = read(make(), [input.rest])
            let parts = read(make(), input.pieces(seed))
            promise(whole.events == parts.events, "the cuts change the events")
            promise(whole.code == parts.code, "the cuts change the error")
            var ends = 0
            for case .ended in whole.events { ends += 1 }
            promise(ends == (whole.code == nil ? 1 : 0), "\(ends) ends with error \(whole.code ?? "none")")
        }
    }

    private static func read(
        _ parser: some ChatStreamParser, _ pieces: [ArraySlice<UInt8>]
    ) -> (events: [ChatEvent], code: String?) {
        var parser = parser
        var events: [ChatEvent] = []
        do throws(UpstreamError) {
            for piece in pieces { try parser.push(ByteBuffer(bytes: piece), &events) }
            try parser.finish(&events)
            return (events, nil)
        } catch {
            return (events, error.code.rawValue)
        }
    }
}
