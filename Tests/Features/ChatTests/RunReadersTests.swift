import Testing
import TestSupport

@testable import Chat

@Suite struct WaitingReaders {
    /// Owns the readers, as a run does.
    private actor Owner {
        var readers = RunReaders()
        func add() -> UInt64 { readers.add() }
        func remove(_ reader: UInt64) { readers.remove(reader) }
        func wakeAll() { readers.wakeAll() }
        func wake(_ time: Duration) { readers.wake(waitingFor: time) }
        func wait(_ reader: UInt64) async { await withCheckedContinuation { readers.wait(reader, $0) } }
    }

    @Test func `readers continue when woken, removed, or after a time; strangers at once`() async throws {
        let owner = Owner()
        let (first, second) = (await owner.add(), await owner.add())
        await owner.wait(99)
        let ended = Locked(0)
        for reader in [first, second] {
            Task {
                await owner.wait(reader)
                ended.change { $0 += 1 }
            }
        }
        try await waitUntil {
            await owner.wake(.seconds(60))
            await owner.remove(first)
            return ended.value == 1
        }
        try await waitUntil {
            await owner.wake(.zero)
            return ended.value == 2
        }
        await owner.wait(first)
        #expect(await owner.readers.count == 1)
    }
}
