import Access
import Hummingbird
package import Logging
import Machine
package import Server
package import Storage

/// The routes of the console that belong to no other feature: requests, traffic, keys.
package struct ConsoleAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// Writes the log of requests. Servers run it as a service.
    package let log: RequestLog
    private let observer: RequestObserver
    private let keys: KeyStore

    /// Opens the log of requests beside a database.
    package init(observer: RequestObserver, database: GatewayDatabase, settings: ConsoleSettings, logger: Logger) {
        (self.observer, keys) = (observer, database.keys)
        let (live, ring) = (observer.live, observer.traffic)
        log = RequestLog(
            databasePath: database.path, limits: .init(days: settings.days), journal: observer.journal,
            traffic: .init(
                now: { WallClock.milliseconds }, inFlight: { live.count },
                sample: {
                    ring.sample(
                        residentBytes: ProcessMemory.resident ?? 0, inFlight: live.count, at: WallClock.milliseconds)
                }, take: ring.takeMinutes(before:), restore: ring.restore),
            logger: logger)
    }

    /// What the console shows live: requests in flight, and the traffic of the current minute.
    package var topics: [LiveTopic] {
        [RequestRoutes(log: log, live: observer.live).topic, TrafficRoute(ring: observer.traffic).topic]
    }

    /// Adds the routes. All need the scope `admin`.
    package func add(to router: GatewayRouter) {
        let requests = RequestRoutes(log: log, live: observer.live)
        router.add(.get, "/api/requests", .requireScope(.admin), requests.list)
        router.add(.get, "/api/requests/live", .requireScope(.admin), requests.inFlight)
        router.add(.delete, "/api/requests/live/:id", .requireScope(.admin), requests.cancel)
        router.add(.get, "/api/admin/traffic", .requireScope(.admin), TrafficRoute(ring: observer.traffic).handle)
        let keys = KeyRoutes(keys)
        router.add(.get, "/api/admin/keys", .requireScope(.admin), keys.list)
        router.add(.post, "/api/admin/keys", .requireScope(.admin), keys.add)
        router.add(.get, "/api/admin/keys/:id", .requireScope(.admin), keys.show)
        router.add(.patch, "/api/admin/keys/:id", .requireScope(.admin), keys.edit)
        router.add(.delete, "/api/admin/keys/:id", .requireScope(.admin), keys.revoke)
    }

    /// Writes the feature's metrics.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_request_log_dropped_total", .counter, "Requests that the stored log lacks.",
            log.journal?.dropped ?? 0)
    }
}
