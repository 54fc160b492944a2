import Foundation
import Synchronization
import Text

/// The vectors of one document.
public struct VectorEntry: Sendable {
    /// The document's id.
    public var id: Int64
    /// The vectors of the document's passages, one after another. The index scales each to length 1.
    public var values: [Float]
    /// The number of passages, at least 1.
    public var passages: Int

    /// Creates an entry.
    public init(id: Int64, values: [Float], passages: Int = 1) {
        self.id = id
        self.values = values
        self.passages = passages
    }
}

/// A change of the index, applied as a whole or not at all.
public struct IndexUpdate: Sendable {
    /// New or changed documents.
    public var documents: [RetrievalDocument] = []
    /// The ids of deleted documents; their vectors go too.
    public var removedDocuments: [Int64] = []
    /// New or changed vectors.
    public var vectors: [VectorEntry] = []
    /// The ids of documents that lose their vectors.
    public var removedVectors: [Int64] = []

    /// Creates an empty update.
    public init() {}
}

/// The contents of an index in numbers.
public struct IndexStatistics: Sendable, Hashable {
    /// The number of documents.
    public var documents: Int
    /// The number of documents with a vector.
    public var vectors: Int
    /// The number of live rows of the matrix, one for each passage.
    public var rows: Int
    /// The dimensions of the vectors; nil without a space.
    public var dimensions: Int?
    /// Bytes of the matrix, dead rows included.
    public var matrixBytes: Int
    /// Bytes of the folded text and its postings, dead ones included.
    public var textBytes: Int
    /// Bytes of the compressed rows.
    public var codeBytes: Int
    /// Documents added or changed since the index file was written; all documents without a file.
    public var documentsBeyondFile: Int
}

/// The documents of one embedding space: vectors, folded text and filter properties.
///
/// The data is in memory or mapped from an index file, with later changes in memory.
///
/// Any number of tasks may search during an update: a search works on a snapshot, which an update does not change.
public final class HybridIndex: Sendable {
    struct Snapshot: Sendable {
        var catalog = Catalog()
        var vectors: VectorIndex?
        var keywords = KeywordIndex()
        /// The plan in use instead of an exact scan, with its measurements.
        var tuning: VectorTuning?
        /// Increases with every change.
        var version: UInt64 = 0
        /// The number of documents in the index file; they have the first ordinals.
        var documentsInFile = 0
        /// The number of documents added or changed later.
        var changedDocuments = 0
        /// The index file; nil without one.
        var file: MappedFile?

        /// Whether the bytes read from the index file are unchanged since it was opened.
        var isIntact: Bool { file?.isIntact ?? true }
    }

    struct State {
        var snapshot = Snapshot()
        /// The ordinals of the index file's documents, sorted by id.
        var fileOrder: [Int32] = []
        /// The ordinals of documents outside the index file.
        var ordinals: [Int64: Int] = [:]

        /// The ordinal of a document; nil for an unknown id.
        func ordinal(of id: Int64) -> Int? {
            if let ordinal = ordinals[id] { return ordinal }
            let ids = snapshot.catalog.ids
            var (low, high) = (0, fileOrder.count)
            while low < high {
                let middle = (low + high) / 2
                if ids[Int(fileOrder[middle])] < id { low = middle + 1 } else { high = middle }
            }
            guard low < fileOrder.count, ids[Int(fileOrder[low])] == id else { return nil }
            return Int(fileOrder[low])
        }
    }

    /// The maximum number of searches that run or wait.
    public static let maxWaitingSearches = 1024

    let state: Mutex<State>
    /// Held during a whole change, so that a compaction can copy while searches take snapshots.
    let writing = Mutex(())
    let pool = ScanPool.shared
    let lane: VectorLane
    let searchesUnderWay = Atomic(0)

    /// Creates an empty index.
    ///
    /// - Parameter dimensions: The length of the vectors; nil for an index without vectors.
    public convenience init(dimensions: Int?) {
        var snapshot = Snapshot()
        snapshot.vectors = dimensions.map(VectorIndex.init(dimensions:))
        self.init(snapshot)
    }

    init(_ snapshot: Snapshot, fileOrder: [Int32] = []) {
        state = Mutex(State(snapshot: snapshot, fileOrder: fileOrder))
        lane = VectorLane(pool: pool)
    }

    /// The contents of the index in numbers.
    public var statistics: IndexStatistics {
        let snapshot = snapshot
        return IndexStatistics(
            documents: snapshot.catalog.liveCount, vectors: snapshot.vectors?.count ?? 0,
            rows: snapshot.vectors?.liveRows ?? 0, dimensions: snapshot.vectors?.dimensions,
            matrixBytes: snapshot.vectors?.bytes ?? 0, textBytes: snapshot.keywords.bytes,
            codeBytes: snapshot.vectors?.codeBytes ?? 0,
            documentsBeyondFile: snapshot.documentsInFile == 0
                ? snapshot.catalog.liveCount : snapshot.changedDocuments)
    }

    /// The measurements of the plan that replaces the exact scan; nil when the exact scan is used.
    public var tuning: VectorTuning? { snapshot.tuning }

    /// Whether the mapped index file is unchanged since it was opened; true without a file. If false, every search
    /// throws ``RetrievalError/Code/damaged``, and the caller must rebuild the index.
    public var isIntact: Bool { snapshot.isIntact }

    /// The ids of documents that are less than `span` below the highest id.
    public func highestIDs(within span: Int64) -> [Int64] {
        let catalog = snapshot.catalog
        var highest = Int64.min
        catalog.isAlive.forEach { highest = max(highest, catalog.ids[$0]) }
        let (lowest, isBeyond) = highest.subtractingReportingOverflow(max(span, 1) - 1)
        var found: [Int64] = []
        catalog.isAlive.forEach { if isBeyond || catalog.ids[$0] >= lowest { found.append(catalog.ids[$0]) } }
        return found
    }

    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Applies a change atomically for searches.
    ///
    /// - Throws: ``RetrievalError``, without any change: a vector has a wrong length, a component that is not finite,
    ///   or only zeros.
    public func apply(_ update: IndexUpdate) throws(RetrievalError) {
        // Folding and scaling are most of the work and need no lock.
        let dimensions = snapshot.vectors?.dimensions
        var units: [(id: Int64, units: [Float])] = []
        units.reserveCapacity(update.vectors.count)
        for entry in update.vectors { units.append((entry.id, try Self.units(of: entry, dimensions: dimensions))) }
        let folded = update.documents.map { (TextFolding.fold($0.title), TextFolding.fold($0.text)) }
        let failure = writing.withLock { _ -> RetrievalError? in
            var change = Change(to: update, of: state)
            do throws(RetrievalError) {
                try change.apply(update, units: units, folded: folded)
            } catch {
                return error
            }
            publish(change)
            compact()
            return nil
        }
        if let failure { throw failure }
    }

    private func publish(_ change: Change) {
        state.withLock { state in
            state.snapshot = change.snapshot
            for (id, ordinal) in change.added { state.ordinals[id] = ordinal }
        }
    }

    private static func units(of entry: VectorEntry, dimensions: Int?) throws(RetrievalError) -> [Float] {
        guard let dimensions, entry.passages > 0, entry.values.count == dimensions * entry.passages else {
            throw RetrievalError(
                .dimensions,
                "the vector of note \(entry.id) has \(entry.values.count / max(1, entry.passages)) dimensions, the index has "
                    + (dimensions.map(String.init) ?? "no space"))
        }
        var units: [Float] = []
        units.reserveCapacity(entry.values.count)
        for start in stride(from: 0, to: entry.values.count, by: dimensions) {
            guard let unit = UnitVector.normalised(entry.values[start..<start + dimensions]) else {
                throw RetrievalError(
                    .unusableVector, "the vector of note \(entry.id) is zero or has a component that is not finite")
            }
            units += unit
        }
        return units
    }

    /// Drops dead rows if there are many. Searches continue during the copy. No change is lost, because the caller
    /// holds ``writing``.
    private func compact() {
        guard let vectors = snapshot.vectors, vectors.wantsCompaction else { return }
        let compacted = vectors.compacted()
        state.withLock {
            $0.snapshot.vectors = compacted
            // The tuning depends on the codes, which were dropped with the old rows.
            $0.snapshot.tuning = nil
            $0.snapshot.version += 1
        }
    }
}

/// A change in progress, made on a copy: searches neither wait for it nor see a part of it.
private struct Change {
    var snapshot: HybridIndex.Snapshot
    /// New ordinals of this change.
    var added: [Int64: Int] = [:]
    /// Earlier ordinals of the update's documents.
    private let before: [Int64: Int]

    init(to update: IndexUpdate, of state: borrowing Mutex<HybridIndex.State>) {
        let ids =
            update.documents.map(\.id) + update.removedDocuments + update.vectors.map(\.id) + update.removedVectors
        // Copies only the needed ordinals: holding all of them would force a full copy when one is added.
        (snapshot, before) = state.withLock { state in
            var known: [Int64: Int] = [:]
            for id in ids { known[id] = state.ordinal(of: id) }
            return (state.snapshot, known)
        }
    }

    private func known(_ id: Int64) -> Int? { added[id] ?? before[id] }

    private mutating func ordinal(of id: Int64) -> Int {
        if let ordinal = known(id) { return ordinal }
        let ordinal = snapshot.catalog.add(id)
        added[id] = ordinal
        return ordinal
    }

    /// Applies a change with unit vectors and folded texts.
    mutating func apply(
        _ update: IndexUpdate, units: [(id: Int64, units: [Float])], folded: [(title: [UInt8], text: [UInt8])]
    ) throws(RetrievalError) {
        let removed = update.removedDocuments.compactMap(known)
        for ordinal in removed {
            snapshot.catalog.remove(at: ordinal)
            snapshot.vectors?.remove(at: ordinal)
        }
        var texts: [KeywordDocument] = []
        for (document, text) in zip(update.documents, folded) {
            let ordinal = ordinal(of: document.id)
            snapshot.catalog.set(document, at: ordinal)
            texts.append(KeywordDocument(ordinal: ordinal, title: text.title, text: text.text))
        }
        try snapshot.keywords.apply(set: texts, removed: removed)
        for id in update.removedVectors {
            if let ordinal = known(id) { snapshot.vectors?.remove(at: ordinal) }
        }
        for (id, units) in units {
            let ordinal = ordinal(of: id)
            snapshot.vectors?.set(units, at: ordinal)
        }
        snapshot.version += 1
        snapshot.changedDocuments += update.documents.count + update.removedDocuments.count
    }
}
