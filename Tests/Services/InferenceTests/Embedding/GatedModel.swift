import Synchronization

@testable import Inference
@testable import Transport

/// A model in memory that answers only when it is told to, and remembers its calls.
final class GatedModel: Sendable {
    struct State {
        var calls: [[String]] = []
        var running = 0
        var aborted = 0
        var isOpen: Bool
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }
    let state: Mutex<State>
    /// What the model says to a call instead of vectors.
    let failure: @Sendable ([String]) -> UpstreamError?

    init(isOpen: Bool = true, failure: @escaping @Sendable ([String]) -> UpstreamError? = { _ in nil }) {
        state = Mutex(State(isOpen: isOpen))
        self.failure = failure
    }

    var calls: [[String]] { state.withLock { $0.calls } }
    var aborted: Int { state.withLock { $0.aborted } }

    /// Answers all calls, those of later too.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitForCalls(_ count: Int) async {
        while state.withLock({ $0.calls.count < count }) { await Task.yield() }
    }

    /// The vector of a text: its length and its first byte.
    static func vector(_ text: String) -> [Float] { [Float(text.utf8.count), Float(text.utf8.first ?? 0), 1] }

    func embed(_ texts: [String]) async throws(UpstreamError) -> Embeddings {
        let number = state.withLock { state in
            state.calls.append(texts)
            state.running += 1
            return state.calls.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                let goesOn = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[number] = waiter
                    return false
                }
                if goesOn { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
        let isCancelled = Task.isCancelled
        state.withLock { state in
            state.running -= 1
            if isCancelled { state.aborted += 1 }
        }
        if isCancelled { throw .cancelled }
        if let error = failure(texts) { throw error }
        return Embeddings(
            model: "m", dimensions: 3, count: texts.count, values: texts.flatMap(Self.vector), promptTokens: 0)
    }

    func lane(
        width: Int = 8, cache: (any EmbeddingCache)? = nil, options: EmbeddingLane.Options = .init(),
        admission: Admission? = nil
    ) -> EmbeddingLane {
        EmbeddingLane(
            calls: .init(
                embed: { _, texts, _ throws(UpstreamError) in try await self.embed(texts) },
                digest: { name, _ throws(UpstreamError) in "digest of \(name)" }),
            admission: admission ?? Admission(maxInFlight: width, maxWaiting: 1000), cache: cache, options: options)
    }
}
