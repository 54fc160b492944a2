import Foundation

/// The origin of an index file: its source and the last change included.
public struct IndexStamp: Codable, Sendable, Hashable {
    /// A name of the source, for example of a database and an embedding space.
    public var source: String
    /// The last change of the source included in the file.
    public var cursor: Int64

    /// Creates a stamp.
    public init(source: String, cursor: Int64) {
        self.source = source
        self.cursor = cursor
    }
}

/// The format of an index file. The file is derived from the database, rebuilt when it is missing or invalid, and never
/// changed in place.
///
/// A preamble of 64 bytes, page-aligned sections, and at the end a header in JSON, so that sections can be written before
/// all are known. Numbers are little endian. A file is complete or absent: it is written beside its name, synced and
/// renamed. A later change in place makes its modification time differ from the header, and the file is then not used.
enum IndexFile {
    static let magic = Array("SELENEIX".utf8)
    static let version: UInt32 = 4
    static let preambleBytes = 64
    static let page = 4096

    enum Section: String, CaseIterable {
        case ids, createdAt, types, actionabilities, labels, labelEnds, idOrder
        case vectors, rowOrdinals, text
        case byteCodes, byteFactors, bitCodes, bitFactors

        /// Whether the section's hash is checked on opening. Sections that a search reads only in part are not hashed.
        var isHashed: Bool {
            switch self {
            case .vectors, .text, .byteCodes, .bitCodes: false
            default: true
            }
        }
    }

    /// The members of the JSON header.
    struct Header: Codable {
        var stamp: IndexStamp
        var documents: Int
        var dimensions: Int?
        var vocabularies: Catalog.Vocabularies
        var tuning: VectorTuning?
        var centre: [Float]?
        var seed: UInt64?
        /// The first byte and length of each section, by name.
        var sections: [String: [Int]]
        /// The ``IndexFile/hash(_:)`` of each hashed section, by name.
        var hashes: [String: UInt64]
        /// The part of an unfinished file that this one describes; nil for a complete index.
        var part: IndexPart?
        /// The modification time of an unchanged file, in seconds since 1970; even, because some file systems keep no
        /// finer times.
        var writtenAt: Int64
    }

    /// FNV-1a, 64 bits (Fowler, Noll and Vo). Detects a cut or corrupted header.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Hashes a section by 64-bit words; a shift mixes the upper bits into the lower ones.
    static func hash(_ region: Region) -> UInt64 {
        func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        let hash = unsafe region.values(of: UInt64.self).reduce(UInt64(region.count), mixed)
        return unsafe region.bytes.suffix(region.count % 8).reduce(hash) { mixed($0, UInt64($1)) }
    }

    /// The preamble for a header at an offset.
    static func preamble(for json: Data, at offset: Int) -> Data {
        var bytes = Data(magic)
        unsafe withUnsafeBytes(of: version.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: UInt32(0).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: UInt64(json.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: hash(json).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: UInt64(offset).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        return bytes + Data(repeating: 0, count: preambleBytes - bytes.count)
    }

    /// Reads and checks the header of a mapped file.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile``: no index file, another version, or incomplete.
    static func header(of file: Region) throws(RetrievalError) -> Header {
        func refuse(_ why: String) -> RetrievalError { RetrievalError(.indexFile, "not a usable index file: \(why)") }
        let bytes = unsafe file.bytes
        guard bytes.count >= preambleBytes, unsafe bytes.prefix(8).elementsEqual(magic) else {
            throw refuse("the file has no index signature")
        }
        let found = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        guard found == version else { throw refuse("it has version \(found), this program writes \(version)") }
        let length = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let expected = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        let offset = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        guard offset >= UInt64(preambleBytes), offset <= UInt64(bytes.count), length == UInt64(bytes.count) - offset
        else {
            throw refuse("it is cut or has bytes after its header")
        }
        let json = unsafe Data(bytes[Int(offset)...])
        guard hash(json) == expected, let header = try? JSONDecoder().decode(Header.self, from: json) else {
            throw refuse("its header is damaged")
        }
        return header
    }
}
