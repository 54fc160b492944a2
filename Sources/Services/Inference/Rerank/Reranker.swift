import GatewayAPI
import Synchronization
import Transport

/// Scores texts by how well they answer a query, with a model behind an upstream's `/v1/rerank`, within a time limit.
///
/// It never fails: without scores the outcome has the reason. After three failures in a row, timeouts included, it pauses as
/// ``CircuitBreaker`` says, so that a server that is away or too slow does not delay every search.
package final class Reranker: Sendable {
    /// The bounds of a call.
    package struct Options: Sendable, Hashable {
        /// The model: `provider/model`, or a model at Ollama's address.
        package var model: String
        /// The timeout of a call, with its wait for a place at the upstream.
        package var timeout: Duration
        /// The number of texts for a search that names none.
        package var candidates: Int
        /// The largest size of a text in UTF-8 bytes.
        package var textBytes: Int
        /// Whether calls pause after failures. For a client's own texts they do not: they would pause those of others.
        package var pauses = true

        package init(model: String, timeout: Duration = .milliseconds(800), candidates: Int = 30, textBytes: Int = 2000)
        {
            self.model = model
            self.timeout = timeout
            self.candidates = candidates
            self.textBytes = textBytes
        }
    }

    /// The largest number of texts of a call.
    package static let maxCandidates = 200
    /// The largest answer in bytes. Some servers repeat the texts.
    static let answerLimit = 16 << 20

    /// What became of a call.
    package enum Result: String, Sendable, CaseIterable {
        /// The model gave scores.
        case scored
        /// The timeout passed.
        case timeout
        /// The upstream failed, or its answer has no usable scores.
        case failed
        /// Nothing was sent, because the last calls failed.
        case paused
        /// Nothing was sent, because too many requests wait for the upstream.
        case busy
    }

    /// The scores of a call.
    package struct Outcome: Sendable {
        package var result: Result
        /// By text: its score, on the model's own scale; nil when there is none.
        package var scores: [Double?]
        /// Why there are no scores; nil when there are.
        package var reason: String?
        /// The status with which the server refused; nil when it did not.
        package var status: Int?
        /// The tokens of the call, as the server counted them, or an estimate; 0 when nothing was answered.
        package var tokens = 0
    }

    /// Where the model is.
    enum Backend: Sendable {
        case provider(RemoteRerank, model: String)
        case ollama(OllamaUpstream, Admission)
        /// The provider has no such API.
        case unable(String)
    }

    private struct State {
        var breaker = CircuitBreaker()
        var form: RerankForm?
        var lastFailure = ""
        var counts: [Result: Int] = [:]
    }

    package let options: Options
    private let backend: Backend
    private let state = Mutex(State())

    init(_ options: Options, _ backend: Backend) { (self.options, self.backend) = (options, backend) }

    /// Whether texts stay on machines of the user. A model whose place is unknown counts as one elsewhere.
    package var isLocal: Bool {
        get async {
            switch backend {
            case .provider(let remote, let model): remote.client.configuration.keeps(model)
            case .ollama(let upstream, _): (try? await upstream.runsHere(options.model)) ?? false
            case .unable: false
            }
        }
    }

    /// The calls by result, since the start.
    package var counts: [Result: Int] { state.withLock { $0.counts } }

    /// Whether calls are paused after failures.
    package var isPaused: Bool { state.withLock { !$0.breaker.isClosed } }

    /// Scores texts.
    ///
    /// Cancelling the task closes the upstream's connection.
    ///
    /// - Parameters:
    ///   - texts: At most ``maxCandidates``, each at most ``Options/textBytes`` long.
    ///   - caller: Takes a fair place in the queue of the upstream.
    /// - Throws: `CancellationError` only.
    package func score(_ query: String, _ texts: [String], for caller: AdmissionCaller) async throws -> Outcome {
        let now = ContinuousClock.now
        let (isTrial, pause) = state.withLock { state -> (Bool, String?) in
            guard !options.pauses || state.breaker.allows(at: now) else { return (false, state.lastFailure) }
            return (state.breaker.begin(at: now), nil)
        }
        if let pause { return outcome(.paused, "paused after failures; the last: \(pause)", of: texts) }
        do {
            let answer = try await withinTimeout { try await self.answer(query, texts, for: caller) }
            state.withLock { $0.breaker.requestSucceeded() }
            count(.scored)
            let bytes = texts.reduce(query.utf8.count * texts.count) { $0 + $1.utf8.count }
            return Outcome(
                result: .scored, scores: answer.scores, reason: nil,
                tokens: answer.tokens ?? AnswerTokens.estimate(bytes: bytes))
        } catch {
            let error = error as? UpstreamError ?? .cancelled
            guard error.code != .cancelled, !Task.isCancelled else {
                state.withLock { $0.breaker.requestAbandoned(isTrial: isTrial, at: .now) }
                throw CancellationError()
            }
            // A full queue says nothing about the reranker.
            let isBusy = error.code == .overloaded
            state.withLock { state in
                if isBusy {
                    state.breaker.requestAbandoned(isTrial: isTrial, at: .now)
                } else {
                    state.breaker.requestFailed(isTrial: isTrial, at: .now)
                    state.lastFailure = error.message
                }
            }
            let result: Result = isBusy ? .busy : error.code == Self.late ? .timeout : .failed
            var outcome = outcome(result, error.message, of: texts)
            if error.code == .status { outcome.status = error.status }
            return outcome
        }
    }

    private func outcome(_ result: Result, _ reason: String, of texts: [String]) -> Outcome {
        count(result)
        return Outcome(result: result, scores: Array(repeating: nil, count: texts.count), reason: reason)
    }

    private func count(_ result: Result) { state.withLock { $0.counts[result, default: 0] += 1 } }

    // MARK: The call

    private static let late = UpstreamError.Code(rawValue: "rerank_timeout")

    private func withinTimeout(
        _ body: @escaping @Sendable () async throws -> RerankAnswer
    ) async throws -> RerankAnswer {
        let (timeout, model) = (options.timeout, options.model)
        return try await withThrowingTaskGroup(of: RerankAnswer.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw UpstreamError(
                    Self.late, "\"\(model)\" gave no scores within \(Int(timeout.milliseconds.rounded())) ms")
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private func answer(_ query: String, _ texts: [String], for caller: AdmissionCaller) async throws -> RerankAnswer {
        let permit: Admission.Permit
        switch backend {
        case .provider(let remote, _): permit = try await remote.client.admission.acquire(caller)
        case .ollama(_, let admission): permit = try await admission.acquire(caller)
        case .unable(let reason): throw UpstreamError(.failed, reason)
        }
        defer { permit.release() }
        let value = try await understood { form throws(UpstreamError) in
            switch backend {
            case .provider(let remote, let model): try await remote.call(form, model: model, query, texts)
            case .ollama(let upstream, _): try await upstream.rerank(form, model: options.model, query, texts)
            case .unable(let reason): throw UpstreamError(.failed, reason)
            }
        }
        guard let answer = RerankAnswer(value, texts: texts.count), answer.count > 0 else {
            throw UpstreamError(.invalidResponse, "the answer of \"\(options.model)\" to /rerank has no usable scores")
        }
        return answer
    }

    /// Calls with the form that the server understood last, or with each form in turn. When it understands none, the error is
    /// that of the first.
    private func understood(
        _ call: (RerankForm) async throws(UpstreamError) -> JSONValue
    ) async throws(UpstreamError) -> JSONValue {
        let known = state.withLock { $0.form }
        var first: UpstreamError?
        for form in known.map({ [$0] }) ?? RerankForm.allCases {
            do throws(UpstreamError) {
                let value = try await call(form)
                state.withLock { $0.form = form }
                return value
            } catch {
                guard RerankForm.isMisunderstood(error) else { throw error }
                first = first ?? error
            }
        }
        // The server may have been replaced by another one.
        state.withLock { $0.form = nil }
        throw first ?? .cancelled
    }
}

/// A provider that scores texts.
package struct RemoteRerank: Sendable {
    let client: RemoteClient
    let request: ProviderDialect.Rerank

    func call(
        _ form: RerankForm, model: String, _ query: String, _ texts: [String]
    ) async throws(UpstreamError) -> JSONValue {
        try client.checkCloud(model)
        let request = request(form, client.configuration.upstream.baseURL, model, query, texts)
        // Another attempt comes too late for the search that waits.
        return try await client.value(of: request, upTo: Reranker.answerLimit, repeats: false)
    }
}
