import GatewayAPI
import Machine
import PostgresStorage
package import Retrieval
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RetrievalService {
    /// The contents and settings of the index.
    ///
    /// - Throws: ``StorageError``; a PostgreSQL error for notes there.
    package func indexStatus() async throws -> IndexStatus {
        let started = ContinuousClock.now
        if let postgres {
            let figures = try await PostgresSearch(postgres).figures()
            return IndexStatus(figures, asked: ContinuousClock.now - started)
        }
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

    /// The parts that have to work before the gateway gets requests, each with why it does not; nil when it does.
    package var readiness: [(name: String, reason: @Sendable () async -> String?)] {
        let store: @Sendable () async -> String? = { [database] in
            do {
                _ = try await database.noteBook.find(ids: [1], maxBytes: 1)
                return nil
            } catch {
                return "the store of the notes does not answer"
            }
        }
        let index: @Sendable () async -> String? = { [postgres, follower] in
            // The indexes of PostgreSQL are its own.
            if postgres != nil { return nil }
            return await follower.present == nil ? "the index is being opened or built" : nil
        }
        return [("store", store), ("index", index)]
    }

    /// Measures the plans on the user's own vectors, selects the fastest plan with enough recall, and writes the index
    /// file with it. A running server uses the new file within about a second.
    ///
    /// - Parameters:
    ///   - sample: The number of stored vectors to use as queries.
    ///   - progress: Called with the description of each measurement.
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    package func tuneIndex(sample: Int, progress: (String) -> Void) async throws -> [PlanMeasurement] {
        let live = try await follower.complete()
        let found = try await live.index.tune(
            sample: sample, now: Int64(Date.now.timeIntervalSince1970), progress: progress)
        progress("writing the index file")
        try await writeIndex()
        return found
    }

    /// Writes the index file now.
    ///
    /// - Returns: false when no files are kept, or another process is writing the file.
    /// - Throws: ``RetrievalError``, ``StorageError``.
    @discardableResult
    package func writeIndex() async throws -> Bool { try await follower.writeFile() }

    /// Writes the index file if the current file lacks so many changes that the next start would be slow.
    package func writeIndexIfWorthwhile() async throws {
        let live = try await follower.current()
        let statistics = live.index.statistics
        guard FileWriting.isWorthwhile(statistics.documentsBeyondFile, of: statistics.documents) else { return }
        try await writeIndex()
    }
}
