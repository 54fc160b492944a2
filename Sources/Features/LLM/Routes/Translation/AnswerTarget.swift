import Inference

/// A model that may answer a request, with its provider.
struct AnswerTarget: Sendable {
    /// The expected wait for a place, in seconds, above which the next model is asked.
    static let longestWait = 10

    /// The model's full name.
    let name: String
    /// The model's name at its provider.
    let model: String
    let chat: any ChatProvider
    /// The provider; nil for Ollama.
    let remote: RemoteProvider?
    private let admission: Admission

    /// A model of another provider.
    init(_ name: String, _ model: String, of provider: RemoteProvider) {
        (self.name, self.model, chat, remote) = (name, model, provider.chat, provider)
        admission = provider.admission
    }

    /// A model of Ollama's.
    init(_ name: String, of ollama: any ChatProvider, _ admission: Admission) {
        (self.name, model, chat, remote, self.admission) = (name, name, ollama, nil, admission)
    }

    /// Whether a request would wait long for a place.
    var isBusy: Bool {
        let load = admission.load
        return load.inFlight >= admission.limits.maxInFlight && admission.expectedWaitSeconds > Self.longestWait
    }

    /// What a request needs and the provider's models cannot do.
    func lacks(_ request: ModelChatRequest) -> ProviderAbility? {
        request.needs.intersection(remote?.configuration.dialect.lacks ?? []).min { $0.rawValue < $1.rawValue }
    }
}
