import Foundation

/// Writes an index file section by section.
final class IndexFileWriter {
    private let file: DurableFile
    private var sections: [String: [Int]] = [:]
    private var hashes: [String: UInt64] = [:]

    /// Creates a file; see ``DurableFile/init(creating:)``.
    init(creating path: String) throws(RetrievalError) {
        file = try DurableFile(creating: path)
        try file.write(Data(repeating: 0, count: IndexFile.page))
    }

    /// Continues a file that begins with a page for the preamble and the vectors; anything after them is cut off.
    init(continuing path: String, vectorBytes: Int) throws(RetrievalError) {
        file = try DurableFile(continuing: path, at: IndexFile.page + vectorBytes)
        if vectorBytes > 0 { sections[IndexFile.Section.vectors.rawValue] = [IndexFile.page, vectorBytes] }
    }

    /// Writes a section that the body appends to the file.
    func section(
        _ section: IndexFile.Section, _ body: (DurableFile) throws(RetrievalError) -> Void
    ) throws(RetrievalError) {
        try file.pad(to: (file.offset + IndexFile.page - 1) / IndexFile.page * IndexFile.page)
        let start = file.offset
        try body(file)
        sections[section.rawValue] = [start, file.offset - start]
    }

    /// Writes a section.
    func section(_ section: IndexFile.Section, _ region: Region) throws(RetrievalError) {
        if section.isHashed { hashes[section.rawValue] = IndexFile.hash(region) }
        try self.section(section) { file throws(RetrievalError) in try file.write(region) }
    }

    /// Writes the sections of a catalog.
    ///
    /// - Returns: Its vocabularies, for the header.
    func write(_ flat: Catalog.Flat) throws(RetrievalError) -> Catalog.Vocabularies {
        // Mostly ascending already.
        var order = flat.ids.indices.map(Int32.init)
        let isAscending = zip(flat.ids, flat.ids.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { order.sort { flat.ids[Int($0)] < flat.ids[Int($1)] } }
        try section(.ids, Region(copying: flat.ids))
        try section(.createdAt, Region(copying: flat.createdAt))
        try section(.types, Region(copying: flat.types))
        try section(.actionabilities, Region(copying: flat.actionabilities))
        try section(.labels, Region(copying: flat.labels))
        try section(.labelEnds, Region(copying: flat.labelEnds))
        try section(.idOrder, Region(copying: order))
        return flat.vocabularies
    }

    /// Writes the header and the preamble, then waits until all is on the disk.
    ///
    /// - Parameter header: Without sections and hashes.
    func finish(_ header: IndexFile.Header) throws(RetrievalError) {
        var header = header
        (header.sections, header.hashes) = (sections, hashes)
        let encoder = JSONEncoder()
        // Sorted, so that the same index gives the same bytes.
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(header) else {
            throw RetrievalError(.indexFile, "cannot write the index: a number of its header is not finite")
        }
        let start = file.offset
        try file.write(json)
        try file.overwrite(IndexFile.preamble(for: json, at: start))
        try file.synchronise(modifiedAt: header.writtenAt)
    }

    func close() { file.close() }
}
