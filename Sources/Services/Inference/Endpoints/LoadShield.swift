import Synchronization
public import Transport

/// Loads models on behalf of those who wait for them.
///
/// To Ollama a load belongs to the request that began it, and dies with that request's client. Here it belongs to the
/// gateway: there is one for an endpoint and a model at a time, all requests wait for it, and none of them ends it by
/// leaving. May be used from any task.
public final class LoadShield: Sendable {
    private struct Place: Hashable {
        var endpoint: ObjectIdentifier
        var model: String
    }
    private struct State {
        /// Who waits, by the load that they wait for. There are never more loads than models that the endpoints hold.
        var waiters: [Place: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        var lastWaiter: UInt64 = 0
        var loads = 0
    }
    private let state = Mutex(State())

    /// Creates a shield.
    public init() {}

    /// Loads that were begun.
    public var loads: Int { state.withLock { $0.loads } }

    /// Returns when a model is loaded, when its load failed, or when the task is cancelled; at once when it is loaded
    /// already or not known to be there.
    ///
    /// A load that fails is nobody's failure here: the request that goes on is told by Ollama itself.
    /// - Parameter request: What loads it.
    public func load(_ model: String, at endpoint: Endpoint, by request: @autoclosure () -> UpstreamRequest?) async {
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
                // The handler below may have run before there was a waiter to be found.
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
