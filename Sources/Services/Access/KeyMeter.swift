package import Logging
import Storage
import Synchronization

/// Counts what is done with keys, off the way of the requests: in memory first, and every few seconds in the database.
///
/// A crash loses at most what was counted since the last write. What a key spent today is the sum of what the database
/// had when it was last read or written, of all processes, and of what this one has not written yet.
package final class KeyMeter: Sendable {
    /// How often counts are written.
    static let writeInterval = Duration.seconds(2)
    /// Tokens of one recorded generation at most; what says it has more is not believed.
    private static let maxTokens = 1_000_000_000

    private let keys: KeyStore
    private let clock: KeyClock
    private let state = Mutex(State())

    private struct State {
        /// Counted since the last write began.
        var pending = Counts()
        /// Being written.
        var writing: Counts?
        /// Tokens by key, as the database had them.
        var stored: (day: UTCDay, tokens: [Int64: Int])?
        /// Counts the writes that are done, so that a read that one overtook is told from a fresh one.
        var writes = 0
        /// The latest write; the next one waits for it.
        var lastWrite: Task<Void, any Error>?
    }

    private struct Counts {
        var usage: [KeyDay: KeyUsage] = [:]
        var lastUsed: [Int64: Int64] = [:]

        mutating func add(_ other: Counts) {
            for (place, count) in other.usage { usage[place, default: KeyUsage()].add(count) }
            lastUsed.merge(other.lastUsed) { max($0, $1) }
        }
    }

    init(keys: KeyStore, clock: KeyClock) {
        self.keys = keys
        self.clock = clock
    }

    // MARK: Counting

    /// Counts a request that came with a key.
    package func countRequest(_ key: Int64) {
        let now = clock.unixSeconds()
        state.withLock { state in
            state.pending.usage[KeyDay(key: key, day: UTCDay(unixSeconds: now)), default: KeyUsage()]
                .add(KeyUsage(requests: 1))
            state.pending.lastUsed[key] = now
        }
    }

    /// Counts that a request was refused by the key's own terms; it was counted as a request as well.
    func countRefusal(_ key: Int64) { add(KeyUsage(refused: 1), to: key) }

    /// Counts tokens. Numbers below 0 count as 0.
    package func countTokens(_ key: Int64, prompt: Int, completion: Int) {
        func believable(_ number: Int) -> Int { min(max(0, number), Self.maxTokens) }
        let usage = KeyUsage(promptTokens: believable(prompt), completionTokens: believable(completion))
        if usage.tokens > 0 { add(usage, to: key) }
    }

    /// Tokens that a key spent on the day that it is now, as far as this process knows.
    func tokensToday(_ key: Int64) -> Int {
        let place = KeyDay(key: key, day: UTCDay(unixSeconds: clock.unixSeconds()))
        return state.withLock { state in
            let stored = state.stored.flatMap { $0.day == place.day ? $0.tokens[key] : nil } ?? 0
            return stored.addingWithoutOverflow(state.writing?.usage[place]?.tokens ?? 0)
                .addingWithoutOverflow(state.pending.usage[place]?.tokens ?? 0)
        }
    }

    /// How many keys' days wait to be written: never more than there are keys that were used since the last write.
    package var waiting: Int { state.withLock { $0.pending.usage.count } }

    private func add(_ usage: KeyUsage, to key: Int64) {
        let place = KeyDay(key: key, day: UTCDay(unixSeconds: clock.unixSeconds()))
        state.withLock { $0.pending.usage[place, default: KeyUsage()].add(usage) }
    }

    // MARK: Reading and writing

    /// Reads the keys, and takes over what other processes wrote about them.
    func readKeys() async throws -> [KeyRecord] {
        let day = UTCDay(unixSeconds: clock.unixSeconds())
        let writesBefore = state.withLock { $0.writes }
        let snapshot = try await keys.snapshot(of: day)
        state.withLock { state in
            // A read beside a write may have seen its counts or not; the write itself brings the sums.
            guard state.writing == nil, state.writes == writesBefore else { return }
            state.stored = (day, snapshot.tokens)
        }
        return snapshot.keys
    }

    /// Writes every few seconds until the task is cancelled.
    package func keepWritten(logger: Logger) async {
        while (try? await Task.sleep(for: Self.writeInterval)) != nil {
            do {
                try await write()
            } catch {
                logger.warning("the usage of keys waits to be written", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Writes what was counted up to now. What cannot be written is kept for the next time.
    ///
    /// - Throws: ``StorageError``.
    package func write() async throws {
        // A task of its own: a write that is cancelled half-way would leave open whether it was done.
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
            let tokens = try await keys.addUsage(counts.usage, lastUsed: counts.lastUsed, sumsOf: day)
            state.withLock { state in
                state.writing = nil
                state.writes += 1
                state.stored = (day, tokens)
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
