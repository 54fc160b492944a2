import GatewayAPI
import Machine
public import Retrieval
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the index holds and how it answers, for `selene index status`.
public struct IndexStatus: Codable, Sendable, Hashable {
    /// The model of the embedding space that answers; absent before the first backfill.
    public var model: String?
    /// The length of the vectors.
    public var dimensions: Int?
    /// Notes.
    public var notes: Int
    /// Notes with a vector.
    public var embeddedNotes: Int
    /// Vectors: one for each passage.
    public var vectors: Int
    /// Bytes of the vectors.
    public var matrixBytes: Int
    /// Bytes of the compressed vectors.
    public var codeBytes: Int
    /// Bytes of the folded text and its postings.
    public var textBytes: Int
    /// The index file; absent when none is kept.
    public var file: String?
    /// Its bytes; absent when there is none yet.
    public var fileBytes: Int?
    /// Notes that came or changed since it was written.
    public var notesBeyondFile: Int
    /// `exact`, `int8` or `binary`.
    public var plan: String
    /// What was measured of the plan when it was chosen; absent when it is exact.
    public var tuning: Tuning?
    /// The instruction set of the inner loops.
    public var kernel: String
    /// The BLAS that is linked.
    public var blas: String
    /// Milliseconds to open or build the index.
    public var openedMilliseconds: Double
    /// Bytes that the process holds in memory, pages of the file that were read included.
    public var residentBytes: Int?

    /// A plan's record.
    public struct Tuning: Codable, Sendable, Hashable {
        /// Vectors that the first pass hands on.
        public var candidates: Int
        /// The share of the ten nearest that were found.
        public var recallAt10: Double
        /// Queries that were measured.
        public var sample: Int
        /// How many times as fast as the exact scan.
        public var speedup: Double
        /// Seconds since 1970.
        public var measuredAt: Int64

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case candidates
            case recallAt10 = "recall@10"
            case sample, speedup
            case measuredAt = "measured_at"
        }
    }

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case model, dimensions, notes
        case embeddedNotes = "embedded_notes"
        case vectors
        case matrixBytes = "matrix_bytes"
        case codeBytes = "code_bytes"
        case textBytes = "text_bytes"
        case file
        case fileBytes = "file_bytes"
        case notesBeyondFile = "notes_beyond_file"
        case plan, tuning, kernel, blas
        case openedMilliseconds = "opened_ms"
        case residentBytes = "resident_bytes"
    }
}

extension RetrievalService {
    /// What the index holds.
    ///
    /// - Throws: ``StorageError``.
    public func indexStatus() async throws -> IndexStatus {
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

    /// Measures the plans on the user's own vectors, uses the best one that finds what an exact scan finds, and writes
    /// the index file with it; a server that is running goes over to it within a second or so.
    ///
    /// - Parameters:
    ///   - sample: Stored vectors that serve as queries.
    ///   - progress: Called with what is measured next.
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    public func tuneIndex(sample: Int, progress: (String) -> Void) async throws -> [PlanMeasurement] {
        let live = try await follower.complete()
        let found = try await live.index.tune(
            sample: sample, now: Int64(Date.now.timeIntervalSince1970), progress: progress)
        progress("writing the index file")
        try await writeIndex()
        return found
    }

    /// Writes the index file now.
    ///
    /// - Returns: false when no files are kept, or another process is writing it.
    /// - Throws: ``RetrievalError``, ``StorageError``.
    @discardableResult
    public func writeIndex() async throws -> Bool { try await follower.writeFile() }

    /// Writes the index file if it lacks so much that the next start would be slow.
    public func writeIndexIfWorthwhile() async throws {
        let live = try await follower.current()
        guard live.index.statistics.documentsBeyondFile >= IndexFollower.changesWorthAFile else { return }
        try await writeIndex()
    }
}
