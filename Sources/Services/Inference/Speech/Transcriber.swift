package import GatewayAPI
import NIOCore
import Transport

/// Turns speech into text by a model behind `/v1/audio/transcriptions`: at a provider, or at Ollama's address.
package struct Transcriber: Sendable {
    private enum Backend: Sendable {
        case provider(RemoteSpeech, model: String)
        case ollama(OllamaUpstream, Admission)
    }

    /// The model as the settings name it.
    package let model: String
    private let backend: Backend

    /// Creates a transcriber.
    ///
    /// - Parameter model: A model at Ollama's address, or `provider/model`. A name with a slash whose first part is no
    ///   provider is a model at Ollama's address.
    package init(model: String, providers: [RemoteProvider], upstream: OllamaUpstream, admission: Admission) {
        self.model = model
        if let (name, rest) = RemoteProvider.split(model),
            let provider = providers.first(where: { $0.configuration.name == name }), let speech = provider.speech
        {
            backend = .provider(speech, model: rest)
        } else {
            backend = .ollama(upstream, admission)
        }
    }

    /// What a model heard.
    package struct Answer: Sendable {
        package var transcript: Transcript
        /// The tokens that the server counted, or an estimate from the text.
        package var promptTokens: Int
        package var completionTokens: Int
    }

    /// Turns a recording into text. Cancelling the task closes the upstream's connection.
    ///
    /// - Parameter caller: Takes a fair place in the queue of the upstream.
    /// - Throws: ``UpstreamError``, ``AdmissionError``, `CancellationError`.
    package func transcribe(_ recording: Recording, for caller: AdmissionCaller) async throws -> Answer {
        let value: JSONValue
        switch backend {
        case .provider(let speech, let model):
            value = try await speech.transcribe(recording, model: model, for: caller)
        case .ollama(let upstream, let admission):
            let permit = try await admission.acquire(caller)
            defer { permit.release() }
            value = try await upstream.transcribe(recording, model: model)
        }
        guard let text = value["text"]?.text else {
            throw UpstreamError(
                .invalidResponse, "the answer of \"\(model)\" to /v1/audio/transcriptions has no \"text\"")
        }
        let usage = value["usage"]
        return Answer(
            transcript: Transcript(
                text: text.trimmingSpace, model: model, language: value["language"]?.text),
            promptTokens: usage?["input_tokens"]?.count ?? 0,
            completionTokens: usage?["output_tokens"]?.count ?? AnswerTokens.estimate(bytes: text.utf8.count))
    }
}

/// A provider that turns speech into text.
package struct RemoteSpeech: Sendable {
    let client: RemoteClient
    let request: @Sendable (Recording, _ model: String) -> UpstreamRequest

    func transcribe(_ recording: Recording, model: String, for caller: AdmissionCaller) async throws -> JSONValue {
        try client.checkCloud(model)
        let permit = try await client.admission.acquire(caller)
        defer { permit.release() }
        return try await client.value(of: request(recording, model))
    }
}

extension UpstreamRequest {
    /// A recording in a form.
    static func transcription(_ recording: Recording, model: String, path: String) -> UpstreamRequest {
        let form = recording.form(model: model, boundary: Recording.boundary())
        return UpstreamRequest(
            method: "POST", path: path, headers: [("Content-Type", form.contentType), ("Accept", "application/json")],
            body: form.body)
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingSpace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
