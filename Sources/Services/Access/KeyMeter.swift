package import Logging
import KeyRoom
import Synchronization

/// Counts the use of keys in memory and writes the counts to the database every few seconds, outside of requests.
///
/// A crash loses at most the counts since the last write. A key's tokens of today are the database's count for all
/// processes plus the unwritten count of this process. The database's count is as of the last read or write.
package final class KeyMeter: Sendable {
    /// The interval between writes.
    static let writeInterval = Duration.seconds(2)
    /// The largest token count of one generation; higher counts are cut to it.
    private static let maxTokens = 1_000_000_000

    private let keys: KeyRoom
    private let clock: KeyClock
    private let prices = Mutex(PriceList.none)
    private let state = Mutex(State())

    private struct State {
        /// Counts since the last write began.
        var pending = Counts()
        /// Counts that are being written.
        var writing: Counts?
        /// What keys have spent, as last read from the database.
        var stored: (day: UTCDay, spent: [Int64: KeySpending])?
        /// What was read last.
        var last: KeySnapshot?
        /// The number of finished writes, which reveals a read that a write overtook.
        var writes = 0
        /// The latest write; the next one waits for it.
        var lastWrite: Task<Void, any Error>?
    }

    private struct Counts {
        var usage: [KeyDay: KeyUsage] = [:]
        var lastUsed: [Int64: Int64] = [:]
        /// The days of ``usage``: one or two.
        var days: Set<UTCDay> = []

        mutating func add(_ count: KeyUsage, at place: KeyDay) {
            usage[place, default: KeyUsage()].add(count)
            days.insert(place.day)
        }

        mutating func add(_ other: Counts) {
            for (place, count) in other.usage { add(count, at: place) }
            lastUsed.merge(other.lastUsed) { max($0, $1) }
        }
    }

    init(keys: KeyRoom, clock: KeyClock) {
        self.keys = keys
        self.clock = clock
    }

    // MARK: Counting

    package func countRequest(_ key: Int64) {
        let now = clock.unixSeconds()
        state.withLock { state in
            state.pending.add(KeyUsage(requests: 1), at: KeyDay(key: key, day: UTCDay(unixSeconds: now)))
            state.pending.lastUsed[key] = now
        }
    }

    /// Counts a request that the key's terms refused. It was counted as a request, too.
    func countRefusal(_ key: Int64) { add(KeyUsage(refused: 1), to: key) }

    /// Counts tokens and what they cost. Negative numbers count as 0.
    ///
    /// - Parameter model: The model's full name; nil when it is not known.
    package func countTokens(_ key: Int64, of model: String?, prompt: Int, completion: Int) {
        func believable(_ number: Int) -> Int { min(max(0, number), Self.maxTokens) }
        var usage = KeyUsage(promptTokens: believable(prompt), completionTokens: believable(completion))
        guard usage.tokens > 0 else { return }
        usage.cost = priceList.cost(of: model, prompt: usage.promptTokens, completion: usage.completionTokens)
        add(usage, to: key)
    }

    /// The prices by which costs are counted.
    package var priceList: PriceList { prices.withLock { $0 } }

    /// Replaces the prices. What was counted before keeps its cost.
    package func setPrices(_ list: PriceList) { prices.withLock { $0 = list } }

    /// What a key has spent today and this month, as far as this process knows.
    func spent(by key: Int64) -> KeySpending {
        let today = UTCDay(unixSeconds: clock.unixSeconds())
        let first = today.firstOfMonth
        return state.withLock { state in
            // Within a month, the cost that was read yesterday still counts.
            var spent = KeySpending()
            if let stored = state.stored, stored.day >= first, let known = stored.spent[key] {
                spent.cost = known.cost
                if stored.day == today { spent.tokens = known.tokens }
            }
            for counts in [state.writing, state.pending] {
                for day in counts?.days ?? [] where day >= first {
                    guard let usage = counts?.usage[KeyDay(key: key, day: day)] else { continue }
                    spent.add(usage, isToday: day == today)
                }
            }
            return spent
        }
    }

    /// The number of keys and days that wait to be written: at most the number of keys used since the last write.
    package var waiting: Int { state.withLock { $0.pending.usage.count } }

    private func add(_ usage: KeyUsage, to key: Int64) {
        let place = KeyDay(key: key, day: UTCDay(unixSeconds: clock.unixSeconds()))
        state.withLock { $0.pending.add(usage, at: place) }
    }

    // MARK: Reading and writing

    /// Reads the keys and sessions, and the counts of other processes.
    @discardableResult
    func readKeys() async throws -> KeySnapshot {
        let day = UTCDay(unixSeconds: clock.unixSeconds())
        let (writesBefore, last) = state.withLock { ($0.writes, $0.last) }
        let snapshot = try await keys.snapshot(of: day, last: last)
        state.withLock { state in
            state.last = snapshot
            // A read during a write may or may not include its counts; the write itself brings the sums.
            guard state.writing == nil, state.writes == writesBefore else { return }
            state.stored = (day, snapshot.spent)
        }
        return snapshot
    }

    /// Writes every few seconds until the task is cancelled.
    package func keepWritten(logger: Logger) async {
        while (try? await Task.sleep(for: Self.writeInterval)) != nil {
            do {
                try await write()
            } catch {
                logger.warning("cannot write the usage of keys; will retry", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Writes all counts up to now. Keeps them for the next write if this one fails.
    ///
    /// - Throws: ``StorageError``, an error of the server that has the keys.
    package func write() async throws {
        // A separate task, because after a write that is cancelled half-way nobody would know whether it was done.
        let write = state.withLock { state in
            let before = state.lastWrite
            let write = Task {
                _ = await before?.result
                try await self.writeOnce()
            }
            state.lastWrite = write
            return write
        }
        try await write.value
    }

    private func writeOnce() async throws {
        let counts = state.withLock { state -> Counts? in
            guard !state.pending.usage.isEmpty else { return nil }
            let counts = state.pending
            state.writing = counts
            state.pending = Counts()
            return counts
        }
        guard let counts else { return }
        let day = UTCDay(unixSeconds: clock.unixSeconds())
        do {
            let spent = try await keys.addUsage(counts.usage, lastUsed: counts.lastUsed, sumsOf: day)
            state.withLock { state in
                state.writing = nil
                state.writes += 1
                state.stored = (day, spent)
            }
        } catch {
            state.withLock { state in
                state.writing = nil
                state.pending.add(counts)
            }
            throw error
        }
    }
}
