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
    /// Reads the stream of an answer and passes on its events. An error closes the connection, after
    /// the text that was held back.
    ///
    /// - Throws: ``UpstreamError``, and what `receive` throws.
    func deliver(
        _ parser: some ChatStreamParser, _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        var parser = parser
        var thoughts = ThoughtFilter()
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
                for event in events {
                    for part in event.apart(by: &thoughts) { try await receive(part) }
                }
                try result.get()
                if chunk == nil { return }
            }
        } catch {
            body.cancel()
            // Text that might have become a mark is text, however the answer ended.
            do {
                for piece in thoughts.finish() { try await receive(ChatEvent(piece)) }
            } catch {
                // The reader takes no more; why the answer ended matters more.
            }
            throw error
        }
    }
}

extension ChatEvent {
    /// The event with thinking apart from text. Before a call and the end of the turn comes the text that was held back.
    fileprivate func apart(by thoughts: inout ThoughtFilter) -> [ChatEvent] {
        switch self {
        case .text(let piece): return thoughts.push(piece).map(ChatEvent.init)
        case .call, .callPiece, .ended: return thoughts.finish().map(ChatEvent.init) + [self]
        case .waiting, .sent, .thinking, .probabilities, .usage: return [self]
        }
    }

    fileprivate init(_ piece: ThoughtFilter.Piece) {
        switch piece {
        case .text(let text): self = .text(text)
        case .thought(let text): self = .thinking(text)
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
