package import Logging
package import Transport

/// A provider besides Ollama, with what its users share: chats, embeddings and forwarded requests have one limit.
package struct RemoteProvider: Sendable {
    /// The settings.
    package let configuration: ProviderConfiguration
    /// Grants the provider's places.
    package let admission: Admission
    let client: RemoteClient
    /// Chats with its models.
    package let chat: any ChatProvider
    /// Turns speech into text; nil when its API cannot.
    package let speech: RemoteSpeech?
    /// Scores texts for a query; nil when its API cannot.
    package let rerank: RemoteRerank?
    /// Forwards requests to it, with its key.
    package let pool: EndpointPool

    /// Creates a provider.
    ///
    /// - Throws: ``UpstreamError`` when the process has no free descriptor.
    package init(
        _ configuration: ProviderConfiguration, cloud: CloudSwitch = CloudSwitch(), logger: Logger
    ) throws(UpstreamError) {
        self.configuration = configuration
        admission = Admission(maxInFlight: configuration.maxInFlight, maxWaiting: configuration.maxWaiting)
        let dialect = configuration.dialect
        let client = try RemoteClient(configuration, admission: admission, cloud: cloud)
        self.client = client
        chat = dialect.chat(client)
        speech = dialect.transcription.map { RemoteSpeech(client: client, request: $0) }
        rerank = dialect.rerank.map { RemoteRerank(client: client, request: $0) }
        pool = try EndpointPool(
            [EndpointConfiguration(name: configuration.name, upstream: configuration.upstream)], logger: logger)
    }

    /// Creates the configured providers.
    ///
    /// - Throws: As ``init(_:logger:)``.
    package static func all(
        _ configurations: [ProviderConfiguration], cloud: CloudSwitch = CloudSwitch(), logger: Logger
    ) throws(UpstreamError) -> [RemoteProvider] {
        var providers: [RemoteProvider] = []
        for configuration in configurations {
            providers.append(try RemoteProvider(configuration, cloud: cloud, logger: logger))
        }
        return providers
    }

    /// The part of `provider/model` before the first slash, and the rest; nil without one.
    package static func split(_ name: String) -> (provider: String, model: String)? {
        let prefix = name.prefix { $0 != "/" }
        let model = name.dropFirst(prefix.count + 1)
        return model.isEmpty ? nil : (String(prefix), String(model))
    }
}
