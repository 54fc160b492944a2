import Transport

extension Admission {
    /// Waits for a place, and reports once that it has to wait.
    ///
    /// - Parameter whenWaiting: Gets the request's position on arrival, 1 for next. An error that it throws leaves the
    ///   queue and is rethrown.
    /// - Throws: ``UpstreamError`` as ``acquire(_:)``, and what `whenWaiting` throws.
    package func acquire(
        _ caller: AdmissionCaller, whenWaiting: (Int) async throws -> Void
    ) async throws -> Permit {
        let (places, sink) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        async let permit = acquire(caller, endingWith: sink)
        for await place in places { try await whenWaiting(place) }
        return try await permit
    }

    private func acquire(
        _ caller: AdmissionCaller, endingWith places: AsyncStream<Int>.Continuation
    ) async throws(UpstreamError) -> Permit {
        defer { places.finish() }
        return try await acquire(caller, placed: { places.yield($0) })
    }
}
