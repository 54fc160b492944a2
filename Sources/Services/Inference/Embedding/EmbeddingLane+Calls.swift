import Synchronization
import Transport

/// Joins, begins and ends calls.
extension EmbeddingLane {
    /// Returns the vectors of keys that fit into one call. Joins the calls in flight for them, and begins one for the
    /// rest.
    func fetch(_ keys: [EmbeddingKey], for request: Request) async -> Fetched {
        // Another request may have embedded some of the keys since this one read the cache.
        let recent = request.cache?.peek(keys) ?? [:]
        var fetched = Fetched(outcome: recent.mapValues { .success($0) }, shared: Set(recent.keys))
        let wanted = keys.filter { recent[$0] == nil }
        guard !wanted.isEmpty, !Task.isCancelled else { return fetched }
        let entry = state.withLock { $0.table.join(wanted, request.caller.priority) }
        if let own = entry.own { begin(own.call, own.keys, for: request) }
        let sharer = entry.sharer
        let charges = entry.joined.map { request.cost.begin($0.keys.lazy.map { request.texts[$0] ?? "" }) }
        let calls = entry.joined.map(\.call) + (entry.own.map { [$0.call] } ?? [])
        let outcomes = await withTaskCancellationHandler {
            var outcomes: [UInt64: Outcome] = [:]
            for call in calls { outcomes[call] = await outcome(of: call, for: sharer) }
            return outcomes
        } onCancel: {
            for call in calls { leave(call, sharer) }
        }
        // A finished call is removed when its last sharer leaves.
        for call in calls { leave(call, sharer) }
        for (call, keys) in entry.joined + (entry.own.map { [$0] } ?? []) {
            for key in keys { fetched.outcome[key] = outcomes[call]?[key] ?? .failure(.cancelled) }
        }
        for ((_, keys), charge) in zip(entry.joined, charges) {
            fetched.shared.formUnion(keys)
            if let first = keys.first, case .failure(let error)? = fetched.outcome[first] {
                request.cost.adjust(charge, failed: error)
            }
        }
        return fetched
    }

    private func outcome(of call: UInt64, for sharer: UInt64) async -> Outcome? {
        await withCheckedContinuation { (waiter: Waiter) in
            switch state.withLock({ $0.table.wait(sharer, for: call, waiter) }) {
            case .wait: break
            case .deliver(let outcome): waiter.resume(returning: outcome)
            case .gone: waiter.resume(returning: nil)
            }
        }
    }

    private func leave(_ call: UInt64, _ sharer: UInt64) {
        let (action, task) = state.withLock { state in
            let action = state.table.leave(sharer, call)
            guard action.aborts else { return (action, nil as Task<Void, Never>?) }
            state.statistics.aborted += 1
            return (action, state.tasks.removeValue(forKey: call))
        }
        task?.cancel()
        action.waiter?.resume(returning: nil)
    }

    /// Begins a call in a separate task: it outlives its first request as long as other requests share it.
    private func begin(_ call: UInt64, _ keys: [EmbeddingKey], for request: Request) {
        state.withLock { state in
            state.tasks[call] = Task {
                let outcome = await self.send(keys[...], in: call, for: request)
                let waiters = self.state.withLock { state in
                    state.tasks[call] = nil
                    return state.table.complete(call, outcome)
                }
                for waiter in waiters { waiter.resume(returning: outcome) }
            }
        }
    }

    /// Why a vector has no length that a `Float` can hold; nil for every other vector, also for zeros.
    private static func fault(of vector: [Float]) -> String? {
        let length = vector.reduce(0) { $0 + $1 * $1 }
        if !length.isFinite { return "a vector of numbers that are too large" }
        return length < .leastNormalMagnitude && vector.contains { $0 != 0 }
            ? "a vector of numbers that are too small" : nil
    }

    /// Waits for admission and sends texts. When the model refuses them, or its answer has no usable vector for each, sends
    /// each half alone, down to the text that is at fault.
    ///
    /// The permit is released before a half is sent, and when the answer is there.
    private func send(
        _ keys: ArraySlice<EmbeddingKey>, in call: UInt64, for request: Request, isHalf: Bool = false
    ) async -> Outcome {
        do throws(UpstreamError) {
            let permit = try await (calls.admission(request.model.name) ?? admission).acquire(request.caller)
            defer { permit.release() }
            state.withLock { state in
                state.table.begin(call)
                state.statistics.calls += 1
                state.statistics.inputs += keys.count
            }
            let texts = keys.map { request.texts[$0] ?? "" }
            let estimate = request.cost.begin(texts)
            let embeddings: Embeddings
            do throws(UpstreamError) {
                embeddings = try await calls.embed(request.model, texts) {
                    permit.release()
                    if !isHalf { request.received?() }
                }
            } catch {
                request.cost.adjust(estimate, failed: error)
                throw error
            }
            request.cost.adjust(estimate, counted: embeddings.promptTokens)
            guard embeddings.count == keys.count else {
                throw UpstreamError(
                    .invalidResponse,
                    "\(calls.peer(request.model.name)) sent \(embeddings.count) vectors for \(keys.count) texts")
            }
            var outcome: Outcome = [:]
            var usable: [EmbeddingKey: [Float]] = [:]
            for (index, key) in keys.enumerated() {
                let vector = embeddings.vector(index)
                if let fault = Self.fault(of: vector) {
                    outcome[key] = .failure(
                        UpstreamError(.invalidResponse, "\(calls.peer(request.model.name)) sent \(fault)"))
                    continue
                }
                outcome[key] = .success(vector)
                // A zero vector has no direction: it is not cached, so that the text is embedded again.
                if vector.contains(where: { $0 != 0 }) { usable[key] = vector }
            }
            request.cache?.store(usable)
            return outcome
        } catch {
            guard error.isRefusalOfInput, keys.count > 1 else {
                if error.isRefusalOfInput { state.withLock { $0.statistics.refused += 1 } }
                return Outcome(uniqueKeysWithValues: keys.map { ($0, .failure(error)) })
            }
        }
        let middle = keys.startIndex + keys.count / 2
        let first = await send(keys[..<middle], in: call, for: request, isHalf: true)
        let second = await send(keys[middle...], in: call, for: request, isHalf: true)
        return first.merging(second) { $1 }
    }
}
