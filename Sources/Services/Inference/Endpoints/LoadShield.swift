import Synchronization
package import Transport

/// Loads models for the requests that need them.
///
/// In Ollama a load ends when the client of its request disconnects. Here the gateway owns the load: one for each
/// endpoint and model at a time. All requests for the model wait for the load, and a request that leaves does not end
/// it. May be used from any task.
package final class LoadShield: Sendable {
    private struct Place: Hashable {
        var endpoint: ObjectIdentifier
        var model: String
    }
    private struct State {
        /// The waiters of each load. There are never more loads than models on the endpoints.
        var waiters: [Place: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        var lastWaiter: UInt64 = 0
        var loads = 0
    }
    private let state = Mutex(State())

    package init() {}

    /// The number of started loads.
    package var loads: Int { state.withLock { $0.loads } }

    /// Waits until a model is loaded, its load failed, or the task is cancelled.
    ///
    /// Returns at once when no load is needed or the model is not known to be installed. A failed load throws
    /// nothing: the request itself then gets Ollama's error.
    /// - Parameter request: The request that loads the model.
    package func load(_ model: String, at endpoint: Endpoint, by request: @autoclosure () -> UpstreamRequest?) async {
        let model = ModelName.canonical(model)
        guard endpoint.holding(of: model) == .stored, let request = request() else { return }
        let place = Place(endpoint: ObjectIdentifier(endpoint), model: model)
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                let isFirst = state.withLock { state in
                    let isFirst = state.waiters[place] == nil
                    state.waiters[place, default: [:]][id] = waiter
                    if isFirst { state.loads += 1 }
                    return isFirst
                }
                if isFirst { begin(request, of: model, at: endpoint, place) }
                // The cancellation handler may have run before the waiter was stored.
                if Task.isCancelled { leave(place, id) }
            }
        } onCancel: {
            leave(place, id)
        }
    }

    private func begin(_ request: UpstreamRequest, of model: String, at endpoint: Endpoint, _ place: Place) {
        Task {
            if let response = try? await endpoint.send(request), response.status == 200,
                (try? await response.body.collect(upTo: 1 << 20)) != nil
            {
                endpoint.didLoad(model)
            }
            let waiters = self.state.withLock { $0.waiters.removeValue(forKey: place) }
            for waiter in (waiters ?? [:]).values { waiter.resume() }
        }
    }

    private func leave(_ place: Place, _ id: UInt64) {
        state.withLock { $0.waiters[place]?.removeValue(forKey: id) }?.resume()
    }
}
