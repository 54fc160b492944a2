import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import NIOCore
import Server

/// `/api/llm/transcribe`: turns a recording into text by the model of `SELENE_TRANSCRIBE_MODEL`.
struct TranscribeRoute: Sendable {
    /// The largest recording, in bytes: what OpenAI takes. 13 minutes of 16-bit samples at 16 kHz fit.
    static let bodyLimit = 25 << 20

    let transcriber: Transcriber?

    /// `GET`: whether a model is set, so that a microphone can say so before anyone speaks.
    func status(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(TranscriberStatus(model: transcriber?.model))
    }

    /// `POST`: the body is the recording.
    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let transcriber else {
            throw GatewayError(
                .notFound, .init(rawValue: "no_transcriber"),
                "no model for speech is set; set SELENE_TRANSCRIBE_MODEL to one")
        }
        let language = try language(request)
        try context.requireModel(transcriber.model)
        guard let type = request.headers[.contentType], Recording(ByteBuffer(), contentType: type, language: nil) != nil
        else {
            throw GatewayError(
                .unsupportedMediaType, .unsupportedMediaType,
                "send a recording as one of \(Recording.contentTypes.joined(separator: ", "))")
        }
        let bytes = try await body(of: request, context)
        guard bytes.readableBytes > 0, let recording = Recording(bytes, contentType: type, language: language) else {
            throw GatewayError(.badRequest, .init(rawValue: "empty_recording"), "the recording is empty")
        }
        context.trace.use(model: transcriber.model)
        context.trace.enter(.waiting)
        let caller = context.identity.caller
        let answer = try await context.client.whilePresent {
            try await transcriber.transcribe(recording, for: caller)
        }
        context.recordTokens(prompt: answer.promptTokens, completion: answer.completionTokens)
        return JSONReply.response(answer.transcript)
    }

    private func language(_ request: Request) throws(GatewayError) -> String? {
        guard let language = request.queryField("language") else { return nil }
        guard (2...3).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
            throw GatewayError.field("language", "expected a code of two or three letters, such as \"de\"")
        }
        return language
    }

    private func body(of request: Request, _ context: GatewayRequestContext) async throws -> ByteBuffer {
        let tooLarge = GatewayError(
            .contentTooLarge, .tooLarge, "the recording is larger than \(Self.bodyLimit >> 20) MiB",
            headers: [.connection: "close"])
        if let length = request.headers[.contentLength].flatMap(Int.init), length > Self.bodyLimit { throw tooLarge }
        var bytes = ByteBuffer()
        for try await chunk in request.body {
            guard chunk.readableBytes <= Self.bodyLimit - bytes.readableBytes else { throw tooLarge }
            try context.body?.grow(by: chunk.readableBytes)
            bytes.writeImmutableBuffer(chunk)
        }
        return bytes
    }
}
