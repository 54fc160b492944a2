import Transport

/// Lets Ollama compute a prompt before somebody needs it, while nobody needs Ollama.
///
/// Ollama keeps what it computed for the last prompt, so that the next one which begins alike costs only the rest. It keeps what it
/// computed of a request that was cancelled, too.
package struct PromptPrefill: Sendable {
    let upstream: OllamaUpstream
    let admission: Admission

    /// How it ended.
    package enum Outcome: Sendable, Hashable {
        /// Ollama has computed the prompt.
        case done
        /// Another request arrived, and the prompt was cancelled.
        case interrupted
        /// The model is not in memory. Loading it may put another one out, which somebody uses.
        case notLoaded
        /// There is nothing to compute.
        case nothing
    }

    /// How many requests came so far. Each of them may make Ollama forget what it computed last.
    package var requests: UInt64 { admission.arrivals }

    /// Waits until nobody needs Ollama, and lets it compute a prompt. The prompt takes no place, and is cancelled as soon as any request
    /// arrives.
    ///
    /// - Parameters:
    ///   - model: The model's name at Ollama.
    ///   - prompt: Makes the prompt when Ollama is idle; nil for nothing to compute. What the model says to it is dropped: one token.
    /// - Throws: ``UpstreamError``, `CancellationError`, what `prompt` throws.
    package func run(
        _ model: String, _ prompt: @escaping @Sendable () async throws -> ModelChatRequest?
    ) async throws -> Outcome {
        let outcome = try await admission.whileIdle { () async throws -> Outcome in
            guard try await upstream.isLoaded(model) else { return .notLoaded }
            guard var request = try await prompt() else { return .nothing }
            try Task.checkCancellation()
            // Ollama takes 0 for no limit.
            request.maxTokens = 1
            let response = try await upstream.chat(body: OllamaChatBody.encode(request))
            try await response.deliver(OllamaChatStream()) { _ in }
            await response.body.drain()
            return .done
        }
        return outcome ?? .interrupted
    }
}
