import Foundation

/// Where an index file comes from: what it is a copy of, and up to which change.
public struct IndexStamp: Codable, Sendable, Hashable {
    /// Names the source, for example a database and an embedding space.
    public var source: String
    /// The last change of the source that is in the file.
    public var cursor: Int64

    /// Creates a stamp.
    public init(source: String, cursor: Int64) {
        self.source = source
        self.cursor = cursor
    }
}

/// The form of an index file: derived from the database, rebuilt when it is missing or not understood, never changed in
/// place.
///
/// A preamble of 64 bytes, then a header in JSON, then sections that each begin at a page. Numbers are little endian.
/// A file is complete or absent: it is written beside its name, made durable, and renamed. One that was changed in place
/// afterwards has another modification time than its header says, and is not used.
enum IndexFile {
    static let magic = Array("SELENEIX".utf8)
    static let version: UInt32 = 2
    static let preambleBytes = 64
    static let page = 4096

    /// A section of the file.
    enum Section: String, CaseIterable {
        case ids, createdAt, types, actionabilities, labels, labelEnds, idOrder
        case vectors, rowOrdinals, text
        case byteCodes, byteFactors, bitCodes, bitFactors, bitExtras

        /// Whether the section is checked when a file is opened: all but those of which a search reads what it needs.
        var isHashed: Bool {
            switch self {
            case .vectors, .text, .byteCodes, .bitCodes: false
            default: true
            }
        }
    }

    /// What the JSON says.
    struct Header: Codable {
        var stamp: IndexStamp
        var documents: Int
        var dimensions: Int?
        var vocabularies: Catalog.Vocabularies
        var tuning: VectorTuning?
        var centre: [Float]?
        var seed: UInt64?
        /// Name → first byte and length.
        var sections: [String: [Int]]
        /// Name → ``IndexFile/hash(_:)`` of the sections that are hashed.
        var hashes: [String: UInt64]
        var fileBytes: Int
        /// The modification time that the file has as long as nobody changes it: seconds since 1970, even, because some
        /// file systems keep no finer times.
        var writtenAt: Int64
    }

    /// FNV-1a, 64 bits (Fowler, Noll and Vo): tells a header that was cut or mixed up.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// A hash of a section, by words of 64 bits, whose upper bits reach the lower ones by a shift.
    static func hash(_ region: Region) -> UInt64 {
        func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        let hash = unsafe region.values(of: UInt64.self).reduce(UInt64(region.count), mixed)
        return unsafe region.bytes.suffix(region.count % 8).reduce(hash) { mixed($0, UInt64($1)) }
    }

    /// The preamble of a header.
    static func preamble(for json: Data) -> Data {
        var bytes = Data(magic)
        unsafe withUnsafeBytes(of: version.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: UInt32(0).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: UInt64(json.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: hash(json).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        return bytes + Data(repeating: 0, count: preambleBytes - bytes.count)
    }

    /// The header of a mapped file.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile``: it is no index file, one of another version, or not whole.
    static func header(of file: Region) throws(RetrievalError) -> Header {
        func refuse(_ why: String) -> RetrievalError { RetrievalError(.indexFile, "not a usable index file: \(why)") }
        let bytes = unsafe file.bytes
        guard bytes.count >= preambleBytes, unsafe bytes.prefix(8).elementsEqual(magic) else {
            throw refuse("it does not begin as one")
        }
        let found = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        guard found == version else { throw refuse("it has version \(found), this program writes \(version)") }
        let length = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let expected = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        guard length <= UInt64(bytes.count - preambleBytes) else { throw refuse("its header is cut") }
        let json = unsafe Data(bytes[preambleBytes..<preambleBytes + Int(length)])
        guard hash(json) == expected, let header = try? JSONDecoder().decode(Header.self, from: json) else {
            throw refuse("its header is damaged")
        }
        guard header.fileBytes == bytes.count else {
            throw refuse("it has \(bytes.count) bytes instead of \(header.fileBytes)")
        }
        return header
    }
}
