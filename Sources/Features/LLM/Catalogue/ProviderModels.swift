import Inference
import Synchronization
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The models of providers besides Ollama, as lists of models have them.
enum ProviderModels {
    /// The routes that list them. None of them is ever loaded, so `/api/ps` has none.
    static let paths: Set = ["/v1/models", "/api/tags"]
    /// The timeout for one provider's list. A provider that does not answer is left out.
    private static let timeout = Duration.seconds(3)
    /// How long a list is fresh, and how long a provider that did not answer is not asked again.
    private static let (freshness, pause) = (Duration.seconds(300), Duration.seconds(30))
    private static let known = Mutex<[String: (names: [String], until: ContinuousClock.Instant)]>([:])

    /// Asks all providers, or takes what they said a short time ago, and writes a list in a catalogue's form; nil for none.
    static func list(of providers: [RemoteProvider], _ catalogue: MergedCatalogue) async -> Data? {
        guard !providers.isEmpty else { return nil }
        let names = await withTaskGroup(of: [String].self) { group in
            for provider in providers { group.addTask { await Self.names(of: provider) } }
            var all: [String] = []
            for await names in group { all += names }
            return all.sorted()
        }
        return catalogue.list(of: names) { RemoteProvider.split($0)?.provider ?? "" }
    }

    private static func names(of provider: RemoteProvider) async -> [String] {
        // The address, since tests have several providers of one name.
        let configuration = provider.configuration
        let key = configuration.name + " " + configuration.upstream.baseURL
        if let found = known.withLock({ $0[key] }), found.until > .now { return found.names }
        let models = await withTaskGroup(of: [String]?.self) { group in
            group.addTask { try? await provider.chat.models() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        let names = (models ?? []).map { "\(configuration.name)/\($0)" }
        let until = ContinuousClock.now + (models == nil ? pause : freshness)
        known.withLock { $0[key] = (names, until) }
        return names
    }
}
