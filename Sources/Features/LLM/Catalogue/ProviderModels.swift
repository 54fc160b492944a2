import GatewayAPI
import Inference
import Synchronization
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The models of providers besides Ollama, as `/v1/models` lists them.
enum ProviderModels {
    /// The route that lists them. Ollama's own lists have Ollama's models only.
    static let path = "/v1/models"
    /// The timeout for one provider's list. A provider that does not answer is left out.
    private static let timeout = Duration.seconds(3)
    /// How long a list is fresh, and how long a provider that did not answer is not asked again.
    private static let (freshness, pause) = (Duration.seconds(300), Duration.seconds(30))
    private static let known = Mutex<[String: (names: [String], until: ContinuousClock.Instant)]>([:])

    /// Asks all providers, or takes what they said a short time ago, and writes a list in OpenAI's form; nil for none.
    static func list(of providers: [RemoteProvider]) async -> Data? {
        guard !providers.isEmpty else { return nil }
        let names = await withTaskGroup(of: [String].self) { group in
            for provider in providers { group.addTask { await Self.names(of: provider) } }
            var all: [String] = []
            for await names in group { all += names }
            return all.sorted()
        }
        let models = names.map { name in
            JSONValue.object([
                "id": .string(name), "object": .string("model"), "created": .integer(0),
                "owned_by": .string(RemoteProvider.split(name)?.provider ?? ""),
            ])
        }
        return Data(JSONValue.object(["object": .string("list"), "data": .array(models)]).json)
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
