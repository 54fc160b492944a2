import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Telemetry

/// Counts, times and logs the responses of the gateway's own routes; a stream after its last byte.
struct ObservationMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    let observer: RequestObserver

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let span = observer.tracer?.begin(request.headers) else {
            return try await observe(request, context, next)
        }
        context.trace.begin(span)
        return try await span.carry(isModelCall: { ModelOperation(route: context.routePattern) != nil }) {
            try await observe(request, context, next)
        }
    }

    private func observe(
        _ request: Request, _ context: Context, _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let report = Report(observer: observer, request: request, context: context)
        // If this throws, the deinitialiser of the report reports the request.
        var response = try await next(request, context)
        let trace = context.trace
        report.status = response.status.code
        var timing = trace.facts.describe(in: &response.headers)
        timing.add("total", report.started.duration(to: .now))
        response.headers[.serverTiming] = timing.text
        if let length = response.body.contentLength {
            // The response is complete and sent in one piece. A client that left earlier got a 499.
            let isCut = response.status == .clientClosedRequest
            if !isCut { trace.enter(.done) }
            report.bytes.add(length)
            report.end(isCut: isCut)
            return response
        }
        let body = response.body
        response.body = ResponseBody { writer in
            report.bodyBegins()
            trace.enter(.streaming)
            do {
                try await body.write(CountingWriter(base: writer, bytes: report.bytes))
            } catch {
                report.end(isCut: true)
                throw error
            }
            if !trace.facts.isBroken { trace.enter(.done) }
            report.end(isCut: false)
        }
        return response
    }
}

/// The report of a request. If it is released before its end, because the client left before the body was read, it
/// reports then. So every request is counted once.
private final class Report: Sendable {
    let started = ContinuousClock.now
    /// Bytes of the body so far.
    let bytes = MetricsCounter()
    private let observer: RequestObserver
    private let request: (path: String, method: HTTPRequest.Method, bytes: Int)
    private let context: GatewayRequestContext
    private let state = Mutex(State())
    private let number: UInt64

    private struct State {
        var status = 500
        var bodyBegan: ContinuousClock.Instant?
        var hasEnded = false
    }

    init(observer: RequestObserver, request: Request, context: GatewayRequestContext) {
        self.observer = observer
        self.request = (
            request.uri.path, request.method, request.headers[.contentLength].flatMap { Int($0) } ?? 0
        )
        self.context = context
        number = observer.begin(
            LiveRoute(
                path: request.uri.path, method: request.method, context: context, bytes: bytes, startedAt: started))
    }

    deinit { end(isCut: true) }

    /// The status of the response; 500 until there is one.
    var status: Int {
        get { state.withLock { $0.status } }
        set { state.withLock { $0.status = newValue } }
    }

    /// Records that the head was sent.
    func bodyBegins() { state.withLock { $0.bodyBegan = .now } }

    /// Reports the request, at the first call only.
    func end(isCut: Bool) {
        let now = ContinuousClock.now
        let state = state.withLock { state in
            defer { state.hasEnded = true }
            return state
        }
        guard !state.hasEnded else { return }
        let facts = context.trace.facts
        var outcome = facts.outcome(
            route: context.routePattern, path: request.path,
            method: request.method, status: state.status)
        outcome.isCancelled = isCut
        outcome.isHTTP2 = context.client.isHTTP2
        outcome.requestBytes = request.bytes
        outcome.responseBytes = bytes.value
        outcome.total = now - started
        outcome.streamed = state.bodyBegan.map { now - $0 }
        observer.end(outcome, live: number, id: context.requestID)
    }
}

/// Counts the bytes that it forwards.
private struct CountingWriter: ResponseBodyWriter {
    var base: any ResponseBodyWriter
    let bytes: MetricsCounter

    @concurrent mutating func write(_ buffer: ByteBuffer) async throws {
        bytes.add(buffer.readableBytes)
        try await base.write(buffer)
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
