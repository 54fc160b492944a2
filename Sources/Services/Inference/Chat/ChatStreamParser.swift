package import NIOCore
package import Transport

/// Reads the stream of one answer: bytes in, events out, without I/O.
///
/// The events are the same however the bytes are cut.
package protocol ChatStreamParser: Sendable {
    /// Whether ``ChatEvent/ended(_:)`` came out. Later bytes have no meaning.
    var hasEnded: Bool { get }

    /// Reads the next bytes and appends the events that they complete, also those before an error.
    ///
    /// - Throws: ``UpstreamError`` when the upstream reports an error or sends something unexpected.
    mutating func push(_ bytes: ByteBuffer, _ events: inout [ChatEvent]) throws(UpstreamError)

    /// Ends the stream because the upstream ended it.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/cut`` when the answer is incomplete.
    mutating func finish(_ events: inout [ChatEvent]) throws(UpstreamError)
}

extension UpstreamResponse {
    /// Reads the stream of an answer and passes on its events. An error closes the connection.
    ///
    /// - Throws: ``UpstreamError``, and what `receive` throws.
    func deliver(
        _ parser: some ChatStreamParser, _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        var parser = parser
        var chunks = body.makeAsyncIterator()
        do {
            while !parser.hasEnded {
                let chunk = try await chunks.next()
                var events: [ChatEvent] = []
                let result: Result<Void, UpstreamError>
                do throws(UpstreamError) {
                    if let chunk { try parser.push(chunk, &events) } else { try parser.finish(&events) }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                for event in events { try await receive(event) }
                try result.get()
                if chunk == nil { return }
            }
        } catch {
            body.cancel()
            throw error
        }
    }
}

extension UpstreamBody {
    /// Reads to the end, so that the connection can be used again; closes the connection if that takes too long.
    func drain(within limit: Duration = .seconds(1)) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await self.collect(upTo: 64 << 10) }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        cancel()
    }
}
