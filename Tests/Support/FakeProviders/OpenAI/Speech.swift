import FakeOllama

extension Service {
    /// `/v1/audio/speech`: a sound of as many bytes as the text has characters, a thousand for each. They are no text.
    func speak(_ body: JSON) async throws {
        try require(model: body["model"]?.text)
        guard let text = body["input"]?.text, !text.isEmpty else {
            throw ProviderError(400, "invalid_request_error", "Field required: input")
        }
        let bytes = (0..<(text.count * 1000)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 128) }
        try await exchange.send(type: "audio/mpeg", bytes)
    }
}
