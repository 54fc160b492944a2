import Access
import HTTPTypes
import Hummingbird
import Inference
import Logging
import NIOCore
import Server
import Synchronization
import Transport

/// One answer of a model, written in the protocol of the client.
///
/// A client that leaves closes the provider's connection. Its key is charged for what the model did until then.
struct TranslatedAnswer: Sendable {
    let target: AnswerTarget
    let asked: ModelChatRequest
    let writer: any AnswerWriter
    /// The form of errors.
    let errors: ErrorBody
    /// When the request came.
    let started: ContinuousClock.Instant
    let requestBytes: Int
    /// Whether another model is asked when this one refuses.
    let fallsBack: Bool
    let context: GatewayRequestContext
    let observer: RequestObserver

    /// The response. Its head waits for the first part of the answer, so that an error before has its own status.
    ///
    /// - Throws: What the provider throws before the answer begins.
    func response(streams: Bool) async throws -> Response {
        let progress = AnswerProgress(started: started, requestBytes: requestBytes, trace: context.trace)
        do {
            return streams ? try await stream(progress) : try await whole(progress)
        } catch {
            finish(progress, Self.isCancelled(error) ? .cancelled : .failed)
            throw error
        }
    }

    private func whole(_ progress: AnswerProgress) async throws -> Response {
        let (chat, asked, caller) = (target.chat, asked, context.identity.caller)
        try await context.client.whilePresent {
            try await chat.chat(asked, for: caller) { event in
                guard progress.keep(event) else {
                    throw UpstreamError(.invalidResponse, "the answer is too large; ask for a stream")
                }
            }
        }
        let content = progress.content
        if fallsBack, progress.end.reason == .refused, content.text.isEmpty, content.calls.isEmpty { throw refusal }
        finish(progress, .done)
        return JSONReply.response(json: ByteBuffer(bytes: writer.whole(content, progress.end)))
    }

    private func stream(_ progress: AnswerProgress) async throws -> Response {
        let (relay, caller) = (EventRelay(), context.identity.caller)
        let task = Task { [chat = target.chat, asked] in
            do {
                try await chat.chat(asked, for: caller) { event in
                    progress.take(event)
                    try await relay.send(event)
                }
                relay.end(.success(()))
            } catch {
                relay.end(.failure(error))
            }
        }
        context.client.onDeparture { task.cancel() }
        var first: [ChatEvent] = []
        do {
            while !first.contains(where: \.isOfAnswer), let events = try await relay.next() { first += events }
            if fallsBack, case .ended(let end) = first.first(where: \.isOfAnswer), end.reason == .refused {
                throw refusal
            }
        } catch {
            task.cancel()
            context.client.stopWatching()
            throw context.trace.isStopped ? GatewayError.stopped : error
        }
        let type = Swift.type(of: writer).streamType
        return Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-cache", .accelBuffering: "no"],
            body: ResponseBody { [first] writer in
                defer {
                    task.cancel()
                    context.client.stopWatching()
                }
                try await copy(first, relay, progress, to: &writer)
                try await writer.finish(nil)
            })
    }

    @concurrent private func copy(
        _ first: [ChatEvent], _ relay: EventRelay, _ progress: AnswerProgress, to body: inout any ResponseBodyWriter
    ) async throws {
        var (writer, events): (any AnswerWriter, [ChatEvent]?) = (writer, first)
        var bytes = writer.opening()
        do {
            while let some = events {
                for event in some { writer.write(event, to: &bytes) }
                if !bytes.isEmpty { try await body.write(ByteBuffer(bytes: bytes)) }
                bytes.removeAll(keepingCapacity: true)
                events = try await relay.next()
            }
            bytes += writer.closing(progress.end)
            finish(progress, .done)
        } catch {
            let failure = (error as? UpstreamError).flatMap { $0.code == .cancelled ? nil : GatewayError(upstream: $0) }
            guard let shaped = context.trace.isStopped ? GatewayError.stopped : failure else {
                finish(progress, .cancelled)
                throw error
            }
            finish(progress, .failed)
            context.trace.upstreamBroke()
            context.logger.warning("provider failed in mid-stream", metadata: ["error": "\(shaped)"])
            bytes += writer.broken(
                AnswerFailure(
                    json: Array(errors.json(shaped).readableBytesView), code: shaped.code.rawValue,
                    message: shaped.message))
        }
        if !bytes.isEmpty { try await body.write(ByteBuffer(bytes: bytes)) }
    }

    /// Charges the key and counts the request, once.
    private func finish(_ progress: AnswerProgress, _ outcome: RequestObserver.ProviderOutcome) {
        guard let tokens = progress.takeTokens(hasAnswer: outcome != .failed) else { return }
        if let remote = target.remote { observer.count(outcome, of: remote.configuration.name) }
        if tokens.prompt > 0 || tokens.completion > 0 {
            context.recordTokens(of: target.name, prompt: tokens.prompt, completion: tokens.completion)
        }
    }

    /// Lets the next model answer.
    private var refusal: UpstreamError { UpstreamError(.status, "\"\(target.name)\" refused to answer", status: 502) }

    private static func isCancelled(_ error: any Error) -> Bool {
        error is CancellationError || (error as? UpstreamError)?.code == .cancelled
            || (error as? GatewayError)?.code == .clientClosed
    }
}

extension ChatEvent {
    /// Whether the event is a part of the answer or its end.
    fileprivate var isOfAnswer: Bool {
        switch self {
        case .waiting, .sent, .usage: false
        case .thinking, .text, .callPiece, .probabilities, .call, .ended: true
        }
    }
}

/// What became of a translated answer until now: its end, its counts and its times.
private final class AnswerProgress: Sendable {
    private struct State {
        var end = AnswerEnd()
        var content = AnswerContent()
        /// When the request went to the provider.
        var sent: ContinuousClock.Instant?
        var place = 0
        var hasBegun = false
        /// The parts of the answer, which are about as many as its tokens.
        var parts = 0
        var isCounted = false
    }
    private let state = Mutex(State())
    private let started: ContinuousClock.Instant
    private let requestBytes: Int
    private let trace: RequestTrace

    init(started: ContinuousClock.Instant, requestBytes: Int, trace: RequestTrace) {
        (self.started, self.requestBytes, self.trace) = (started, requestBytes, trace)
    }

    func take(_ event: ChatEvent) {
        switch event {
        case .waiting(let place):
            state.withLock { if $0.place == 0 { $0.place = place } }
            trace.queue()
        case .sent:
            let now = ContinuousClock.now
            let place = state.withLock { state in
                state.sent = now
                return state.place
            }
            trace.granted(position: place, waited: now - started)
        case .usage(let usage): state.withLock { $0.end.usage = usage }
        case .ended(let end): state.withLock { $0.end.reason = end.reason }
        case .thinking, .text, .callPiece, .probabilities, .call:
            let isFirst = state.withLock { state in
                state.parts += 1
                defer { state.hasBegun = true }
                if !state.hasBegun { state.end.first = started.nanosecondsUntilNow }
                return !state.hasBegun
            }
            if isFirst { trace.upstreamAnswered() }
        }
    }

    /// Takes an event and keeps its part of the answer. Returns whether the answer is not too large.
    func keep(_ event: ChatEvent) -> Bool {
        take(event)
        return state.withLock { state in
            state.content.take(event)
            return !state.content.isTooLarge
        }
    }

    /// What was kept.
    var content: AnswerContent { state.withLock { $0.content } }

    /// The end of the answer, now.
    var end: AnswerEnd {
        state.withLock { state in
            state.end.total = started.nanosecondsUntilNow
            return state.end
        }
    }

    /// The tokens to charge, the first time; nil later.
    ///
    /// - Parameter hasAnswer: Whether the model worked, so that what the provider did not count is estimated.
    func takeTokens(hasAnswer: Bool) -> (prompt: Int, completion: Int)? {
        state.withLock { state in
            guard !state.isCounted else { return nil }
            state.isCounted = true
            let hasWorked = state.hasBegun || (hasAnswer && state.sent != nil)
            let estimate = hasWorked ? AnswerTokens.estimate(requestBytes: requestBytes) : 0
            return (state.end.usage.promptTokens ?? estimate, state.end.usage.completionTokens ?? state.parts)
        }
    }
}

extension ContinuousClock.Instant {
    /// The time since then in nanoseconds, at most about 11 days.
    fileprivate var nanosecondsUntilNow: Int64 {
        let (seconds, fraction) = (ContinuousClock.now - self).components
        return min(max(0, seconds), 1_000_000) * 1_000_000_000 + fraction / 1_000_000_000
    }
}
