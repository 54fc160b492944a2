import Foundation
import Synchronization
import Text

/// The vectors of a document.
public struct VectorEntry: Sendable {
    /// The document.
    public var id: Int64
    /// The vectors of the document's passages, one after another; each is scaled to length 1.
    public var values: [Float]
    /// How many passages there are, at least 1.
    public var passages: Int

    /// Creates an entry.
    public init(id: Int64, values: [Float], passages: Int = 1) {
        self.id = id
        self.values = values
        self.passages = passages
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
    /// Documents that lose their vectors.
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
    /// Rows of the matrix that count: one for each passage.
    public var rows: Int
    /// The length of the vectors; nil without a space.
    public var dimensions: Int?
    /// Bytes of the matrix, rows that no longer count included.
    public var matrixBytes: Int
    /// Bytes of the folded text and its postings, those that no longer count included.
    public var textBytes: Int
    /// Bytes of the compressed rows.
    public var codeBytes: Int
    /// Documents that came or changed since the index file was written; all of them without a file.
    public var documentsBeyondFile: Int
}

/// The documents of one embedding space: their vectors, their folded text and what filters need, in memory or mapped from
/// an index file, with later changes beside it.
///
/// Any number of tasks may search while one updates: a search works on a snapshot, which an update does not touch.
public final class HybridIndex: Sendable {
    struct Snapshot: Sendable {
        var catalog = Catalog()
        var vectors: VectorIndex?
        var keywords = KeywordIndex()
        /// What may be used instead of an exact scan.
        var tuning: VectorTuning?
        /// Goes up with every change.
        var version: UInt64 = 0
        /// Documents of the index file, the first ordinals.
        var documentsInFile = 0
        /// Documents that came or changed later.
        var changedDocuments = 0
        /// The index file; nil when there is none.
        var file: MappedFile?

        /// Whether what was read from the index file is what was written to it.
        var isIntact: Bool { file?.isIntact ?? true }
    }

    struct State {
        var snapshot = Snapshot()
        /// The documents of the index file by id: ordinals in the order of their ids.
        var fileOrder: [Int32] = []
        /// Ordinals of the documents that are not in the index file.
        var ordinals: [Int64: Int] = [:]

        /// The ordinal of a document, if it has one.
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

    /// Most searches that may be under way or wait.
    public static let maxWaitingSearches = 1024

    let state: Mutex<State>
    /// Held during a whole change, so that a compaction may copy without keeping searches from their snapshots.
    let writing = Mutex(())
    let pool = ScanPool.shared
    let lane: VectorLane
    let searchesUnderWay = Atomic(0)

    /// Creates an empty index.
    ///
    /// - Parameter dimensions: The length of the vectors; nil for an index without any.
    public convenience init(dimensions: Int?) {
        var snapshot = Snapshot()
        snapshot.vectors = dimensions.map(VectorIndex.init(dimensions:))
        self.init(snapshot)
    }

    init(_ snapshot: Snapshot, fileOrder: [Int32] = []) {
        state = Mutex(State(snapshot: snapshot, fileOrder: fileOrder))
        lane = VectorLane(pool: pool)
    }

    /// What the index holds.
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

    /// What was measured of the plan that answers instead of an exact scan; nil when the exact scan answers.
    public var tuning: VectorTuning? { snapshot.tuning }

    /// Whether the mapped index file is unchanged since it was opened; true without a file. An index that is no longer
    /// intact throws ``RetrievalError/Code/damaged`` from every search and has to be built anew.
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

    /// Applies a change, which the next search sees whole.
    ///
    /// - Throws: ``RetrievalError``, and nothing is changed: a vector of another length than the space's, or one with a
    ///   component that is not finite, or of zeros.
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

    /// Drops rows that no longer count when they are many. The copying happens while searches go on; it loses no change,
    /// for the caller holds ``writing``.
    private func compact() {
        guard let vectors = snapshot.vectors, vectors.wantsCompaction else { return }
        let compacted = vectors.compacted()
        state.withLock {
            $0.snapshot.vectors = compacted
            // The codes went with the old rows.
            $0.snapshot.tuning = nil
            $0.snapshot.version += 1
        }
    }
}

/// A change on its way: made on a copy, so that searches neither wait for it nor see a part of it.
private struct Change {
    var snapshot: HybridIndex.Snapshot
    /// Documents that got an ordinal.
    var added: [Int64: Int] = [:]
    /// Ordinals of documents of the update that had one before.
    private let before: [Int64: Int]

    init(to update: IndexUpdate, of state: borrowing Mutex<HybridIndex.State>) {
        let ids =
            update.documents.map(\.id) + update.removedDocuments + update.vectors.map(\.id) + update.removedVectors
        // Only what is needed is taken out: a copy of all ordinals would be copied again when one is added.
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

    /// Applies a change whose vectors are unit vectors and whose texts are folded.
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
