import GatewayAPI
import Logging
import Machine
package import Retrieval
import ServiceLifecycle
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps the index of the notes.
///
/// As a service it follows them in the background, so that changes of other processes are indexed before the
/// next query, and keeps the index file up to date.
package struct IndexUpkeep: Service {
    /// The interval between looks at the database's files while idle.
    static let pollInterval = Duration.milliseconds(50)

    /// The pause after the database was asked. An answer writes several times, and each query asks by itself.
    static let pauseAfterLook = Duration.milliseconds(200)

    /// The number of looks at unchanged files after which the database is asked all the same.
    static let looksAtFiles = 20

    /// The interval between checks whether to write the index file.
    static let fileInterval = Duration.seconds(1)

    package let follower: IndexFollower
    private let notes: any NoteChanges
    /// The file of the notes; nil when they are in a server.
    private let path: String?
    private let logger: Logger

    init(_ notes: any NoteChanges, path: String? = nil, folder: String?, logger: Logger) {
        self.notes = notes
        self.path = path
        self.logger = logger
        follower = IndexFollower(
            notes: notes, indexFolder: folder, builder: IndexBuilder(notes: notes, logger: logger), logger: logger)
    }

    // MARK: Following

    /// Follows the notes until shutdown and keeps the index file up to date.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.follow() }
                group.addTask { await self.keepFile() }
            }
        }
        await follower.stop()
    }

    private func follow() async {
        var said: String?
        var (seen, looks) = (DatabaseStamp?.none, 0)
        while !Task.isCancelled {
            do {
                // Taken before the look, so that a commit meanwhile changes the next one.
                let stamp = path.flatMap { DatabaseStamp(path: $0) }
                looks = stamp == nil || stamp != seen ? Self.looksAtFiles : looks + 1
                if looks >= Self.looksAtFiles {
                    _ = try await follower.current()
                    (seen, looks) = (stamp, 0)
                }
                said = nil
                let pause = looks == 0 ? Self.pauseAfterLook : Self.pollInterval
                try await Task.sleep(for: path == nil ? notes.interval : pause)
            } catch is CancellationError {
                return
            } catch {
                // The error may last for hours, so it is logged once.
                if said != "\(error)" {
                    logger.error("the notes cannot be followed", metadata: ["error": "\(error)"])
                }
                said = "\(error)"
                // Tables that another program is changing return in a moment.
                let isBrief = (error as? StorageError)?.code == .schema
                try? await Task.sleep(for: isBrief ? Self.pollInterval : .seconds(1))
            }
        }
    }

    private func keepFile() async {
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: Self.fileInterval)
                if await follower.wantsFile { try await follower.writeFile() }
            } catch is CancellationError {
                return
            } catch {
                // Without a file only the next start is slow, so a full disk is not retried every second.
                logger.warning("the index file cannot be written", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    // MARK: The index

    /// The contents and settings of the index.
    ///
    /// - Throws: ``StorageError``.
    func status() async throws -> IndexStatus {
        let started = ContinuousClock.now
        let live = try await follower.current()
        let opened = ContinuousClock.now - started
        let statistics = live.index.statistics
        let path = follower.files?.path(for: live.space)
        let bytes = path.flatMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }
        return IndexStatus(
            model: live.space?.space.model, dimensions: statistics.dimensions, notes: statistics.documents,
            embeddedNotes: statistics.vectors, vectors: statistics.rows, matrixBytes: statistics.matrixBytes,
            codeBytes: statistics.codeBytes, textBytes: statistics.textBytes, file: path, fileBytes: bytes,
            notesBeyondFile: statistics.documentsBeyondFile, plan: live.index.tuning?.plan ?? "exact",
            tuning: live.index.tuning.map {
                IndexStatus.Tuning(
                    candidates: $0.candidates, recallAt10: $0.recallAt10, sample: $0.sample, speedup: $0.speedup,
                    measuredAt: $0.measuredAt)
            },
            kernel: HybridIndex.kernel, blas: BLAS.description, openedMilliseconds: opened.milliseconds,
            residentBytes: ProcessMemory.resident)
    }

    /// Why the index cannot answer yet; nil when it can.
    func reasonToWait() async -> String? {
        await follower.present == nil ? "the index is being opened or built" : nil
    }

    /// Measures the plans on the user's own vectors, selects the fastest plan with enough recall, and writes the index
    /// file with it. A running server uses the new file within about a second.
    ///
    /// - Parameters:
    ///   - sample: The number of stored vectors to use as queries.
    ///   - progress: Called with the description of each measurement.
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    package func tune(sample: Int, progress: (String) -> Void) async throws -> [PlanMeasurement] {
        let live = try await follower.complete()
        let found = try await live.index.tune(
            sample: sample, now: Int64(Date.now.timeIntervalSince1970), progress: progress)
        progress("writing the index file")
        try await follower.writeFile()
        return found
    }

    /// Writes the index file if the current file lacks so many changes that the next start would be slow.
    package func writeIfWorthwhile() async throws {
        let live = try await follower.current()
        let statistics = live.index.statistics
        guard FileWriting.isWorthwhile(statistics.documentsBeyondFile, of: statistics.documents) else { return }
        try await follower.writeFile()
    }
}
