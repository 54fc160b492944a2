import Dispatch
import Synchronization

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
        guard header.part == nil else { throw RetrievalError(.indexFile, "\(path) is a part of an unfinished file") }
        let reader = SectionReader(file: file, header: header)
        // Catalog, text and matrix are checked side by side.
        let parts = Mutex<
            (catalog: Catalog?, order: [Int32], keywords: KeywordIndex?, vectors: VectorIndex?, error: RetrievalError?)
        >(
            (nil, [], nil, nil, nil))
        DispatchQueue.concurrentPerform(iterations: 3) { number in
            do throws(RetrievalError) {
                switch number {
                case 0:
                    let keywords = try reader.keywords()
                    parts.withLock { $0.keywords = keywords }
                case 1:
                    guard let dimensions = header.dimensions else { return }
                    let vectors = try reader.vectors(dimensions: dimensions, documents: header.documents)
                    parts.withLock { $0.vectors = vectors }
                default:
                    let (catalog, order) = try reader.catalog()
                    parts.withLock { ($0.catalog, $0.order) = (catalog, order) }
                }
            } catch {
                parts.withLock { $0.error = error }
            }
        }
        let found = parts.withLock { $0 }
        if let error = found.error { throw error }
        guard let catalog = found.catalog, let keywords = found.keywords, keywords.count == catalog.count else {
            throw reader.damaged("its text")
        }
        var snapshot = Snapshot()
        snapshot.catalog = catalog
        snapshot.documentsInFile = catalog.count
        snapshot.keywords = keywords
        snapshot.vectors = found.vectors
        if header.dimensions != nil { snapshot.tuning = header.tuning }
        snapshot.file = mapped
        guard snapshot.isIntact else { throw reader.damaged("its time") }
        return (HybridIndex(snapshot, fileOrder: found.order), header.stamp)
    }
}

/// Checks each section of a mapped file before use.
struct SectionReader: Sendable {
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

    /// The catalog, and the indices of its documents by id.
    func catalog() throws(RetrievalError) -> (Catalog, [Int32]) {
        let labels: [Int32] = try values(.labels)
        // Without labels no ends are needed.
        let ends: [Int32] = labels.isEmpty ? [] : try values(.labelEnds)
        let order: [Int32] = try values(.idOrder)
        guard
            let memberships = labels.isEmpty
                ? Memberships() : Memberships(labels: labels, ends: ends, documents: header.documents),
            let catalog = Catalog(
                Catalog.Stored(
                    ids: try column(.ids), createdAt: try column(.createdAt), types: try column(.types),
                    actionabilities: try column(.actionabilities), memberships: memberships,
                    vocabularies: header.vocabularies)),
            catalog.count == header.documents, order.count == header.documents,
            Self.isAscending(catalog.ids, in: order)
        else { throw damaged("its catalog") }
        return (catalog, order)
    }

    /// The texts of all documents.
    func keywords() throws(RetrievalError) -> KeywordIndex {
        guard let text = try optional(.text) else { return KeywordIndex() }
        return try KeywordIndex(segment: KeywordSegment(region: text))
    }

    /// Whether an order has indices of `ids` by which they grow strictly, so that none appears twice.
    private static func isAscending(_ ids: Column<Int64>, in order: [Int32]) -> Bool {
        var last: Int64?
        for place in order {
            guard place >= 0, place < ids.count else { return false }
            let id = ids[Int(place)]
            if let last, last >= id { return false }
            last = id
        }
        return true
    }

    private func column<Value>(_ section: IndexFile.Section) throws(RetrievalError) -> Column<Value> {
        let region = try region(section)
        guard region.count % MemoryLayout<Value>.stride == 0 else { throw damaged(section.rawValue) }
        return Column(region)
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
            let factors = try region(.bitFactors)
            guard bits.count == BitCodes.bytes(forRows: rows, dimensions: dimensions), factors.count == rows * float,
                centre.count == dimensions
            else { throw damaged("its codes") }
            codes.bits = BitCodes(codes: bits, factors: factors, centre: centre, seed: seed)
        }
        return codes.bytes == nil && codes.bits == nil ? nil : codes
    }
}
