import Logging
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EndpointPool {
    /// The maximum size of a probe's answer, in bytes.
    static let probeLimit = 16 << 20

    /// Probes the endpoints periodically until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            if options.probesAlways || !isSingle { await probe() }
            let jitter = Double.random(in: 0.8...1.2)
            guard (try? await Task.sleep(for: options.probeInterval * jitter)) != nil else { return }
        }
    }

    /// Probes every endpoint once, all concurrently.
    package func probe() async {
        await withTaskGroup(of: Void.self) { group in
            for endpoint in endpoints { group.addTask { await self.probe(endpoint) } }
        }
    }

    /// Probes the endpoints whose state is unknown.
    func probeUnknown() async {
        let unknown = endpoints.filter(\.isUnknown)
        guard !unknown.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            for endpoint in unknown { group.addTask { await self.probe(endpoint) } }
        }
    }

    private func probe(_ endpoint: Endpoint) async {
        let (timeout, limit) = (options.probeTimeout, Self.probeLimit)
        async let tags = endpoint.get("/api/tags", within: timeout, limit: limit)
        let processes = await endpoint.get("/api/ps", within: timeout, limit: limit)
        let result: Result<EndpointInventory, UpstreamError>
        do throws(UpstreamError) {
            let (tags, processes) = (try await tags.get(), try processes.get())
            guard let inventory = EndpointInventory(tags: tags, processes: processes) else {
                throw UpstreamError(.invalidResponse, "the answer to /api/tags or /api/ps has an unexpected format")
            }
            result = .success(inventory)
        } catch {
            result = .failure(error)
        }
        // A probe that was cancelled here says nothing about the endpoint.
        if case .failure(let error) = result, Task.isCancelled || error.code == .shuttingDown { return }
        guard let isHealthy = endpoint.didProbe(result) else { return }
        if isHealthy {
            logger.notice("upstream is healthy again", metadata: ["upstream": "\(endpoint.name)"])
        } else {
            logger.warning(
                "upstream is unhealthy",
                metadata: [
                    "upstream": "\(endpoint.name)", "error": "\(endpoint.status.reason ?? "requests fail there")",
                ])
        }
    }
}
