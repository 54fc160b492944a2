import Logging
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EndpointPool {
    /// Bytes of a probe's answer at most.
    static let probeLimit = 16 << 20

    /// Asks the endpoints how they are until the task is cancelled; waits as long as there is nobody to ask.
    public func run() async {
        while !Task.isCancelled {
            if options.probesAlways || !isSingle { await probe() }
            let jitter = Double.random(in: 0.8...1.2)
            guard (try? await Task.sleep(for: options.probeInterval * jitter)) != nil else { return }
        }
    }

    /// Asks every endpoint once, all at the same time.
    public func probe() async {
        await withTaskGroup(of: Void.self) { group in
            for endpoint in endpoints { group.addTask { await self.probe(endpoint) } }
        }
    }

    /// Asks those of which nothing is known yet.
    func probeUnknown() async {
        let unknown = endpoints.filter(\.isUnknown)
        guard !unknown.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            for endpoint in unknown { group.addTask { await self.probe(endpoint) } }
        }
    }

    private func probe(_ endpoint: Endpoint) async {
        let (patience, limit) = (options.probeTimeout, Self.probeLimit)
        async let tags = endpoint.get("/api/tags", within: patience, limit: limit)
        let processes = await endpoint.get("/api/ps", within: patience, limit: limit)
        let result: Result<EndpointInventory, UpstreamError>
        do throws(UpstreamError) {
            let (tags, processes) = (try await tags.get(), try processes.get())
            guard let inventory = EndpointInventory(tags: tags, processes: processes) else {
                throw UpstreamError(.invalidResponse, "what it lists is not what Ollama sends")
            }
            result = .success(inventory)
        } catch {
            result = .failure(error)
        }
        // What was broken off from this side says nothing.
        if case .failure(let error) = result, Task.isCancelled || error.code == .shuttingDown { return }
        guard let isInOrder = endpoint.didProbe(result) else { return }
        if isInOrder {
            logger.notice("upstream is back", metadata: ["upstream": "\(endpoint.name)"])
        } else {
            logger.warning(
                "upstream is out of order",
                metadata: [
                    "upstream": "\(endpoint.name)", "error": "\(endpoint.status.reason ?? "requests fail there")",
                ])
        }
    }
}
