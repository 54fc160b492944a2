import Foundation

/// A snapshot of an index, to write to a file while the index stays in use.
public struct IndexImage: Sendable {
    let snapshot: HybridIndex.Snapshot

    /// Writes an index file: beside its name first, then synced and renamed. So the name always holds a complete file,
    /// the old or the new one. Only one process writes at a time.
    ///
    /// Time grows with the bytes; the call keeps one core and the disk busy.
    ///
    /// - Returns: false, without writing, when another process is writing the same file.
    /// - Throws: ``RetrievalError/Code/indexFile``: the folder cannot be created or written to, or the disk is full.
    ///   ``RetrievalError/Code/damaged``: the index reads from a file that was changed in place; nothing was replaced.
    @discardableResult
    public func write(to path: String, stamp: IndexStamp) throws(RetrievalError) -> Bool {
        try write(to: path, stamp: stamp, at: Int64(time(nil)))
    }

    /// Writes with a given time in seconds since 1970, rounded to an even second.
    func write(to path: String, stamp: IndexStamp, at seconds: Int64) throws(RetrievalError) -> Bool {
        try Self.makeFolder(of: path)
        guard let lock = try FileLock(path: path + ".lock") else { return false }
        defer { lock.unlock() }
        let temporary = path + ".new"
        do throws(RetrievalError) {
            try write(toFile: temporary, stamp: stamp, at: seconds - seconds % 2)
            guard snapshot.isIntact else { throw RetrievalError.damagedFile }
            try DurableFile.rename(temporary, to: path)
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
        return true
    }

    /// Makes the folder of an index file.
    static func makeFolder(of path: String) throws(RetrievalError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RetrievalError(.indexFile, "cannot make the folder \(folder): \(error.localizedDescription)")
        }
    }

    private func write(toFile path: String, stamp: IndexStamp, at seconds: Int64) throws(RetrievalError) {
        let ordinals = snapshot.catalog.liveOrdinals
        let rows = snapshot.vectors.map { RowOrder(of: $0, ordinals) }
        let file = try IndexFileWriter(creating: path)
        defer { file.close() }
        if let rows, rows.bytes > 0 {
            try file.section(.vectors) { file throws(RetrievalError) in try rows.write(to: file) }
        }
        let vocabularies = try file.write(snapshot.catalog.flat(ordinals))
        if let text = try snapshot.keywords.merged() { try file.section(.text, text.region) }
        if let rows { try file.section(.rowOrdinals, Region(copying: rows.ordinals)) }
        let codes = rows?.codes(for: snapshot.tuning?.usable)
        if let bytes = codes?.bytes {
            try file.section(.byteCodes, bytes.codes)
            try file.section(.byteFactors, bytes.factors)
        }
        if let bits = codes?.bits {
            try file.section(.bitCodes, bits.codes)
            try file.section(.bitFactors, bits.factors)
        }
        try file.finish(
            IndexFile.Header(
                stamp: stamp, documents: ordinals.count, dimensions: snapshot.vectors?.dimensions,
                vocabularies: vocabularies, tuning: snapshot.tuning, centre: codes?.bits?.centre,
                seed: codes?.bits?.seed, sections: [:], hashes: [:], writtenAt: seconds))
    }
}

/// The rows of some documents, in the order of the documents.
private struct RowOrder {
    let index: VectorIndex
    /// The index row of each file row.
    let rows: [Int]
    /// The file document of each file row.
    let ordinals: [Int32]

    init(of index: VectorIndex, _ documents: [Int]) {
        self.index = index
        var (rows, ordinals): ([Int], [Int32]) = ([], [])
        rows.reserveCapacity(index.liveRows)
        ordinals.reserveCapacity(index.liveRows)
        for (number, ordinal) in documents.enumerated() {
            for row in index.rows(of: ordinal) {
                rows.append(row)
                ordinals.append(Int32(number))
            }
        }
        (self.rows, self.ordinals) = (rows, ordinals)
    }

    var bytes: Int { rows.count * index.dimensions * MemoryLayout<Float>.stride }

    /// Writes the rows; contiguous rows in one call.
    func write(to file: DurableFile) throws(RetrievalError) {
        var start = 0
        while start < rows.count {
            guard let part = index.part(holding: rows[start]) else { return }
            let limit = part.firstRow + part.rows
            var end = start + 1
            while end < rows.count, rows[end] == rows[end - 1] + 1, rows[end] < limit { end += 1 }
            unsafe try file.write(part.chunk.bytes(rows[start] - part.firstRow..<rows[end - 1] + 1 - part.firstRow))
            start = end
        }
    }

    /// The codes of the rows for a plan, in the rows' order. Nil when the plan needs no codes, or the first rows have
    /// none.
    func codes(for plan: VectorPlan?) -> RowCodes? {
        guard let plan, !rows.isEmpty else { return nil }
        return index.encoded(rows, for: plan)
    }
}
