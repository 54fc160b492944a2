import Foundation
import Synchronization

/// The models in memory, and the requests that wait for them.
///
/// Requests whose model is not loaded, or has another context length, wait in one queue. The head of the queue unloads
/// conflicting models and loads. A load belongs to the request that began it: when its client leaves, the load is
/// aborted, and the next in the queue begins again. A loaded model answers a limited number of requests at once. Others
/// wait in the model's own queue, which has no limit.
struct Scheduler: Sendable {
    /// A model in memory.
    struct Runner: Sendable {
        let model: Model
        let contextLength: Int
        /// Seconds that it stays after its last request; infinity means without limit.
        var keepAlive: Double
        var expires = Date.distantFuture
        /// Requests that use it, running or waiting for a slot.
        var references = 1
        /// Requests that run.
        var active = 0
        /// Requests that wait for a slot.
        var waiting: [Ticket] = []
        /// The request that waits to unload it once it is idle.
        var idle: Ticket?
    }

    var runners: [String: Runner] = [:]
    var pending: [Ticket] = []

    /// Grants the head of the queue, and skips requests that left.
    mutating func advance() {
        while let head = pending.first, !head.grant() { pending.removeFirst() }
    }

    /// Removes expired models and returns their number.
    mutating func expire() -> Int {
        let now = Date()
        let over = runners.filter { $0.value.references == 0 && $0.value.expires <= now }
        for name in over.keys { runners[name] = nil }
        return over.count
    }
}

/// A request's demand on a model.
struct Demand: Sendable {
    var model: Model
    /// The requested context length.
    var contextLength: Int?
    /// Seconds to stay loaded afterwards.
    var keepAlive: Double?
}

extension FakeOllama {
    /// Runs a closure with a slot of a loaded model, and passes it the duration of the load.
    func withModel<Value>(
        _ demand: Demand, for exchange: Exchange, _ body: (_ loadSeconds: Double) async throws -> Value
    ) async throws -> Value {
        let loadSeconds = try await makeReady(demand, for: exchange)
        do {
            try await takeSlot(of: demand.model, for: exchange)
        } catch {
            release(demand, hasSlot: false)
            throw error
        }
        exchange.enter(.prompt)
        do {
            let value = try await body(loadSeconds)
            release(demand, hasSlot: true)
            return value
        } catch {
            release(demand, hasSlot: true)
            throw error
        }
    }

    /// Unloads a model, at once or when its last request is done.
    func unload(_ model: Model) {
        state.withLock { state in
            guard var runner = state.scheduler.runners[model.name] else { return }
            runner.keepAlive = 0
            state.scheduler.runners[model.name] = runner.references == 0 ? nil : runner
            if runner.references == 0 { state.statistics.unloads += 1 }
        }
    }

    /// The models in memory with the time when each expires, the latest first.
    func loaded() -> [(runner: Scheduler.Runner, expires: Date)] {
        let runners = state.withLock { state in
            state.statistics.unloads += state.scheduler.expire()
            return Array(state.scheduler.runners.values)
        }
        return runners.map { runner in
            (runner, runner.references > 0 ? Date(timeIntervalSinceNow: min(runner.keepAlive, 1e10)) : runner.expires)
        }.sorted { ($0.expires, $1.runner.model.name) > ($1.expires, $0.runner.model.name) }
    }

    // MARK: Loading

    private func wanted(_ demand: Demand) -> Int {
        min(demand.contextLength ?? options.defaultContextLength, demand.model.contextLength)
    }

    /// Takes a reference to a matching runner.
    private func use(_ demand: Demand, _ state: inout State) -> Bool {
        state.statistics.unloads += state.scheduler.expire()
        let name = demand.model.name
        guard state.scheduler.runners[name]?.contextLength == wanted(demand) else { return false }
        state.scheduler.runners[name]?.references += 1
        return true
    }

    private func makeReady(_ demand: Demand, for exchange: Exchange) async throws -> Double {
        let ticket = Ticket()
        let isReady = try state.withLock { state in
            if use(demand, &state) { return true }
            guard state.scheduler.pending.count < options.maxQueue else {
                throw APIError(503, "server busy, please try again.  maximum pending requests exceeded")
            }
            state.scheduler.pending.append(ticket)
            state.scheduler.advance()
            state.statistics.queued += 1
            return false
        }
        if isReady { return 0 }
        exchange.enter(.queued)
        let isMyTurn = await ticket.wait()
        state.withLock { $0.statistics.queued -= 1 }
        defer {
            state.withLock { state in
                state.scheduler.pending.removeAll { $0 === ticket }
                state.scheduler.advance()
            }
        }
        guard isMyTurn else { throw CancellationError() }
        return try await load(demand, for: exchange)
    }

    /// Makes room and loads; only for the head of the queue.
    private func load(_ demand: Demand, for exchange: Exchange) async throws -> Double {
        var isReload = false
        while true {
            try Task.checkCancellation()
            let idle = Ticket()
            let next: Step = state.withLock { state in
                if use(demand, &state) { return .ready }
                guard let victim = victim(for: demand, state.scheduler) else { return .load }
                isReload = isReload || victim == demand.model.name
                if state.scheduler.runners[victim]?.references == 0 {
                    state.scheduler.runners[victim] = nil
                    state.statistics.unloads += 1
                    return .again
                }
                state.scheduler.runners[victim]?.idle = idle
                return .wait
            }
            switch next {
            case .ready: return 0
            case .again: continue
            case .wait:
                state.withLock { $0.statistics.queued += 1 }
                let isIdle = await idle.wait()
                state.withLock { $0.statistics.queued -= 1 }
                guard isIdle else { throw CancellationError() }
            case .load:
                try await load(demand.model, contextLength: wanted(demand), for: exchange)
                if isReload { state.withLock { $0.statistics.reloads += 1 } }
                return options.loadTime
            }
        }
    }

    private enum Step { case ready, again, wait, load }

    /// The runner to unload: the same model with another context, or the one that would expire first.
    private func victim(for demand: Demand, _ scheduler: Scheduler) -> String? {
        if scheduler.runners[demand.model.name] != nil { return demand.model.name }
        guard options.maxLoaded > 0, scheduler.runners.count >= options.maxLoaded else { return nil }
        return scheduler.runners.min {
            ($0.value.references, $0.value.expires, $0.key) < ($1.value.references, $1.value.expires, $1.key)
        }?.key
    }

    private func load(_ model: Model, contextLength: Int, for exchange: Exchange) async throws {
        exchange.enter(.loading)
        state.withLock { $0.statistics.loading += 1 }
        do {
            try await exchange.pause(options.loadTime)
        } catch {
            state.withLock { state in
                state.statistics.loading -= 1
                state.statistics.abortedLoads += 1
            }
            throw error
        }
        state.withLock { state in
            state.statistics.loading -= 1
            state.statistics.loads += 1
            state.scheduler.runners[model.name] = .init(
                model: model, contextLength: contextLength, keepAlive: options.keepAlive)
        }
    }

    // MARK: Slots

    private func takeSlot(of model: Model, for exchange: Exchange) async throws {
        let limit = options.numParallel > 0 && model.isEmbedding ? 1 : options.numParallel
        let ticket: Ticket? = state.withLock { state in
            guard let runner = state.scheduler.runners[model.name] else { return nil }
            if limit == 0 || runner.active < limit {
                state.scheduler.runners[model.name]?.active += 1
                state.statistics.running += 1
                state.statistics.maxRunning = max(state.statistics.maxRunning, state.statistics.running)
                return nil
            }
            let ticket = Ticket()
            state.scheduler.runners[model.name]?.waiting.append(ticket)
            state.statistics.queued += 1
            return ticket
        }
        guard let ticket else { return }
        exchange.enter(.queued)
        let isGranted = await ticket.wait()
        state.withLock { state in
            state.statistics.queued -= 1
            state.scheduler.runners[model.name]?.waiting.removeAll { $0 === ticket }
        }
        guard isGranted else { throw CancellationError() }
    }

    /// Gives a slot to the next in the queue, or frees it. Then unloads or keeps an idle model.
    private func release(_ demand: Demand, hasSlot: Bool) {
        state.withLock { state in
            guard var runner = state.scheduler.runners[demand.model.name] else { return }
            if hasSlot {
                var isPassedOn = false
                while !runner.waiting.isEmpty, !isPassedOn { isPassedOn = runner.waiting.removeFirst().grant() }
                if !isPassedOn {
                    runner.active -= 1
                    state.statistics.running -= 1
                }
            }
            runner.references -= 1
            if let keepAlive = demand.keepAlive { runner.keepAlive = keepAlive }
            runner.expires = Date(timeIntervalSinceNow: min(runner.keepAlive, 1e10))
            if runner.references == 0, let idle = runner.idle {
                _ = idle.grant()
                runner.idle = nil
            }
            if runner.references == 0, runner.keepAlive <= 0 {
                state.statistics.unloads += 1
                state.scheduler.runners[demand.model.name] = nil
                return
            }
            state.scheduler.runners[demand.model.name] = runner
        }
    }
}
