import HTTPTypes
import Synchronization

/// The counts of the running gateway. Components with their own figures report them at a scrape: see
/// ``MetricsRegistry``.
package final class GatewayMetrics: Sendable {
    /// Requests that have begun and not ended.
    package let inFlight = MetricsGauge()
    /// From a request's head to its end, by route.
    private let routes = Mutex<[String: RouteMetrics]>([:])
    private let other = RouteMetrics()
    /// Requests whose client left, by phase.
    private let cancelled = RequestOutcome.Phase.allCases.map { _ in MetricsCounter() }
    /// Responses whose upstream failed after they had begun.
    let broken = MetricsCounter()
    let firstToken = MetricsHistogram()
    package let stream = MetricsHistogram()
    package let load = MetricsHistogram()
    package let promptTokens = MetricsCounter()
    package let generatedTokens = MetricsCounter()
    package let requestBytes = MetricsCounter()
    package let responseBytes = MetricsCounter()
    /// The stages of retrievals.
    package let stages = MetricsFamily<MetricsHistogram>(
        "selene_retrieval_stage_seconds", labels: ["stage"], "Time of each stage of a retrieval.")
    /// Retrievals by the source of their answer.
    package let retrievals = MetricsFamily<MetricsCounter>(
        "selene_retrievals_total", labels: ["source"], "Retrievals by the source of their answer.")
    /// Requests that were forwarded to providers besides Ollama.
    package let providerRequests = MetricsFamily<MetricsCounter>(
        "selene_provider_requests_total", labels: ["provider", "outcome"],
        "Requests forwarded to providers besides Ollama, by outcome.")
    /// Open client connections.
    package let connections = MetricsGauge()
    package let refusedConnections = MetricsCounter()
    let headerTimeouts = MetricsCounter()
    /// Open HTTP/2 connections.
    let http2Connections = MetricsGauge()
    /// HTTP/2 connections that broke the protocol or one of its limits.
    let http2Failures = MetricsCounter()
    let stalledClients = MetricsCounter()
    /// Reloads of the configuration.
    let reloads = MetricsFamily<MetricsCounter>(
        "selene_configuration_reloads_total", labels: ["result"], "Reloads of the configuration, by their result.")

    package init() {}

    /// Registers a route by the pattern under which its requests count.
    package func register(_ route: String) {
        routes.withLock { routes in
            if routes[route] == nil { routes[route] = RouteMetrics() }
        }
    }

    /// Counts a request that ended. An unregistered route counts as `other`.
    package func record(_ outcome: RequestOutcome) {
        let route = routes.withLock { $0[outcome.route] } ?? other
        route.record(outcome)
        requestBytes.add(outcome.requestBytes)
        responseBytes.add(outcome.responseBytes)
        if outcome.isCancelled {
            for (index, phase) in RequestOutcome.Phase.allCases.enumerated() where phase == outcome.phase {
                cancelled[index].add()
            }
        }
        if outcome.isBroken { broken.add() }
        guard outcome.isInference else { return }
        if let firstByte = outcome.firstByte, outcome.status < 400 { firstToken.record(firstByte) }
        if let streamed = outcome.streamed, outcome.status < 400 { stream.record(streamed) }
        if let load = outcome.load { self.load.record(load) }
        promptTokens.add(outcome.promptTokens ?? 0)
        generatedTokens.add(outcome.generatedTokens ?? 0)
    }

    /// The requests that ended, of all routes together.
    package var totals: (requests: Int, failed: Int, cancelled: Int) {
        let all = routes.withLock { Array($0.values) } + [other]
        return (
            all.reduce(0) { $0 + $1.requests }, all.reduce(0) { $0 + $1.failed },
            cancelled.reduce(0) { $0 + $1.value }
        )
    }

    /// Writes all counts.
    package func write(to text: inout PrometheusText) {
        let routes = routes.withLock { $0 }.sorted { $0.key < $1.key } + [(key: "other", value: other)]
        text.family("selene_requests_total", .counter, "Finished requests, by route, method and class of status.")
        for (route, metrics) in routes { metrics.writeRequests(of: route, to: &text) }
        text.family("selene_request_duration_seconds", .histogram, "From a request's head to the end of its response.")
        for (route, metrics) in routes where metrics.requests > 0 {
            text.histogram("selene_request_duration_seconds", [("route", route)], metrics.duration.snapshot)
        }
        text.single("selene_requests_in_flight", .gauge, "Requests that have not ended.", inFlight.value)
        text.family("selene_cancelled_requests_total", .counter, "Requests whose client left, by phase.")
        for (phase, counter) in zip(RequestOutcome.Phase.allCases, cancelled) where phase != .done {
            text.sample("selene_cancelled_requests_total", [("phase", phase.rawValue)], counter.value)
        }
        text.single(
            "selene_broken_responses_total", .counter, "Responses whose upstream failed after they had begun.",
            broken.value)
        for (name, help, histogram) in [
            (
                "selene_first_token_seconds", "From admission at the upstream to the first byte of its response.",
                firstToken
            ),
            ("selene_stream_duration_seconds", "From the first byte of a model's response to its last.", stream),
            ("selene_model_load_seconds", "Time that Ollama took to load a model, where Ollama reported it.", load),
        ] {
            text.family(name, .histogram, help)
            text.histogram(name, [], histogram.snapshot)
        }
        text.family(
            "selene_tokens_total", .counter,
            "Tokens that models counted, of chats and of answers that the gateway read.")
        text.sample("selene_tokens_total", [("kind", "prompt")], promptTokens.value)
        text.sample("selene_tokens_total", [("kind", "generated")], generatedTokens.value)
        text.single("selene_request_bytes_total", .counter, "Bytes of request bodies.", requestBytes.value)
        text.single("selene_response_bytes_total", .counter, "Bytes of response bodies.", responseBytes.value)
        stages.write(to: &text)
        retrievals.write(to: &text)
        providerRequests.write(to: &text)
        text.single("selene_connections_open", .gauge, "Open client connections.", connections.value)
        text.single(
            "selene_connections_refused_total", .counter, "Connections rejected at SELENE_MAX_CONNECTIONS.",
            refusedConnections.value)
        text.single(
            "selene_header_timeouts_total", .counter, "Connections closed because a request head timed out.",
            headerTimeouts.value)
        text.single(
            "selene_http2_connections_open", .gauge, "Open HTTP/2 connections.", http2Connections.value)
        text.single(
            "selene_http2_failures_total", .counter,
            "HTTP/2 connections closed because the client broke the protocol or a limit.", http2Failures.value)
        text.single(
            "selene_stalled_clients_total", .counter,
            "Connections and HTTP/2 streams closed because the client read nothing for too long.",
            stalledClients.value)
        reloads.write(to: &text)
    }
}

/// The counts of one route.
private final class RouteMetrics: Sendable {
    private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .head, .patch, .options]
    private static let classes = ["other", "1xx", "2xx", "3xx", "4xx", "5xx"]

    private let counts = (0..<(methods.count + 1) * classes.count).map { _ in MetricsCounter() }
    let duration = MetricsHistogram()

    func record(_ outcome: RequestOutcome) {
        let method = Self.methods.firstIndex(of: outcome.method) ?? Self.methods.count
        let hundreds = outcome.status / 100
        counts[method * Self.classes.count + ((1...5).contains(hundreds) ? hundreds : 0)].add()
        duration.record(outcome.total)
    }

    var requests: Int { counts.reduce(0) { $0 + $1.value } }

    /// Requests with a status of 500 or more.
    var failed: Int {
        stride(from: Self.classes.count - 1, to: counts.count, by: Self.classes.count).reduce(0) {
            $0 + counts[$1].value
        }
    }

    func writeRequests(of route: String, to text: inout PrometheusText) {
        for (index, counter) in counts.enumerated() where counter.value > 0 {
            let method = index / Self.classes.count
            text.sample(
                "selene_requests_total",
                [
                    ("route", route),
                    ("method", method < Self.methods.count ? Self.methods[method].rawValue : "other"),
                    ("status", Self.classes[index % Self.classes.count]),
                ], counter.value)
        }
    }
}
