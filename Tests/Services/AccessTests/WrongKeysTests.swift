import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Access
@testable import Server

/// Keys that are tried.
@Suite struct WrongKeysAreSlowed {
    /// What a brake answered, and how long it put that off.
    private func answer(_ keys: WrongKeys, _ address: ClientAddress) async throws -> (GatewayError, Duration) {
        let waited = Mutex(Duration.zero)
        let error = try await keys.refuse(address) { delay in waited.withLock { $0 += delay } }
        return (GatewayError(error), waited.withLock { $0 })
    }

    @Test func `a few cost nothing, more are put off, and many are told to stop`() async throws {
        let clock = StillClock()
        let keys = WrongKeys(clock: clock.keyClock)
        var delays: [Duration] = []
        for _ in 0..<40 {
            let (error, delay) = try await answer(keys, .v4(1))
            delays.append(delay)
            let isTooMany = delays.count > Int(WrongKeys.tooMany)
            #expect(error.code == (isTooMany ? .tooManyWrongKeys : .forbidden))
            #expect((error.retryAfterSeconds ?? 0 > 0) == isTooMany)
        }
        #expect(delays.prefix(Int(WrongKeys.free)).allSatisfy { $0 == .zero })
        #expect(delays == delays.sorted() && delays[10] == .milliseconds(50) && delays.last == WrongKeys.longestDelay)
        #expect(keys.count.value == 40 && keys.refused.value == 10)
        // Nobody else is slowed down, and time forgives.
        #expect(try await answer(keys, .v4(2)).1 == .zero)
        clock.advance(seconds: 600)
        #expect(try await answer(keys, .v4(1)).1 == .zero)
    }

    @Test(.slow) func `the table of addresses is bounded`() async throws {
        let clock = StillClock()
        let keys = WrongKeys(clock: clock.keyClock)
        for _ in 0..<20 { _ = try await answer(keys, .v6(0)) }
        #expect(try await answer(keys, .v6(0)).1 > .zero)
        clock.advance(seconds: 1)
        for number in 1..<WrongKeys.maxAddresses { _ = try await answer(keys, .v6(UInt64(number))) }
        #expect(try await answer(keys, .v6(0)).1 > .zero)
        clock.advance(seconds: 1)
        // More addresses than fit push out the one that failed longest ago.
        for number in 1...WrongKeys.maxAddresses { _ = try await answer(keys, .v6(UInt64(number + 5000))) }
        #expect(try await answer(keys, .v6(0)).1 == .zero)
    }

    @Test(.timeLimit(.minutes(1))) func `tries that come at once do not all wait, and those that leave stop waiting`()
        async throws
    {
        let keys = WrongKeys(clock: StillClock().keyClock)
        for _ in 0..<20 { _ = try await answer(keys, .v4(1)) }
        let sleeping = MetricsCounter()
        let tries = (0..<WrongKeys.maxSleepersPerAddress).map { _ in
            Task {
                _ = try await keys.refuse(.v4(1)) { _ in
                    sleeping.add()
                    try await Task.sleep(for: .seconds(3600))
                }
            }
        }
        while sleeping.value < WrongKeys.maxSleepersPerAddress { await Task.yield() }
        let (error, delay) = try await answer(keys, .v4(1))
        #expect(error.description.hasPrefix("429 ") && delay == .zero && "\(error.headers)".contains("close"))
        for attempt in tries { attempt.cancel() }
        for attempt in tries { _ = await attempt.result }
        #expect(try await answer(keys, .v4(1)).1 > .zero)
    }

    @Test func `addresses are told apart as far as clients have them to themselves`() throws {
        func v6(_ words: [UInt16]) -> ClientAddress {
            ClientAddress(v6: words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        #expect(v6([0x2001, 0xDB8, 0, 1, 1, 2, 3, 4]) == v6([0x2001, 0xDB8, 0, 1, 9, 9, 9, 9]))
        #expect(v6([0x2001, 0xDB8, 0, 1, 0, 0, 0, 1]) != v6([0x2001, 0xDB8, 0, 2, 0, 0, 0, 1]))
        #expect(v6([0, 0, 0, 0, 0, 0xFFFF, 0x0A00, 1]) == .v4(0x0A00_0001))
        #expect(v6([0, 0, 0, 0, 0, 0xFFFF, 0x7F01, 1]) == .loopback)
        #expect(v6([0, 0, 0, 0, 0, 0, 0, 1]) == .loopback)
        #expect(try ClientAddress(SocketAddress(ipAddress: "10.0.0.1", port: 1)) == .v4(0x0A00_0001))
        #expect(try ClientAddress(SocketAddress(ipAddress: "127.8.0.1", port: 1)) == .loopback)
        let network = v6([0x2001, 0xDB8, 0, 1, 0, 0, 0, 0])
        #expect(try ClientAddress(SocketAddress(ipAddress: "2001:db8:0:1::5", port: 1)) == network)
    }
}
