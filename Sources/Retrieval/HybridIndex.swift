import Dispatch
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
    /// Bytes of the folded text, texts that no longer count included.
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

    private struct State {
        var snapshot = Snapshot()
        var ordinals: [Int64: Int] = [:]

        mutating func ordinal(of id: Int64) -> Int {
            if let ordinal = ordinals[id] { return ordinal }
            let ordinal = snapshot.catalog.add(id)
            ordinals[id] = ordinal
            return ordinal
        }
    }

    private let state = Mutex(State())
    /// Scans are long for the cooperative pool, whose threads are as few as the cores; they run here.
    private let queue = DispatchQueue(label: "selene.retrieval", attributes: .concurrent)

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
        state.withLock { state in
            for id in update.removedDocuments {
                guard let ordinal = state.ordinals[id] else { continue }
                state.snapshot.catalog.remove(at: ordinal)
                state.snapshot.keywords.remove(at: ordinal)
                state.snapshot.vectors?.remove(at: ordinal)
            }
            for (document, (title, text)) in zip(update.documents, folded) {
                let ordinal = state.ordinal(of: document.id)
                state.snapshot.catalog.set(document, at: ordinal)
                state.snapshot.keywords.set(title: title, text: text, at: ordinal)
            }
            for id in update.removedVectors {
                if let ordinal = state.ordinals[id] { state.snapshot.vectors?.remove(at: ordinal) }
            }
            for (id, unit) in units {
                let ordinal = state.ordinal(of: id)
                state.snapshot.vectors?.set(unit, at: ordinal)
            }
            if let vectors = state.snapshot.vectors, vectors.wantsCompaction {
                state.snapshot.vectors = vectors.compacted()
            }
            if state.snapshot.keywords.wantsCompaction {
                state.snapshot.keywords = state.snapshot.keywords.compacted()
            }
        }
    }

    /// Searches on a thread of the index's own.
    ///
    /// - Throws: ``RetrievalError``, or `CancellationError` when the task was cancelled before the search began.
    public func search(_ query: HybridQuery) async throws -> HybridResult {
        try Task.checkCancellation()
        let result: Result<HybridResult, RetrievalError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(RetrievalError) in try self.searchNow(query) })
            }
        }
        return try result.get()
    }
}
