package import Logging
import ServiceLifecycle
package import Storage
import Synchronization
package import Traffic

/// Writes finished requests and minutes of traffic to their file, in batches beside the requests.
///
/// A file that cannot be opened or written costs only history: it is logged, and requests are answered as before.
package final class RequestLog: Service {
    /// The interval between two batches.
    package static let interval = Duration.seconds(1)
    /// The number of batches between two deletions of old rows.
    static let batchesPerPruning = 60
    /// The number of batches between two looks at the memory.
    static let batchesPerSample = 5
    /// How long the service waits for the last requests after a shutdown began.
    static let maxDrain = Duration.seconds(600)

    /// The file; nil when it is off or cannot be opened.
    package let file: RequestLogFile?
    /// Why there is no file, though it is on.
    package let failure: StorageError?
    package let journal: RequestJournal?
    private let logger: Logger
    private let traffic: Traffic
    private let isFailing = Mutex(false)
    /// The last batch that was begun; batches are written one after another.
    private let lastBatch = Mutex<Task<Void, Never>?>(nil)

    /// The gateway's traffic.
    package struct Traffic: Sendable {
        /// The time in milliseconds since 1970.
        package var now: @Sendable () -> Int64
        /// The number of requests in flight.
        package var inFlight: @Sendable () -> Int
        /// Looks at the memory.
        package var sample: @Sendable () -> Void
        package var take: @Sendable (_ before: Int64) -> [TrafficMinute]
        /// Adds stored minutes.
        package var restore: @Sendable ([TrafficMinute]) -> Void

        package init(
            now: @escaping @Sendable () -> Int64, inFlight: @escaping @Sendable () -> Int,
            sample: @escaping @Sendable () -> Void, take: @escaping @Sendable (Int64) -> [TrafficMinute],
            restore: @escaping @Sendable ([TrafficMinute]) -> Void
        ) {
            (self.now, self.inFlight, self.sample, self.take, self.restore) = (now, inFlight, sample, take, restore)
        }
    }

    /// Opens the file beside a database.
    ///
    /// - Parameter journal: The requests that wait to be written; nil when the log is off.
    package init(
        databasePath: String, limits: RequestLogFile.Limits, journal: RequestJournal?, traffic: Traffic, logger: Logger
    ) {
        (self.journal, self.traffic, self.logger) = (journal, traffic, logger)
        guard journal != nil else {
            (file, failure) = (nil, nil)
            return
        }
        do throws(StorageError) {
            file = try RequestLogFile(path: databasePath + ".requests", limits: limits)
            failure = nil
        } catch {
            logger.warning("requests are not stored", metadata: ["error": "\(error)"])
            (file, failure) = (nil, error)
        }
    }

    /// Writes until graceful shutdown, then until the last request has ended.
    package func run() async throws {
        await restore()
        await cancelWhenGracefulShutdown { await self.follow() }
        let deadline = ContinuousClock.now + Self.maxDrain
        while traffic.inFlight() > 0, ContinuousClock.now < deadline {
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
        }
        await write(before: traffic.now() / 60_000 + 1)
    }

    /// Closes the file; the gateway calls it at its end.
    package func close() { try? file?.close() }

    private func follow() async {
        var round = 0
        while !Task.isCancelled {
            if round % Self.batchesPerSample == 0 { traffic.sample() }
            if round % Self.batchesPerPruning == 0 { await prune() }
            round &+= 1
            try? await Task.sleep(for: Self.interval)
            await write(before: traffic.now() / 60_000)
        }
    }

    private func restore() async {
        guard let file else { return }
        do {
            let minute = traffic.now() / 60_000
            traffic.restore(try await file.minutes(since: minute - Int64(TrafficMinute.kept) + 1))
            _ = traffic.take(minute)
        } catch is CancellationError {
            // The gateway ends, or did not begin.
        } catch {
            logger.warning("the traffic of before cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the requests that have ended, so that a reader finds them. Failures are logged.
    package func flush() async { await write(before: traffic.now() / 60_000) }

    /// Writes what waits, and the minutes before a minute; ends after every batch that was begun before.
    func write(before minute: Int64) async {
        guard let journal else { return }
        let batch = lastBatch.withLock { last in
            // Another task than the caller's: a shutdown cancels that one, and the last batch must be written.
            let batch = Task { [previous = last, entries = journal.takeAll(), minutes = traffic.take(minute)] in
                await previous?.value
                await append(entries, minutes, journal)
            }
            last = batch
            return batch
        }
        await batch.value
    }

    private func append(_ entries: [RequestLogEntry], _ minutes: [TrafficMinute], _ journal: RequestJournal) async {
        guard let file else { return journal.lost(entries.count) }
        do {
            try await file.append(entries, minutes: minutes)
            isFailing.withLock { $0 = false }
        } catch {
            journal.lost(entries.count)
            report(error)
        }
    }

    private func prune() async {
        guard let file else { return }
        do {
            try await file.prune(now: traffic.now())
        } catch is CancellationError {
        } catch {
            report(error)
        }
    }

    /// Logs the first failure of a row of failures.
    private func report(_ error: any Error) {
        let isFirst = isFailing.withLock { isFailing in
            defer { isFailing = true }
            return !isFailing
        }
        if isFirst { logger.warning("requests are not stored", metadata: ["error": "\(error)"]) }
    }
}
