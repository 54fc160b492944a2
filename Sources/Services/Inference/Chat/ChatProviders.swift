/// The providers of a gateway: Ollama, and those that the settings name.
package struct ChatProviders: Sendable {
    package let ollama: any ChatProvider
    /// The others, in order.
    package let others: [any ChatProvider]

    package init(ollama: any ChatProvider, others: [any ChatProvider] = []) {
        self.ollama = ollama
        self.others = others
    }

    package init(_ upstream: OllamaUpstream, _ admission: Admission, others: [RemoteProvider]) {
        self.init(ollama: OllamaChat(upstream: upstream, admission: admission), others: others.map(\.chat))
    }

    /// All providers, Ollama first.
    package var all: [any ChatProvider] { [ollama] + others }

    /// Whether a model may run, or may have run, on machines of the user, as far as its name and its provider say.
    ///
    /// Ollama's address may have changed since an answer was made, so its models count whatever the address is today.
    package func mayRunHere(_ name: String) -> Bool {
        let (provider, model) = resolve(name)
        return (provider.name == ollama.name || provider.isLocal) && !ModelPlace.isCloudName(model)
    }

    /// Finds the provider of a model.
    ///
    /// `provider/model` is the model of a configured provider. Any other name is Ollama's, also one with slashes such
    /// as `hf.co/x/y`. So no other provider is used unless it is named.
    /// - Parameter name: A name that a user gave.
    /// - Returns: The provider, and the model's name there.
    package func resolve(_ name: String) -> (provider: any ChatProvider, model: String) {
        guard let (prefix, model) = RemoteProvider.split(name), let provider = all.first(where: { $0.name == prefix })
        else { return (ollama, name) }
        return (provider, model)
    }
}
