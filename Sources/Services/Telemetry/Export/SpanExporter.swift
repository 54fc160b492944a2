import GatewayAPI
import Inference
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends finished spans to a collector: OTLP as JSON over HTTP.
///
/// A batch goes out every ``interval``, or within a second once ``batch`` spans wait. No request waits for it. A collector that is
/// away or busy is asked again, at most ``maxAttempts`` times; then the batch is dropped and counted.
package final class SpanExporter: Service {
    /// The most spans of one request.
    static let batch = 512
    /// The longest that a span waits while the collector takes them.
    static let interval = 5
    /// The attempts for one batch.
    static let maxAttempts = 5
    /// The longest pause between two attempts, in seconds.
    static let longestPause = 60
    /// How long one attempt may take.
    static let limit = Duration.seconds(20)

    private let export: TraceExport
    private let buffer: SpanBuffer
    private let logger: Logger
    private let pause: @Sendable (Duration) async throws -> Void
    private let json: SpanJSON
    private let state = Mutex(State())

    private struct State {
        var transport: UpstreamTransport?
        var isFailing = false
    }

    /// What the collector said to a batch.
    private enum Answer: Sendable {
        /// - Parameter rejected: Spans that it did not take.
        case taken(rejected: Int)
        case refused(String)
        case later(after: Duration?, String)
    }

    /// - Parameter pause: Waits; throws when its task is cancelled.
    package init(
        _ export: TraceExport, of buffer: SpanBuffer, logger: Logger,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.export, self.buffer, self.logger, self.pause) = (export, buffer, logger, pause)
        json = SpanJSON(service: export.service, instance: UUID().uuidString.lowercased())
    }

    /// Sends until graceful shutdown. The requests that end later are left to ``close(within:)``.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.send() }
    }

    /// Sends until the task is cancelled.
    func send() async {
        var seconds = 0
        while !Task.isCancelled, (try? await pause(.seconds(1))) != nil {
            seconds += 1
            guard seconds >= Self.interval || buffer.count >= Self.batch else { continue }
            seconds = 0
            while await deliverBatch() {}
        }
    }

    /// Sends what is left, once, for a limited time; then drops the rest and closes the connection.
    package func close(within time: Duration) async {
        _ = await Self.bounded(time) { while await self.deliverBatch(isLast: true) {} }
        buffer.count(dropped: buffer.take(upTo: .max).count)
        let transport = state.withLock { state in
            defer { state.transport = nil }
            return state.transport
        }
        await transport?.shutdown(within: .zero)
    }

    /// Sends the oldest spans. Returns whether there were some and the next ones can be sent.
    private func deliverBatch(isLast: Bool = false) async -> Bool {
        let spans = buffer.take(upTo: Self.batch)
        guard !spans.isEmpty else { return false }
        let body = ByteBuffer(bytes: json.body(spans))
        var attempt = 1
        while true {
            let answer = await post(body)
            if Task.isCancelled, case .later = answer {
                buffer.putBack(spans)
                return false
            }
            switch answer {
            case .taken(let rejected):
                let rejected = min(max(0, rejected), spans.count)
                buffer.count(sent: spans.count - rejected, dropped: rejected)
                works()
                return true
            case .refused(let reason):
                buffer.count(dropped: spans.count)
                fails(reason)
                return true
            case .later(let wish, let reason):
                fails(reason)
                guard attempt < Self.maxAttempts, !isLast else {
                    buffer.count(dropped: spans.count)
                    return false
                }
                let usual = Duration.seconds(1 << attempt)
                do {
                    try await pause(min(wish ?? usual, .seconds(Self.longestPause)))
                } catch {
                    buffer.putBack(spans)
                    return false
                }
                attempt += 1
            }
        }
    }

    private func post(_ body: ByteBuffer) async -> Answer {
        var request = UpstreamRequest(
            method: "POST", path: "/v1/traces",
            headers: [("content-type", "application/json"), ("user-agent", "selene-gateway/\(GatewayVersion.current)")]
                + export.headers,
            body: body)
        request.isForwarded = true
        let answer = await Self.bounded(Self.limit) { [request] in await self.exchange(request) }
        return answer ?? .later(after: nil, "no answer within \(Self.limit)")
    }

    private func exchange(_ request: UpstreamRequest) async -> Answer {
        do throws(UpstreamError) {
            let response = try await transport().send(request)
            switch response.status {
            case 200...299:
                // What it says of single spans may be missing or unreadable; the status counts.
                let body = try? await response.body.collect(upTo: 64 << 10)
                return .taken(rejected: body.map { Self.rejected(Array($0.readableBytesView)) } ?? 0)
            case 429, 502, 503, 504:
                return .later(after: RetryRule.wish(of: response.head), "status \(response.status)")
            default: return .refused("status \(response.status)")
            }
        } catch {
            return .later(after: nil, error.description)
        }
    }

    private func transport() throws(UpstreamError) -> UpstreamTransport {
        let result: Result<UpstreamTransport, UpstreamError> = state.withLock { state in
            if let transport = state.transport { return .success(transport) }
            do throws(UpstreamError) {
                let transport = try UpstreamTransport(configuration: export.upstream)
                state.transport = transport
                return .success(transport)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The number of spans that the collector did not take, which is a text or a number.
    private static func rejected(_ body: [UInt8]) -> Int {
        let value = (try? JSONDocument(parsing: body))?.root["partialSuccess"]?["rejectedSpans"]
        return value?.text.flatMap { Int($0) } ?? value?.count ?? 0
    }

    /// The value of an operation, which is cancelled when the time is over; nil then.
    private static func bounded<Value: Sendable>(
        _ time: Duration, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    // MARK: The log

    private func fails(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        guard isFirst else { return }
        logger.warning(
            "the collector does not take traces; they are dropped while that lasts",
            metadata: ["host": "\(export.upstream.host)", "reason": "\(reason)"])
    }

    private func works() {
        let wasFailing = state.withLock { state in
            defer { state.isFailing = false }
            return state.isFailing
        }
        guard wasFailing else { return }
        logger.notice(
            "the collector takes traces again",
            metadata: ["host": "\(export.upstream.host)", "dropped": "\(buffer.counts.dropped)"])
    }
}
