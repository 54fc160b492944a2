import Access
import Hummingbird
package import Logging
import Machine
package import Server
import Storage

/// The routes of the console that belong to no other feature: requests, traffic.
package struct ConsoleAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// Writes the log of requests. Servers run it as a service.
    package let log: RequestLog
    private let observer: RequestObserver

    /// Opens the log of requests beside a database.
    package init(observer: RequestObserver, databasePath: String, settings: ConsoleSettings, logger: Logger) {
        self.observer = observer
        let (live, ring) = (observer.live, observer.traffic)
        log = RequestLog(
            databasePath: databasePath, limits: .init(days: settings.days), journal: observer.journal,
            traffic: .init(
                now: { WallClock.milliseconds }, inFlight: { live.count },
                sample: {
                    ring.sample(
                        residentBytes: ProcessMemory.resident ?? 0, inFlight: live.count, at: WallClock.milliseconds)
                }, take: ring.takeMinutes(before:), restore: ring.restore),
            logger: logger)
    }

    /// Adds the routes. All need the scope `admin`.
    package func add(to router: GatewayRouter) {
        let requests = RequestRoutes(log: log, live: observer.live)
        router.add(.get, "/api/requests", .requireScope(.admin), requests.list)
        router.add(.get, "/api/requests/live", .requireScope(.admin), requests.inFlight)
        router.add(.delete, "/api/requests/live/:id", .requireScope(.admin), requests.cancel)
        router.add(.get, "/api/admin/traffic", .requireScope(.admin), TrafficRoute(ring: observer.traffic).handle)
    }

    /// Writes the feature's metrics.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_request_log_dropped_total", .counter, "Requests that the stored log lacks.",
            log.journal?.dropped ?? 0)
    }
}
