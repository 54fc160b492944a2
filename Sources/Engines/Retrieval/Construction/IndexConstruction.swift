import Dispatch
import Foundation
import Synchronization

/// Builds an index file from documents that come in the order of their ids, on all cores, and without holding them all in
/// memory.
///
/// Documents are collected in parts. The vectors of a part go to their final place in the unfinished file, the rest to a
/// file beside it. A construction that was killed continues after the last complete part. At the end the parts are merged
/// behind the vectors, and the file gets its name.
///
/// Methods must be called one after another.
public final class IndexConstruction: Sendable {
    /// The limits of a part: documents, and bytes of text and vectors.
    struct Limits: Sendable {
        var documents = 65_536
        var bytes = 128 << 20
    }

    private let path: String
    private let dimensions: Int?
    private let source: String
    private let limits: Limits
    private let lock: FileLock
    private let queue = DispatchQueue(label: "selene.index.construction", attributes: .concurrent)
    private let group = DispatchGroup()
    private let places: DispatchSemaphore
    private let state: Mutex<State>
    private let failure = Failure()

    /// The first error of a part. Work in progress refers to this instead of the construction, which waits for the work
    /// when it ends.
    private final class Failure: Sendable {
        let first = Mutex<RetrievalError?>(nil)
    }

    private struct State {
        var parts = 0
        var rows = 0
        var lastID: Int64?
        var cursor: Int64?
        var collected = DocumentBatch()
    }

    /// Begins or continues a construction.
    ///
    /// - Parameters:
    ///   - path: The path of the index file.
    ///   - source: A name of the source and of all that the parts depend on. Parts of another source are dropped.
    /// - Returns: nil when another process builds or writes the file.
    /// - Throws: ``RetrievalError/Code/indexFile``.
    public convenience init?(path: String, dimensions: Int?, source: String) throws(RetrievalError) {
        try self.init(path: path, dimensions: dimensions, source: source, limits: Limits())
    }

    init?(path: String, dimensions: Int?, source: String, limits: Limits) throws(RetrievalError) {
        try IndexImage.makeFolder(of: path)
        guard let lock = try FileLock(path: path + ".lock") else { return nil }
        self.lock = lock
        self.path = path
        self.dimensions = dimensions
        self.source = source
        self.limits = limits
        places = DispatchSemaphore(value: max(1, ProcessInfo.processInfo.activeProcessorCount))
        let found = PartFiles(path: path).complete(of: source, dimensions: dimensions)
        state = Mutex(
            State(
                parts: found.count, rows: found.last.map { $0.part.firstRow + $0.part.rows } ?? 0,
                lastID: found.last?.part.lastID, cursor: found.first?.cursor))
        if found.isEmpty {
            do throws(RetrievalError) {
                PartFiles(path: path).remove()
                let file = try IndexFileWriter(creating: PartFiles(path: path).unfinished)
                file.close()
            } catch {
                lock.unlock()
                throw error
            }
        }
    }

    deinit {
        group.wait()
        lock.unlock()
    }

    /// The origin of the first part of an unfinished index file; nil without one.
    public static func unfinished(at path: String) -> IndexStamp? { PartFiles(path: path).stamp }

    /// The id of the last document in a complete part; documents up to it must not be added again.
    public var lastID: Int64? { state.withLock { $0.lastID } }

    /// The position of the source that all parts include.
    public var cursor: Int64? { state.withLock { $0.cursor } }

    /// Adds documents in the order of their ids. A document without usable vectors is added without any.
    ///
    /// Waits while all cores are busy.
    /// - Parameters:
    ///   - update: Documents and vectors; removals are ignored.
    ///   - cursor: The position of the source from which they were read.
    /// - Throws: ``RetrievalError``: an earlier part could not be written.
    public func add(_ update: IndexUpdate, cursor: Int64) throws(RetrievalError) {
        let isFull = state.withLock { state in
            if state.cursor == nil { state.cursor = cursor }
            state.collected.add(update, dimensions: dimensions)
            return state.collected.documents.count >= limits.documents || state.collected.bytes >= limits.bytes
        }
        if isFull { try endPart(cursor: cursor) }
    }

    /// Ends the current part, even if it is small. Call it where another snapshot of the source begins.
    ///
    /// - Throws: ``RetrievalError``: an earlier part could not be written.
    public func endPart(cursor: Int64) throws(RetrievalError) {
        places.wait()
        if let error = failure.first.withLock({ $0 }) {
            places.signal()
            throw error
        }
        let found = state.withLock { state -> (part: IndexPart, batch: DocumentBatch)? in
            let batch = state.collected
            state.collected = DocumentBatch()
            guard let last = batch.documents.last?.id else { return nil }
            let part = IndexPart(number: state.parts, firstRow: state.rows, rows: batch.rows, lastID: last)
            state.parts += 1
            state.rows += batch.rows
            state.lastID = last
            return (part, batch)
        }
        guard let (part, batch) = found else {
            places.signal()
            return
        }
        let stamp = IndexStamp(source: source, cursor: cursor)
        queue.async(group: group) { [failure, places, path, dimensions] in
            do throws(RetrievalError) {
                try PartFiles(path: path).write(part, batch, dimensions: dimensions, stamp: stamp)
            } catch {
                failure.first.withLock { $0 = $0 ?? error }
            }
            places.signal()
        }
    }

    /// Merges the parts into the index file, and opens it.
    ///
    /// - Parameter stamp: The file's origin.
    /// - Throws: ``RetrievalError``; the complete parts stay.
    public func finish(stamp: IndexStamp) throws(RetrievalError) {
        try endPart(cursor: stamp.cursor)
        group.wait()
        if let error = failure.first.withLock({ $0 }) { throw error }
        let rows = state.withLock { $0.rows }
        let files = PartFiles(path: path)
        try files.merge(rows: rows, dimensions: dimensions, stamp: stamp, source: source)
        try DurableFile.rename(files.unfinished, to: path)
        files.remove()
    }

    /// Drops all parts, for example because the source no longer knows what changed since they were read.
    public func discard() {
        group.wait()
        PartFiles(path: path).remove()
    }
}

/// Documents in the order of their ids, with their usable vectors.
struct DocumentBatch: Sendable {
    var documents: [RetrievalDocument] = []
    /// By index in ``documents``, ascending.
    var vectors: [(document: Int, entry: VectorEntry)] = []
    var rows = 0
    var bytes = 0

    mutating func add(_ update: IndexUpdate, dimensions: Int?) {
        var entries = update.vectors[...]
        for document in update.documents {
            documents.append(document)
            bytes += document.title.utf8.count + document.text.utf8.count
            guard var entry = entries.first, entry.id == document.id else { continue }
            entries.removeFirst()
            guard let dimensions, Self.isUsable(entry, dimensions) else { continue }
            entry.passages = min(entry.passages, VectorIndex.maxPassages)
            vectors.append((documents.count - 1, entry))
            rows += entry.passages
            bytes += entry.values.count * MemoryLayout<Float>.stride
        }
    }

    private static func isUsable(_ entry: VectorEntry, _ dimensions: Int) -> Bool {
        guard entry.passages > 0, entry.values.count == dimensions * entry.passages else { return false }
        var squares = [Float](repeating: 0, count: 1)
        for start in stride(from: 0, to: entry.values.count, by: dimensions) {
            unsafe entry.values.withUnsafeBufferPointer { values in
                guard let row = values.baseAddress else { return }
                unsafe Kernels.best.dotRows(
                    row + start, count: 1, dimensions: dimensions, query: row + start, scores: &squares[0])
            }
            // Sums that a float cannot hold are looked at closely.
            if squares[0].isNormal { continue }
            guard UnitVector.normalised(entry.values[start..<start + dimensions]) != nil else { return false }
        }
        return true
    }
}
