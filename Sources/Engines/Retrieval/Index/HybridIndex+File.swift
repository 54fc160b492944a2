import Foundation

extension HybridIndex {
    /// A snapshot of the index, to write to a file.
    public var image: IndexImage { IndexImage(snapshot: snapshot) }

    /// Opens an index file. The file is mapped, so the first search starts at once and reads only the parts that it
    /// needs.
    ///
    /// - Returns: The index and its stamp: the source and the last change in the file. The caller must compare the
    ///   source, and rebuild the index if the source differs.
    /// - Throws: ``RetrievalError/Code/indexFile``: the file is missing, incomplete or of another version.
    public static func open(path: String) throws(RetrievalError) -> (index: HybridIndex, stamp: IndexStamp) {
        let mapped = try MappedFile(path)
        let file = Region(mapped)
        let header = try IndexFile.header(of: file)
        guard mapped.stamp.seconds == header.writtenAt, mapped.stamp.nanoseconds == 0 else {
            throw RetrievalError(
                .indexFile, "\(path) was changed after it was written, or copied without its time")
        }
        let reader = SectionReader(file: file, header: header)
        var snapshot = Snapshot()
        let flat = Catalog.Flat(
            ids: try reader.values(.ids), createdAt: try reader.values(.createdAt), types: try reader.values(.types),
            actionabilities: try reader.values(.actionabilities), labels: try reader.values(.labels),
            labelEnds: try reader.values(.labelEnds), vocabularies: header.vocabularies)
        let order: [Int32] = try reader.values(.idOrder)
        guard let catalog = Catalog(flat), catalog.count == header.documents, order.count == header.documents,
            order.allSatisfy({ $0 >= 0 && $0 < header.documents }), Self.isAscending(catalog.ids, in: order)
        else { throw reader.damaged("its catalog") }
        snapshot.catalog = catalog
        snapshot.documentsInFile = catalog.count
        if let text = try reader.optional(.text) {
            snapshot.keywords = try KeywordIndex(segment: KeywordSegment(region: text))
        }
        guard snapshot.keywords.count == catalog.count else { throw reader.damaged("its text") }
        if let dimensions = header.dimensions {
            snapshot.vectors = try reader.vectors(dimensions: dimensions, documents: catalog.count)
            snapshot.tuning = header.tuning
        }
        snapshot.file = mapped
        guard snapshot.isIntact else { throw reader.damaged("its time") }
        return (HybridIndex(snapshot, fileOrder: order), header.stamp)
    }

    /// Whether ids grow strictly in an order of their indices, so that none appears twice.
    ///
    /// - Parameter order: Indices of `ids`.
    private static func isAscending(_ ids: [Int64], in order: [Int32]) -> Bool {
        for place in order.indices.dropFirst() where ids[Int(order[place - 1])] >= ids[Int(order[place])] {
            return false
        }
        return true
    }
}

/// Checks each section of a mapped file before use.
private struct SectionReader {
    let file: Region
    let header: IndexFile.Header

    func damaged(_ what: String) -> RetrievalError {
        RetrievalError(.indexFile, "not a usable index file: \(what) is damaged")
    }

    func optional(_ section: IndexFile.Section) throws(RetrievalError) -> Region? {
        guard let place = header.sections[section.rawValue] else { return nil }
        guard place.count == 2, place[0] >= 0, place[1] >= 0, place[0] % IndexFile.page == 0,
            place[0] <= file.count, place[1] <= file.count - place[0],
            let region = file.slice(place[0]..<place[0] + place[1]),
            !section.isHashed || IndexFile.hash(region) == header.hashes[section.rawValue]
        else { throw damaged(section.rawValue) }
        return region
    }

    func region(_ section: IndexFile.Section) throws(RetrievalError) -> Region {
        guard let region = try optional(section) else { throw damaged(section.rawValue) }
        return region
    }

    func values<Value: BitwiseCopyable>(_ section: IndexFile.Section) throws(RetrievalError) -> [Value] {
        let region = try region(section)
        guard region.count % MemoryLayout<Value>.stride == 0 else { throw damaged(section.rawValue) }
        return unsafe Array(region.values(of: Value.self))
    }

    func vectors(dimensions: Int, documents: Int) throws(RetrievalError) -> VectorIndex {
        guard dimensions > 0, dimensions <= 1 << 20 else { throw damaged("its dimensions") }
        guard let rows = try optional(.vectors) else { return VectorIndex(dimensions: dimensions) }
        // Ordinals index into arrays, so they are checked in a copy that no other process can change.
        let ordinals: [Int32] = try values(.rowOrdinals)
        guard let chunk = MatrixChunk(vectors: rows, ordinals: Region(copying: ordinals), dimensions: dimensions),
            let index = VectorIndex(
                chunk: chunk, codes: try codes(rows: chunk.capacity, dimensions: dimensions), documents: documents)
        else { throw damaged("its matrix") }
        return index
    }

    private func codes(rows: Int, dimensions: Int) throws(RetrievalError) -> RowCodes? {
        var codes = RowCodes()
        let float = MemoryLayout<Float>.stride
        if let bytes = try optional(.byteCodes) {
            let factors = try region(.byteFactors)
            guard bytes.count == rows * ByteCodes.stride(forDimensions: dimensions), factors.count == rows * float
            else { throw damaged("its codes") }
            codes.bytes = ByteCodes(codes: bytes, factors: factors)
        }
        if let bits = try optional(.bitCodes), let centre = header.centre, let seed = header.seed {
            let (factors, extras) = (try region(.bitFactors), try region(.bitExtras))
            guard bits.count == rows * BitCodes.words(forDimensions: dimensions) * 8, factors.count == rows * float,
                extras.count == rows * float, centre.count == dimensions
            else { throw damaged("its codes") }
            codes.bits = BitCodes(codes: bits, factors: factors, extras: extras, centre: centre, seed: seed)
        }
        return codes.bytes == nil && codes.bits == nil ? nil : codes
    }
}
