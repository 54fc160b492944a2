import Synchronization
import Transport

extension Admission {
    /// Waits for a place, and reports the position in the queue while it waits.
    ///
    /// - Parameters:
    ///   - interval: How often the position is looked up. With more than 256 waiting requests it is looked up less
    ///     often, so that the look-ups of all requests together cost the same.
    ///   - whenWaiting: Gets the request's position on arrival, 1 for next, and each later one. An error that it throws
    ///     leaves the queue and is rethrown.
    /// - Throws: ``UpstreamError`` as ``acquire(_:)``, and what `whenWaiting` throws.
    package func acquire(
        _ caller: AdmissionCaller, every interval: Duration = .seconds(1), whenWaiting: (Int) async throws -> Void
    ) async throws -> Permit {
        let (places, sink) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        async let permit = acquire(caller, every: interval, endingWith: sink)
        for await place in places { try await whenWaiting(place) }
        return try await permit
    }

    private func acquire(
        _ caller: AdmissionCaller, every interval: Duration, endingWith places: AsyncStream<Int>.Continuation
    ) async throws(UpstreamError) -> Permit {
        let following = Following()
        defer {
            following.stop()
            places.finish()
        }
        return try await acquire(
            caller,
            arrived: { request, place in
                places.yield(place)
                following.start { await self.follow(request, from: place, every: interval, to: places) }
            })
    }

    /// Reports each new position of a request until it does not wait any more.
    private func follow(
        _ request: UInt64, from place: Int, every interval: Duration, to places: AsyncStream<Int>.Continuation
    ) async {
        var last = place
        var pause = interval
        while (try? await Task.sleep(for: pause)) != nil, let now = self.place(of: request) {
            if now.place != last { places.yield(now.place) }
            last = now.place
            pause = interval * max(1, now.waiting / 256)
        }
    }
}

/// A task that follows a waiting request.
private final class Following: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(_ action: @escaping @Sendable () async -> Void) { task.withLock { $0 = Task { await action() } } }

    func stop() { task.withLock { $0 }?.cancel() }
}
