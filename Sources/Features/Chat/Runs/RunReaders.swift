/// The readers of a run that wait for news.
struct RunReaders {
    private struct Waiting {
        let continuation: CheckedContinuation<Void, Never>
        let since: ContinuousClock.Instant
    }

    private var numbers: Set<UInt64> = []
    private var waiting: [UInt64: Waiting] = [:]
    private var last: UInt64 = 0

    /// The number of readers.
    var count: Int { numbers.count }

    func has(_ reader: UInt64) -> Bool { numbers.contains(reader) }

    mutating func add() -> UInt64 {
        last &+= 1
        numbers.insert(last)
        return last
    }

    /// Removes a reader; one that waits continues.
    mutating func remove(_ reader: UInt64) {
        numbers.remove(reader)
        wake(reader)
    }

    /// Wakes one reader, if it waits.
    mutating func wake(_ reader: UInt64) { waiting.removeValue(forKey: reader)?.continuation.resume() }

    /// Lets a reader wait. One that is removed, or waits already, continues at once.
    mutating func wait(_ reader: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        guard numbers.contains(reader), waiting[reader] == nil else { return continuation.resume() }
        waiting[reader] = Waiting(continuation: continuation, since: .now)
    }

    mutating func wakeAll() {
        guard !waiting.isEmpty else { return }
        let woken = waiting.values
        waiting = [:]
        for reader in woken { reader.continuation.resume() }
    }

    /// Wakes the readers that have waited for a time.
    mutating func wake(waitingFor time: Duration) {
        let limit = ContinuousClock.now - time
        for (reader, one) in waiting where one.since <= limit {
            waiting[reader] = nil
            one.continuation.resume()
        }
    }
}
