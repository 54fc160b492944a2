import Foundation
import Text

/// The files of an unfinished index: the file itself with the vectors, and a file for each part.
struct PartFiles {
    /// The path of the index file.
    let path: String

    /// The file that becomes the index file.
    var unfinished: String { path + ".new" }

    private func file(_ number: Int) -> String { "\(path).new.\(number)" }

    /// A complete part.
    struct Found {
        var part: IndexPart
        var cursor: Int64
    }

    /// The origin of the first part.
    var stamp: IndexStamp? { (try? open(0))?.1.stamp }

    /// The complete parts of a source, from the first one on.
    func complete(of source: String, dimensions: Int?) -> [Found] {
        var found: [Found] = []
        var rows = 0
        while let (part, header) = try? open(found.count), part.number == found.count, part.firstRow == rows,
            part.rows >= 0, header.stamp.source == source, header.dimensions == dimensions
        {
            rows += part.rows
            found.append(Found(part: part, cursor: header.stamp.cursor))
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: unfinished)[.size] as? Int) ?? 0
        return size >= IndexFile.page + Self.bytes(rows, dimensions) ? found : []
    }

    /// Deletes the files of all parts, and the unfinished file.
    func remove() {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(url.lastPathComponent + ".new") {
            try? FileManager.default.removeItem(atPath: folder.appending(path: name).path)
        }
    }

    private static func bytes(_ rows: Int, _ dimensions: Int?) -> Int {
        rows * (dimensions ?? 0) * MemoryLayout<Float>.stride
    }

    private func open(_ number: Int) throws(RetrievalError) -> (IndexPart, IndexFile.Header) {
        let header = try IndexFile.header(of: Region(try MappedFile(file(number))))
        guard let part = header.part else { throw RetrievalError(.indexFile, "\(file(number)) is no part") }
        return (part, header)
    }

    // MARK: Writing

    /// Writes a part: first its vectors, then all else. The part counts once its file has its name.
    func write(_ part: IndexPart, _ batch: DocumentBatch, dimensions: Int?, stamp: IndexStamp) throws(RetrievalError) {
        if let dimensions, part.rows > 0 { try writeVectors(part, batch, dimensions) }
        var catalog = Catalog()
        var texts: [KeywordDocument] = []
        texts.reserveCapacity(batch.documents.count)
        for document in batch.documents {
            let ordinal = catalog.add(document.id)
            catalog.set(document, at: ordinal)
            texts.append((ordinal, TextFolding.fold(document.title), TextFolding.fold(document.text)))
        }
        let segment = try SegmentBuilder.segment(of: texts)
        let rows = batch.vectors.flatMap { repeatElement(Int32($0.document), count: $0.entry.passages) }
        let temporary = file(part.number) + ".part"
        let writer = try IndexFileWriter(creating: temporary)
        defer { writer.close() }
        let vocabularies = try writer.write(catalog.flat(Array(0..<catalog.count)))
        try writer.section(.text, segment.region)
        try writer.section(.rowOrdinals, Region(copying: rows))
        try writer.finish(
            IndexFile.Header(
                stamp: stamp, documents: catalog.count, dimensions: dimensions, vocabularies: vocabularies,
                sections: [:], hashes: [:], part: part, writtenAt: Int64(time(nil)) / 2 * 2))
        try DurableFile.rename(temporary, to: file(part.number))
    }

    private func writeVectors(_ part: IndexPart, _ batch: DocumentBatch, _ dimensions: Int) throws(RetrievalError) {
        let file = try DurableFile(
            within: unfinished, at: IndexFile.page + Self.bytes(part.firstRow, dimensions))
        defer { file.close() }
        var units: [Float] = []
        units.reserveCapacity(1 << 18 + dimensions)
        for (_, entry) in batch.vectors {
            for passage in 0..<entry.passages {
                guard
                    let unit = UnitVector.normalised(
                        entry.values[passage * dimensions..<(passage + 1) * dimensions])
                else { throw RetrievalError(.unusableVector, "the vector of note \(entry.id) is not usable") }
                units += unit
            }
            guard units.count >= 1 << 18 else { continue }
            try write(units, to: file)
            units.removeAll(keepingCapacity: true)
        }
        try write(units, to: file)
        try file.synchronise()
    }

    private func write(_ units: [Float], to file: DurableFile) throws(RetrievalError) {
        var failure: RetrievalError?
        unsafe units.withUnsafeBytes { bytes in
            do throws(RetrievalError) { unsafe try file.write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    // MARK: Merging

    /// Appends all but the vectors to the unfinished file.
    func merge(rows: Int, dimensions: Int?, stamp: IndexStamp, source: String) throws(RetrievalError) {
        var readers: [SectionReader] = []
        var segments: [KeywordSegment] = []
        var flat = Catalog.Flat()
        var vocabularies = (types: FilterVocabulary(), actionabilities: FilterVocabulary(), labels: FilterVocabulary())
        var rowOrdinals: [Int32] = []
        var expected = 0
        for number in 0... {
            guard let (part, header) = try? open(number) else { break }
            guard header.stamp.source == source, part.number == number, part.firstRow == expected else {
                throw RetrievalError(.indexFile, "\(file(number)) does not belong to the index")
            }
            expected += part.rows
            let reader = SectionReader(file: Region(try MappedFile(file(number))), header: header)
            readers.append(reader)
            let first = Int32(flat.ids.count)
            try append(reader, to: &flat, &vocabularies)
            let own: [Int32] = try reader.values(.rowOrdinals)
            rowOrdinals += own.map { $0 + first }
            if let text = try reader.optional(.text) { segments.append(try KeywordSegment(region: text)) }
        }
        guard expected == rows else { throw RetrievalError(.indexFile, "a part of \(unfinished) is missing") }
        flat.vocabularies = Catalog.Vocabularies(
            types: vocabularies.types.words, actionabilities: vocabularies.actionabilities.words,
            labels: vocabularies.labels.words)
        let writer = try IndexFileWriter(continuing: unfinished, vectorBytes: Self.bytes(rows, dimensions))
        defer { writer.close() }
        let words = try writer.write(flat)
        if !segments.isEmpty {
            try writer.section(.text) { file throws(RetrievalError) in try SegmentMerger.write(segments, to: file) }
        }
        if rows > 0 { try writer.section(.rowOrdinals, Region(copying: rowOrdinals)) }
        try writer.finish(
            IndexFile.Header(
                stamp: stamp, documents: flat.ids.count, dimensions: dimensions, vocabularies: words, sections: [:],
                hashes: [:], writtenAt: Int64(time(nil)) / 2 * 2))
    }

    private func append(
        _ reader: SectionReader, to flat: inout Catalog.Flat,
        _ all: inout (types: FilterVocabulary, actionabilities: FilterVocabulary, labels: FilterVocabulary)
    ) throws(RetrievalError) {
        let words = reader.header.vocabularies
        let types = words.types.map { all.types.code(for: $0) }
        let actionabilities = words.actionabilities.map { all.actionabilities.code(for: $0) }
        let labels = words.labels.map { all.labels.code(for: $0) }
        func coded(_ section: IndexFile.Section, _ codes: [Int32]) throws(RetrievalError) -> [Int32] {
            let own: [Int32] = try reader.values(section)
            guard own.allSatisfy({ $0 >= -1 && $0 < codes.count }) else { throw reader.damaged(section.rawValue) }
            return own.map { $0 < 0 ? -1 : codes[Int($0)] }
        }
        let before = Int32(flat.labels.count)
        flat.ids += try reader.values(.ids) as [Int64]
        flat.createdAt += try reader.values(.createdAt) as [Int64]
        flat.types += try coded(.types, types)
        flat.actionabilities += try coded(.actionabilities, actionabilities)
        flat.labels += try coded(.labels, labels)
        let ends: [Int32] = try reader.values(.labelEnds)
        flat.labelEnds += ends.map { $0 + before }
    }
}
