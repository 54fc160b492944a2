import Documents
import Foundation

/// A file of a source: one of the machine, or one in an archive.
struct IngestFile {
    /// The path below the folder or in the archive; the file's name for a file alone.
    let name: String
    /// The path for people. A file in an archive has the archive's path before it.
    let location: String
    /// In bytes, as the folder or the archive has it.
    let size: Int
    /// In seconds since 1970.
    let modifiedAt: Int64?
    /// The file itself; nil for one in an archive.
    let url: URL?
    private let archive: ZipArchive?
    /// Whether reading the file takes nothing from it, unlike from a pipe.
    private let isRegular: Bool

    /// The most bytes of a file that is read whole. Exports of one document per file are far smaller.
    static let mostWholeBytes = 64 << 20
    /// The bytes by which formats are recognized.
    static let startBytes = 64 << 10

    init(_ url: URL, named name: String) {
        self.name = name
        self.url = url
        location = url.path
        archive = nil
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
        let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: keys)
        size = values?.fileSize ?? 0
        isRegular = values?.isRegularFile ?? false
        modifiedAt = values?.contentModificationDate.flatMap {
            Int64(exactly: $0.timeIntervalSince1970.rounded(.down))
        }
    }

    init(_ name: String, in archive: ZipArchive, at place: String) {
        self.name = name
        self.archive = archive
        location = "\(place)/\(name)"
        size = archive.size(of: name)
        (url, modifiedAt, isRegular) = (nil, nil, true)
    }

    /// The file's bytes in pieces.
    func open() throws(IngestProblem) -> IngestStream {
        if let url {
            guard let handle = try? FileHandle(forReadingFrom: url) else { throw problem("cannot be opened") }
            return IngestStream(.file(handle), at: location)
        }
        do throws(DocumentError) {
            guard let entry = try archive?.open(name) else { throw DocumentError(.damaged, "It cannot be opened.") }
            return IngestStream(.entry(entry), at: location)
        } catch { throw problem(error.message) }
    }

    /// All bytes of the file.
    ///
    /// - Throws: when it is larger than `limit` or cannot be read.
    func whole(_ limit: Int = mostWholeBytes) throws(IngestProblem) -> [UInt8] {
        let stream = try open()
        var bytes: [UInt8] = []
        while let piece = try stream.next() {
            guard bytes.count + piece.count <= limit else { throw problem("is larger than \(limit) bytes") }
            bytes += piece
        }
        return bytes
    }

    /// The first bytes of the file; empty when it cannot be read, or only once.
    func start(_ count: Int = startBytes) -> [UInt8] {
        guard isRegular, let stream = try? open() else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = try? stream.next() { bytes += piece }
        return Array(bytes.prefix(count))
    }

    /// Why the file, or an item of it, is not read.
    func problem(_ reason: String) -> IngestProblem { IngestProblem(location: location, reason: reason) }
}
