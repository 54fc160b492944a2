import Foundation
import Synchronization

/// A vector that belongs to a document.
public struct VectorEntry: Sendable {
    /// The document.
    public var id: Int64
    /// Of any length but zero; it is scaled to length 1.
    public var values: [Float]

    /// Creates an entry.
    public init(id: Int64, values: [Float]) {
        self.id = id
        self.values = values
    }
}

/// A change of the index: all of it happens, or none.
public struct IndexUpdate: Sendable {
    /// Documents that are new or changed.
    public var documents: [RetrievalDocument] = []
    /// Documents that are gone, with their vectors.
    public var removedDocuments: [Int64] = []
    /// Vectors that are new or changed.
    public var vectors: [VectorEntry] = []
    /// Documents that lose their vector.
    public var removedVectors: [Int64] = []

    /// Creates an empty update.
    public init() {}
}

/// What an index holds.
public struct IndexStatistics: Sendable, Hashable {
    /// Documents.
    public var documents: Int
    /// Documents with a vector.
    public var vectors: Int
    /// The length of the vectors; nil without a space.
    public var dimensions: Int?
    /// Bytes of the matrix, rows that no longer count included.
    public var matrixBytes: Int
    /// Bytes of the folded text and its index, texts that no longer count included.
    public var textBytes: Int
}

/// The documents of one embedding space in memory: their vectors, their folded text and what filters need.
///
/// Any number of tasks may search while one updates: a search works on a snapshot, which an update does not touch.
public final class HybridIndex: Sendable {
    struct Snapshot: Sendable {
        var catalog = Catalog()
        var vectors: VectorIndex?
        var keywords = KeywordIndex()
    }

    fileprivate struct State {
        var snapshot = Snapshot()
        var ordinals: [Int64: Int] = [:]

        mutating func ordinal(of id: Int64) -> Int {
            if let ordinal = ordinals[id] { return ordinal }
            let ordinal = snapshot.catalog.add(id)
            ordinals[id] = ordinal
            return ordinal
        }
    }

    /// Most searches that may wait for a thread.
    public static let maxWaitingSearches = 1024

    private let state = Mutex(State())
    /// Held during a whole change, so that a compaction may copy without keeping searches from their snapshots.
    private let writing = Mutex(())
    /// Scans are long for the cooperative pool, whose threads are as few as the cores; they run here.
    private let lanes = SearchLanes(
        width: ProcessInfo.processInfo.activeProcessorCount, maxWaiting: HybridIndex.maxWaitingSearches)

    /// Creates an empty index.
    ///
    /// - Parameter dimensions: The length of the vectors; nil for an index without any.
    public init(dimensions: Int?) {
        state.withLock { $0.snapshot.vectors = dimensions.map(VectorIndex.init(dimensions:)) }
    }

    /// What the index holds.
    public var statistics: IndexStatistics {
        let snapshot = snapshot
        return IndexStatistics(
            documents: snapshot.catalog.liveCount, vectors: snapshot.vectors?.count ?? 0,
            dimensions: snapshot.vectors?.dimensions, matrixBytes: snapshot.vectors?.bytes ?? 0,
            textBytes: snapshot.keywords.bytes)
    }

    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Applies a change, which the next search sees whole.
    ///
    /// - Throws: ``RetrievalError``, and nothing is changed: a vector of another length than the space's, or one with a
    ///   component that is not finite, or of zeros.
    public func apply(_ update: IndexUpdate) throws(RetrievalError) {
        // Folding and scaling are most of the work and need no lock.
        let dimensions = snapshot.vectors?.dimensions
        var units: [(id: Int64, unit: [Float])] = []
        units.reserveCapacity(update.vectors.count)
        for entry in update.vectors {
            guard let dimensions, entry.values.count == dimensions else {
                throw RetrievalError(
                    .dimensions,
                    "the vector of note \(entry.id) has \(entry.values.count) dimensions, the index has "
                        + (dimensions.map(String.init) ?? "no space"))
            }
            guard let unit = UnitVector.normalised(entry.values) else {
                throw RetrievalError(
                    .unusableVector, "the vector of note \(entry.id) is zero or has a component that is not finite")
            }
            units.append((entry.id, unit))
        }
        let folded = update.documents.map { (TextFolding.fold($0.title), TextFolding.fold($0.text)) }
        try writing.withLock { _ throws(RetrievalError) in
            // The keyword index is changed aside, for as long as merging its segments takes; searches go on meanwhile.
            let (places, removed) = state.withLock { state in
                (
                    update.documents.map { state.ordinal(of: $0.id) },
                    update.removedDocuments.compactMap { state.ordinals[$0] }
                )
            }
            var keywords = snapshot.keywords
            try keywords.apply(set: zip(places, folded).map { ($0, $1.0, $1.1) }, removed: removed)
            state.withLock { $0.apply(update, units: units, keywords: keywords) }
            compact()
        }
    }

    /// Drops rows that no longer count when they are many. The copying happens while searches go on; it loses no change,
    /// for the caller holds ``writing``.
    private func compact() {
        let snapshot = snapshot
        if let vectors = snapshot.vectors, vectors.wantsCompaction {
            let compacted = vectors.compacted()
            state.withLock { $0.snapshot.vectors = compacted }
        }
    }

    /// Searches on a thread of the index's own.
    ///
    /// - Throws: ``RetrievalError``, also when ``maxWaitingSearches`` wait already; or `CancellationError` when the task
    ///   was cancelled before the search began. A search that has begun runs to its end.
    public func search(_ query: HybridQuery) async throws -> HybridResult {
        try Task.checkCancellation()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<HybridResult, any Error>) in
                let isAccepted = lanes.submit {
                    continuation.resume(
                        with: Result {
                            if cancellation.isRequested.load(ordering: .relaxed) { throw CancellationError() }
                            return try self.searchNow(query)
                        })
                }
                guard isAccepted else {
                    continuation.resume(throwing: RetrievalError(.overloaded, "too many searches wait already"))
                    return
                }
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
    }

    private final class Cancellation: Sendable {
        let isRequested = Atomic(false)
    }
}

extension HybridIndex.State {
    /// Applies a change whose vectors are unit vectors and whose texts are in the keyword index.
    fileprivate mutating func apply(
        _ update: IndexUpdate, units: [(id: Int64, unit: [Float])], keywords: KeywordIndex
    ) {
        snapshot.keywords = keywords
        for id in update.removedDocuments {
            guard let ordinal = ordinals[id] else { continue }
            snapshot.catalog.remove(at: ordinal)
            snapshot.vectors?.remove(at: ordinal)
        }
        for document in update.documents { snapshot.catalog.set(document, at: ordinal(of: document.id)) }
        for id in update.removedVectors {
            if let ordinal = ordinals[id] { snapshot.vectors?.remove(at: ordinal) }
        }
        for (id, unit) in units {
            let ordinal = ordinal(of: id)
            snapshot.vectors?.set(unit, at: ordinal)
        }
    }
}
