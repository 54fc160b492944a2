import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Counts, times and logs what the gateway's own routes answer; a stream when its last byte is out.
struct ObservationMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let observer: RequestObserver

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let started = ContinuousClock.now
        observer.begin()
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            // Errors have become responses by here; a request that still throws must be counted all the same.
            finish(request, context, status: 500, bytes: 0, started: started, firstByte: nil, isCut: true)
            throw error
        }
        let trace = context.trace
        Self.describe(trace.facts, total: started.duration(to: .now), in: &response.headers)
        let status = response.status.code
        if let length = response.body.contentLength {
            // The response is whole, and goes out as one piece; whoever left before it was made got a 499.
            if status != HTTPResponse.Status.clientClosedRequest.code { trace.enter(.done) }
            finish(
                request, context, status: status, bytes: length, started: started, firstByte: nil,
                isCut: status == HTTPResponse.Status.clientClosedRequest.code)
            return response
        }
        let body = response.body
        response.body = ResponseBody { writer in
            let firstByte = ContinuousClock.now
            trace.enter(.streaming)
            let bytes = MetricsCounter()
            do {
                try await body.write(CountingWriter(base: writer, bytes: bytes))
            } catch {
                finish(
                    request, context, status: status, bytes: bytes.value, started: started, firstByte: firstByte,
                    isCut: true)
                throw error
            }
            trace.enter(.done)
            finish(
                request, context, status: status, bytes: bytes.value, started: started, firstByte: firstByte,
                isCut: false)
        }
        return response
    }

    /// Where the time went, as far as it is known when the head goes out.
    private static func describe(_ facts: RequestTrace.Facts, total: Duration, in fields: inout HTTPFields) {
        var timing = ServerTiming()
        if let queued = facts.queued {
            timing.add("queue", queued)
            fields.setQueue(position: facts.position ?? 0, waited: queued)
        }
        if let firstByte = facts.firstByte { timing.add("upstream", firstByte) }
        for stage in facts.stages { timing.add(stage.name, stage.duration) }
        timing.add("total", total)
        fields[.serverTiming] = timing.text
    }

    private func finish(
        _ request: Request, _ context: Context, status: Int, bytes: Int, started: ContinuousClock.Instant,
        firstByte: ContinuousClock.Instant?, isCut: Bool
    ) {
        let now = ContinuousClock.now
        let facts = context.trace.facts
        var outcome = RequestOutcome(
            // What no route matches has this name with the router.
            route: context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "other", path: request.uri.path,
            method: request.method, status: status,
            phase: facts.phase)
        outcome.isCancelled = isCut
        outcome.isInference = facts.isInference
        outcome.requestBytes = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        outcome.responseBytes = bytes
        outcome.total = now - started
        outcome.queued = facts.queued
        outcome.firstByte = facts.firstByte
        outcome.streamed = firstByte.map { now - $0 }
        outcome.model = facts.model
        outcome.promptTokens = facts.promptTokens
        outcome.generatedTokens = facts.generatedTokens
        outcome.load = facts.load
        outcome.key = facts.key
        // The context's logger has the request's id already.
        observer.end(outcome, id: nil, logger: context.logger)
    }
}

/// Counts what goes through it.
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
