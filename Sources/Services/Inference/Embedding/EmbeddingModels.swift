import Cryptography
package import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The models that embed: Ollama's, and `provider/model` of providers that embed.
package struct EmbeddingModels: Sendable {
    private let upstream: OllamaUpstream
    private let ollama: Admission
    private let providers: [String: RemoteProvider]

    /// Creates a list.
    ///
    /// - Parameter admission: Grants places at Ollama. Providers grant their own.
    package init(upstream: OllamaUpstream, admission: Admission, providers: [RemoteProvider] = []) {
        self.upstream = upstream
        ollama = admission
        self.providers = Dictionary(providers.map { ($0.configuration.name, $0) }) { first, _ in first }
    }

    private func remote(_ name: String) -> (provider: RemoteProvider, model: String)? {
        guard let (prefix, model) = RemoteProvider.split(name), let provider = providers[prefix] else { return nil }
        return (provider, model)
    }

    /// Whether texts for a model stay on machines of the user.
    ///
    /// - Throws: ``UpstreamError`` when Ollama does not say where the model runs. Nothing private may be sent then.
    @Sendable package func isLocal(_ name: String) async throws(UpstreamError) -> Bool {
        guard let (provider, model) = remote(name) else { return try await upstream.runsHere(name) }
        return provider.configuration.keeps(model)
    }

    /// Whether texts for a model leave the user's machines, as far as its name and address say.
    package func isSurelyRemote(_ name: String) -> Bool {
        guard let (provider, model) = remote(name) else { return upstream.knowsPlace(of: name) == false }
        return !provider.configuration.keeps(model)
    }

    /// The server of a model, for errors.
    package func peer(of name: String) -> String { remote(name)?.provider.configuration.upstream.peer ?? "Ollama" }

    /// Grants places at the server of a model.
    package func admission(for name: String) -> Admission { remote(name)?.provider.admission ?? ollama }

    /// Looks up what identifies the weights of a model.
    ///
    /// A provider's API has no digest. There, the provider's name, its address and the model's name are the identity.
    ///
    /// - Parameter timeout: The timeout of the first byte; nil for the configured one.
    /// - Throws: ``UpstreamError``, with status 404 for an unknown model of Ollama, 400 for a provider without
    ///   embeddings.
    package func digest(of name: String, within timeout: Duration? = nil) async throws(UpstreamError) -> String {
        guard let (provider, model) = remote(name) else { return try await upstream.digest(of: name, within: timeout) }
        _ = try embedder(provider)
        let configuration = provider.configuration
        let identity = [configuration.name, configuration.upstream.baseURL, model].joined(separator: "\n")
        let hash = SHA256.hash(data: Data(identity.utf8)).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "provider:" + hash.joined()
    }

    /// Embeds texts in one call.
    ///
    /// - Parameter received: Called when Ollama's answer is there, before it is parsed.
    func embed(
        _ model: EmbeddingModel, _ texts: [String], received: @Sendable () -> Void
    ) async throws(UpstreamError) -> Embeddings {
        guard let (provider, name) = remote(model.name) else {
            return try await upstream.embed(
                model: model.name, inputs: texts, dimensions: model.dimensions, options: model.options,
                truncates: model.truncates, received: received)
        }
        return try await embedder(provider)(provider.client, name, texts, model.dimensions)
    }

    /// Creates a reranker at the same servers. A name with a slash whose first part is no provider is a model at Ollama's
    /// address.
    package func reranker(_ options: Reranker.Options) -> Reranker {
        guard let (provider, model) = remote(options.model) else {
            return Reranker(options, .ollama(upstream, ollama))
        }
        let configuration = provider.configuration
        return Reranker(
            options,
            provider.rerank.map { .provider($0, model: model) }
                ?? .unable("provider \"\(configuration.name)\" has no reranking models"))
    }

    private func embedder(_ provider: RemoteProvider) throws(UpstreamError) -> ProviderDialect.Embed {
        guard let embed = provider.configuration.dialect.embed else {
            throw UpstreamError(
                .status, "provider \"\(provider.configuration.name)\" has no embedding models", status: 400)
        }
        return embed
    }
}
