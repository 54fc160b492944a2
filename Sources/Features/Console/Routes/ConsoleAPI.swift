package import Access
import AuditRoom
import Database
import EvaluationRoom
import GatewayAPI
import Hummingbird
package import Inference
package import JobRoom
import KeyRoom
package import Logging
import Machine
package import Server
package import ServiceLifecycle
package import Storage
import Traffic

/// The routes of the console that belong to no other feature: requests, traffic, keys.
package struct ConsoleAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// Writes the log of requests.
    package let log: RequestLog
    /// What servers run.
    package let services: [any Service]
    private let observer: RequestObserver
    private let embeddings: any EmbeddingAdministration
    private let keys: KeyRoom
    private let audit: AuditRoom
    private let evaluations: EvaluationService

    /// Opens the log of requests beside a database.
    ///
    /// - Parameter store: Keeps the reports of retrieval.
    package init(
        observer: RequestObserver, database: GatewayDatabase, store: any GatewayStore, settings: ConsoleSettings,
        logger: Logger
    ) {
        (self.observer, embeddings, keys, audit) = (observer, store.embeddings, store.keys, store.audit)
        evaluations = EvaluationService(folder: settings.evaluations, reports: store.evaluations)
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
        var services: [any Service] = [log]
        if let copies = EvaluationCopies(from: database, to: store, logger: logger) { services.append(copies) }
        self.services = services
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
        router.add(.delete, "/api/requests/live/:id", .requireScope(.admin), audit: .requestStop, requests.cancel)
        router.add(.get, "/api/audit", .requireScope(.admin), AuditRoutes(audit: audit).list)
        router.add(.get, "/api/admin/traffic", .requireScope(.admin), TrafficRoute(ring: observer.traffic).handle)
        let keys = KeyRoutes(keys)
        router.add(.get, "/api/admin/keys", .requireScope(.admin), keys.list)
        router.add(.post, "/api/admin/keys", .requireScope(.admin), audit: .keyCreate, keys.add)
        router.add(.get, "/api/admin/keys/:id", .requireScope(.admin), keys.show)
        router.add(.patch, "/api/admin/keys/:id", .requireScope(.admin), audit: .keyChange, keys.edit)
        router.add(.delete, "/api/admin/keys/:id", .requireScope(.admin), audit: .keyRevoke, keys.revoke)
        let failed = FailedNoteRoutes(embeddings: embeddings)
        router.add(.get, "/api/admin/failed-notes", .requireScope(.admin), failed.list)
        router.add(
            .post, "/api/admin/failed-notes/:space/:note/retry", .requireScope(.admin), takesFields: false,
            audit: .failedNoteRetry, failed.retry)
        router.add(
            .delete, "/api/admin/failed-notes/:space/:note", .requireScope(.admin), audit: .failedNoteDiscard,
            failed.discard)
        let evaluations = EvaluationRoutes(service: evaluations)
        router.add(.get, "/api/admin/evaluations", .requireScope(.admin), evaluations.list)
        router.add(.get, "/api/admin/evaluations/collections", .requireScope(.admin), evaluations.collections)
        router.add(.get, "/api/admin/evaluations/:id", .requireScope(.admin), evaluations.show)
        router.add(
            .delete, "/api/admin/evaluations/:id", .requireScope(.admin), audit: .evaluationDelete, evaluations.delete)
        router.add(.get, "/api/admin/evaluations/:id/compare/:other", .requireScope(.admin), evaluations.compare)
        router.add(.post, "/api/admin/evaluations/:id/gates", .requireScope(.admin), evaluations.gates)
    }

    /// The work of jobs that measure retrieval.
    ///
    /// - Parameter model: Embeds the texts of collections without ready vectors.
    package func evaluation(lane: EmbeddingLane, model: String, keys: KeyRing)
        -> @Sendable (
            _ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void
        ) async throws -> String?
    {
        { [evaluations] job, report in
            try await evaluations.work(job, lane: lane, model: model, account: keys.account(ofKey: job.keyID), report)
        }
    }

    /// Writes the feature's metrics.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_request_log_dropped_total", .counter, "Requests that the stored log lacks.",
            log.journal?.dropped ?? 0)
    }
}
