import GatewayAPI

@testable import Inference

/// Requests of clients, in each protocol.
enum ChatRequestTargets {
    /// What is read can be written for every provider as JSON, and can be read again.
    static let requests: FuzzBody = { bytes in
        guard let form = ChatProtocol.allCases.randomElement(of: bytes.first),
            let document = try? JSONDocument(parsing: Array(bytes.dropFirst())), let read = try? form.read(document)
        else { return }
        let sent = [
            OllamaChatBody.json(read.request), OpenAIChatBody(provider: "a", canThink: true).encode(read.request),
            AnthropicChatBody(provider: "a", model: AnthropicModel()).encode(read.request),
        ]
        for body in sent { promise((try? JSONDocument(parsing: body)) != nil, "what is sent is not JSON") }
        let again = (try? JSONDocument(parsing: sent[0])).flatMap { try? ChatProtocol.ollamaChat.read($0) }
        promise(again != nil, "what is sent to Ollama cannot be read")
    }
}

extension Array {
    /// The element that a byte names.
    fileprivate func randomElement(of byte: UInt8?) -> Element? { byte.map { self[Int($0) % count] } }
}
