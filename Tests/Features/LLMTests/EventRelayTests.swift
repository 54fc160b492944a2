import Inference
import TestSupport
import Testing
import Transport

@testable import LLM

/// Events of an answer on their way to a client.
@Suite struct EventRelays {
    @Test func `all events come in order, and the provider waits for a slow client`() async throws {
        let (relay, sent) = (EventRelay(), Collected<Int>())
        let sending = Task {
            for number in 0..<1000 {
                try await relay.send(.text("\(number)"))
                sent.add(number)
            }
            relay.end(.success(()))
        }
        try await waitUntil { sent.all.count == EventRelay.limit - 1 }
        try await Task.sleep(for: .milliseconds(20))
        #expect(sent.all.count == EventRelay.limit - 1)
        var taken: [ChatEvent] = []
        while let events = try await relay.next() {
            #expect(events.count <= EventRelay.limit)
            taken += events
        }
        #expect(taken == (0..<1000).map { .text("\($0)") })
        try await sending.value
    }

    @Test func `an error comes behind the events before it`() async throws {
        let relay = EventRelay()
        try await relay.send(.text("a"))
        relay.end(.failure(UpstreamError(.cut, "cut")))
        #expect(try await relay.next() == [.text("a")])
        await #expect(throws: UpstreamError.self) { _ = try await relay.next() }
    }

    @Test func `a sender that is cancelled does not wait on`() async throws {
        let relay = EventRelay()
        let sending = Task { for _ in 0..<1000 { try await relay.send(.sent) } }
        try await Task.sleep(for: .milliseconds(20))
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
    }
}
