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
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RetrievalError(.indexFile, "cannot make the folder \(folder): \(error.localizedDescription)")
        }
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

    private func write(toFile path: String, stamp: IndexStamp, at seconds: Int64) throws(RetrievalError) {
        let ordinals = snapshot.catalog.liveOrdinals
        let flat = snapshot.catalog.flat(ordinals)
        let text = try snapshot.keywords.merged()
        let rows = snapshot.vectors.map { RowOrder(of: $0, ordinals) }
        let idOrder = flat.ids.indices.sorted { flat.ids[$0] < flat.ids[$1] }.map(Int32.init)
        var sections: [(IndexFile.Section, Region)] = [
            (.ids, Region(copying: flat.ids)), (.createdAt, Region(copying: flat.createdAt)),
            (.types, Region(copying: flat.types)), (.actionabilities, Region(copying: flat.actionabilities)),
            (.labels, Region(copying: flat.labels)), (.labelEnds, Region(copying: flat.labelEnds)),
            (.idOrder, Region(copying: idOrder)),
        ]
        if let text { sections.append((.text, text.region)) }
        if let rows { sections.append((.rowOrdinals, Region(copying: rows.ordinals))) }
        let codes = rows?.codes(for: snapshot.tuning?.usable)
        if let bytes = codes?.bytes { sections += [(.byteCodes, bytes.codes), (.byteFactors, bytes.factors)] }
        if let bits = codes?.bits {
            sections += [(.bitCodes, bits.codes), (.bitFactors, bits.factors), (.bitExtras, bits.extras)]
        }
        var header = IndexFile.Header(
            stamp: stamp, documents: ordinals.count, dimensions: snapshot.vectors?.dimensions,
            vocabularies: flat.vocabularies, tuning: snapshot.tuning, centre: codes?.bits?.centre,
            seed: codes?.bits?.seed, sections: [:], hashes: [:], fileBytes: 0, writtenAt: seconds)
        for (section, region) in sections where section.isHashed {
            header.hashes[section.rawValue] = IndexFile.hash(region)
        }
        let json = try Self.place(sections.map { ($0, $1.count) }, vectorBytes: rows?.bytes ?? 0, in: &header)
        let file = try DurableFile(creating: path)
        defer { file.close() }
        try file.write(IndexFile.preamble(for: json) + json)
        for (section, region) in sections {
            try file.pad(to: header.sections[section.rawValue]?[0] ?? 0)
            try file.write(region)
        }
        if let rows, rows.bytes > 0 {
            try file.pad(to: header.sections[IndexFile.Section.vectors.rawValue]?[0] ?? 0)
            try rows.write(to: file)
        }
        try file.pad(to: header.fileBytes)
        try file.synchronise(modifiedAt: seconds)
    }

    /// Assigns each section an offset, with the vectors last, and encodes the header.
    private static func place(
        _ sections: [(IndexFile.Section, Int)], vectorBytes: Int, in header: inout IndexFile.Header
    ) throws(RetrievalError) -> Data {
        let all = sections + (vectorBytes > 0 ? [(.vectors, vectorBytes)] : [])
        func pages(_ bytes: Int) -> Int { (bytes + IndexFile.page - 1) / IndexFile.page * IndexFile.page }
        // The offsets are part of the header and change its length, so room is left for all their digits.
        var room = pages(IndexFile.preambleBytes + 8192)
        let encoder = JSONEncoder()
        // Sorted, so that the same index gives the same bytes.
        encoder.outputFormatting = .sortedKeys
        while true {
            var offset = room
            header.sections = [:]
            for (section, bytes) in all {
                header.sections[section.rawValue] = [offset, bytes]
                offset = pages(offset + bytes)
            }
            header.fileBytes = offset
            guard let json = try? encoder.encode(header) else {
                throw RetrievalError(.indexFile, "cannot write the index: a number of its header is not finite")
            }
            if IndexFile.preambleBytes + json.count <= room { return json }
            room = pages(IndexFile.preambleBytes + json.count + 1024)
        }
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
